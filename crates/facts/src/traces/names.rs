//! Roles of functions in a program, by their names.

/// Words of functions beside the way: they print, report, end or clean up.
const ASIDE: &[&str] = &[
    "help",
    "usage",
    "warn",
    "warning",
    "warnings",
    "version",
    "print",
    "printf",
    "log",
    "logger",
    "logging",
    "exit",
    "fatal",
    "die",
    "banner",
    "color",
    "colors",
    "colour",
    "colours",
    "debug",
    "finish",
    "disconnect",
    "dispose",
    "end",
    "close",
    "shutdown",
    "stop",
    "cleanup",
    "teardown",
    "flush",
    "error",
    "errors",
    "panic",
    "abort",
    "fail",
    "assert",
    "completion",
    "list",
    "msg",
    "message",
    "info",
    "verbose",
    "notify",
    "resize",
    "completions",
    "deprecated",
    "deprecation",
    "free",
    "destroy",
    "drop",
    "show",
    "report",
];

/// First words of functions that only prepare.
const PREPARES: &[&str] = &[
    "parse",
    "init",
    "initialize",
    "initialise",
    "setup",
    "set",
    "new",
    "default",
    "load",
    "register",
    "create",
    "make",
    "get",
    "is",
    "has",
    "from",
    "with",
    "configure",
    "config",
    "to",
    "check",
    "validate",
    "ensure",
    "read",
    "args",
    "options",
    "add",
    "find",
    "resolve",
    "build",
    "alloc",
    "define",
    "prepare",
    "detect",
    "determine",
    "enable",
    "disable",
    "install",
    "lookup",
    "exist",
    "exists",
    "delete",
    "remove",
    "the",
    "can",
    "should",
    "need",
    "needs",
    "clone",
    "open",
    "append",
    "insert",
    "push",
    "compute",
    "count",
    "len",
    "size",
    "name",
    "path",
    "file",
];

/// Last words of functions in C that only prepare: `parser_new`.
const PREPARED: &[&str] =
    &["new", "init", "alloc", "create", "default", "args", "arguments", "options", "opts", "config", "setup"];

/// Returns true for a function whose name says that it is no part of what the program does.
pub(super) fn is_aside(name: &str) -> bool {
    let own = name.rsplit('.').next().unwrap_or(name);
    let words = words(own);
    words.iter().any(|word| ASIDE.contains(&word.as_str()))
        || words.first().is_some_and(|word| PREPARES.contains(&word.as_str()))
        || words.last().is_some_and(|word| PREPARED.contains(&word.as_str()))
}

/// Returns the words of a name in lower case: `runAll`, `run_all`.
fn words(name: &str) -> Vec<String> {
    let kebab = crate::calls::kebab(name);
    kebab.split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the name of a script: that of its file.
pub(super) fn of_script(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::is_aside;

    #[test]
    fn names_tell_what_only_prints_or_prepares() {
        for (name, expected) in [
            ("run", false),
            ("Server.run", false),
            ("execute_command", false),
            ("print_usage", true),
            ("printWarning", true),
            ("Config.load", true),
            ("Server.new", true),
            ("shop_parser_new", true),
            ("Parser.parseArgs", true),
            ("dialogue", false),
        ] {
            assert_eq!(is_aside(name), expected, "{name}");
        }
    }
}
