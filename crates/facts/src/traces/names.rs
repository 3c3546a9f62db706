//! Judges by its name that a function is beside the main task of a program.

/// Words in names of functions that print, report, end or clean up.
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

/// First words in names of functions that only prepare something.
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

/// Last words in names of C functions that only prepare something: `parser_new`.
const PREPARED: &[&str] =
    &["new", "init", "alloc", "create", "default", "args", "arguments", "options", "opts", "config", "setup"];

/// Returns true if the name of a function says that it does not do the main work of the program.
pub(super) fn is_aside(name: &str) -> bool {
    let own = name.rsplit('.').next().unwrap_or(name);
    let words = words(own);
    words.iter().any(|word| ASIDE.contains(&word.as_str()))
        || words.first().is_some_and(|word| PREPARES.contains(&word.as_str()))
        || words.last().is_some_and(|word| PREPARED.contains(&word.as_str()))
}

/// Splits a name into its words in lower case: `runAll` and `run_all` → `run`, `all`.
fn words(name: &str) -> Vec<String> {
    let kebab = crate::calls::kebab(name);
    kebab.split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the name of a script: its file name.
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
