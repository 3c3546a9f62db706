//! The short form of an option, and the commands that take it: details that its fact does not have. Read from the source lines of the fact and
//! from decorators.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::facts::SourceLines;
use crate::repo::{FileOutline, SymbolInfo};

/// Maximum of commands of one option.
const COMMANDS: usize = 8;
/// Maximum of steps from an option to a decorator.
const STEPS: usize = 3;

/// Short form of a command line option, and the commands that accept it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionForms {
    /// Short form, such as `-p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Commands that take the option, in the order of the text; `remove()` is a function whose decorator names no command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// A file that declares command line options. Its lines and constants are prepared once, for all of its
/// options.
pub(super) struct OptionFile<'a> {
    lines: Vec<&'a str>,
    functions: Vec<&'a SymbolInfo>,
    /// Constants, each with the words of its lines.
    constants: Vec<(&'a str, BTreeSet<&'a str>)>,
}

impl<'a> OptionFile<'a> {
    pub(super) fn of(outline: &'a FileOutline, text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let symbols = || outline.walk().map(|(_, symbol)| symbol);
        let words = |symbol: &SymbolInfo| {
            let own = lines.iter().skip(symbol.line - 1).take(symbol.line_end + 1 - symbol.line);
            own.flat_map(|line| words_of(line)).collect()
        };
        // Constants on one line would share all of its words.
        let values = outline.symbols.iter().filter(|one| one.kind.is_value());
        let mut last = 0;
        let apart = values.filter(|one| std::mem::replace(&mut last, one.line_end) < one.line);
        let constants = apart.map(|one| (one.name.as_str(), words(one))).collect();
        Self { functions: symbols().filter(|one| one.kind.is_callable()).collect(), constants, lines }
    }

    /// Returns the short form and the commands of the option `name` (such as `--port`), which the lines
    /// `place` declare. `None` if neither is found.
    pub(super) fn forms(&self, name: &str, place: &SourceLines) -> Option<OptionForms> {
        let count = (place.end + 1).saturating_sub(place.start).min(40);
        let lines: Vec<&'a str> =
            self.lines.iter().skip(place.start.saturating_sub(1)).take(count).copied().collect();
        let short = short_form(name, &lines);
        let commands = self.commands(name, &lines);
        (short.is_some() || !commands.is_empty()).then_some(OptionForms { short, commands })
    }

    /// Returns the commands of the functions with a decorator that contains the option, or the name of a
    /// constant that holds it; at most [`COMMANDS`].
    fn commands(&self, name: &str, lines: &[&'a str]) -> Vec<String> {
        let Some(first) = lines.first() else { return Vec::new() };
        let holder =
            first.split_once(" = ").map(|(holder, _)| holder.trim()).filter(|holder| is_name(holder));
        let names = holder.map(|holder| self.names_with(holder));
        let quoted = [format!("\"{name}\""), format!("'{name}'"), format!("\"{name}/"), format!("'{name}/")];
        let has_option = |decorator: &String| match &names {
            Some(names) => words_of(decorator).any(|word| names.contains(word)),
            None => quoted.iter().any(|one| decorator.contains(one.as_str())),
        };
        if names.is_none() && !first.trim_start().starts_with('@') {
            return Vec::new();
        }
        let users = self.functions.iter().filter(|function| function.decorators.iter().any(has_option));
        users.take(COMMANDS).map(|function| command(function)).collect()
    }

    /// Returns `first` and the names of the constants whose values mention it, directly or through up to
    /// [`STEPS`] constants.
    fn names_with(&self, first: &'a str) -> BTreeSet<&'a str> {
        let mut names = BTreeSet::from([first]);
        for _ in 0..STEPS {
            let has_name = |words: &BTreeSet<&str>| names.iter().any(|name| words.contains(name));
            let more = self.constants.iter().filter(|(name, words)| !names.contains(name) && has_name(words));
            let more: Vec<&str> = more.map(|(name, _)| *name).collect();
            if more.is_empty() {
                break;
            }
            names.extend(more);
        }
        names
    }
}

/// Returns the name of the command that a decorated function implements: the one in its `command` or `group`
/// decorator, else `NAME()` with the name of the function.
fn command(function: &SymbolInfo) -> String {
    let given = function.decorators.iter().find_map(|decorator| {
        let (head, arguments) = decorator.split_once('(')?;
        let inner = arguments.trim_start().trim_start_matches("name=").trim_start();
        let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let name = inner[1..].split(quote).next().filter(|name| !name.is_empty() && !name.contains(' '))?;
        let is_command = matches!(head.rsplit(['.', '@']).next(), Some("command" | "group"));
        is_command.then(|| name.to_owned())
    });
    given.unwrap_or_else(|| format!("{}()", function.name))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns the short form of an option in its lines: `-p` for `"-p"`, `"-p, --port"` and `short = 'p'`.
/// `None` if there is none or several, and for a name that does not begin with `--`.
fn short_form(name: &str, lines: &[&str]) -> Option<String> {
    if !name.starts_with("--") {
        return None;
    }
    let is_short = |word: &str| {
        let mut chars = word.chars();
        chars.next() == Some('-') && chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
    };
    let mut found = BTreeSet::new();
    for line in lines {
        let parts: Vec<&str> = line.split(['"', '\'', '`']).collect();
        // `default="-x"` is a value.
        let declared =
            parts.chunks(2).filter_map(|pair| Some((pair[0].trim_end().ends_with('='), pair.get(1)?)));
        for (is_value, quoted) in declared {
            if is_value && !quoted.contains(name) {
                continue;
            }
            let words: Vec<&str> =
                quoted.split([',', ' ', '|', '/']).filter(|word| !word.is_empty()).collect();
            // A help text names other options too.
            let is_declaration =
                words.len() == 1 || words.iter().any(|word| word.starts_with(name)) && words.len() <= 3;
            found.extend(
                words.iter().filter(|word| is_declaration && is_short(word)).map(|word| (*word).to_owned()),
            );
        }
        if let Some((_, rest)) = line.split_once("short = '").or_else(|| line.split_once("short('")) {
            found.extend(rest.chars().next().filter(char::is_ascii_alphabetic).map(|c| format!("-{c}")));
        }
    }
    // Two short forms in the lines are those of two options.
    if found.len() == 1 { found.pop_first() } else { None }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{Language, outline};

    fn check(language: Language, text: &str, name: &str, lines: (usize, usize), expect: &str) {
        let place = SourceLines { path: "a".into(), start: lines.0, end: lines.1 };
        let outline = outline(language, "a", text);
        let found = OptionFile::of(&outline, text).forms(name, &place).unwrap_or_default();
        let said = format!("{} {}", found.short.as_deref().unwrap_or("none"), found.commands.join(" "));
        assert_eq!(said.trim(), expect, "{text}");
    }

    #[test]
    fn options_have_their_short_form_and_their_commands() {
        let click = "import click\nSHELL = click.option(\n    \"--shell\", \"-S\", help=\"Not -x.\"\n)\nboth = compose(SHELL, SIZE)\n\n@both\n@cli.command()\ndef play():\n    pass\n\n@click.option(\"--list\", \"-l\")\ndef themes():\n    pass\n";
        check(Language::Python, click, "--shell", (2, 4), "-S play()");
        check(Language::Python, click, "--list", (12, 12), "-l themes()");
        let script = "program.option('-p, --port <n>', 'the port')\n";
        check(Language::JavaScript, script, "--port", (1, 1), "-p");
        let rust = "struct Cli {\n    #[arg(short = 'c', long)]\n    color: bool,\n}\n";
        check(Language::Rust, rust, "--color", (2, 2), "-c");
        let named = "@cli.command(\"rm\")\n@click.option(\"--level\", \"-l\", default=\"-1\", show='-x')\ndef remove(): pass\n";
        check(Language::Python, named, "--level", (2, 2), "-l rm");
        check(
            Language::Python,
            "@o(\"--level\", default=\"-1\")\ndef f(): pass\n",
            "--level",
            (1, 1),
            "none f()",
        );
        check(Language::JavaScript, "option('--a'); option('-b'); option('-c');\n", "--a", (1, 1), "none");
    }
}
