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

/// The short form and the commands of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionForms {
    /// Short form, such as `-p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Functions of the commands that take the option, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// Returns the forms of the option `name` that stands in these lines of a file; `None` if the lines tell neither.
pub(super) fn forms(
    name: &str,
    place: &SourceLines,
    outline: &FileOutline,
    text: &str,
) -> Option<OptionForms> {
    let count = (place.end + 1).saturating_sub(place.start).min(40);
    let lines: Vec<&str> = text.lines().skip(place.start.saturating_sub(1)).take(count).collect();
    let short = short_form(name, &lines);
    let commands = commands(name, &lines, outline, text);
    (short.is_some() || !commands.is_empty()).then_some(OptionForms { short, commands })
}

/// Returns `-p` for `"-p"`, `"-p, --port"` and `short = 'p'` in the lines of an option.
fn short_form(name: &str, lines: &[&str]) -> Option<String> {
    if !name.starts_with("--") {
        return None;
    }
    let is_short = |word: &str| {
        let mut chars = word.chars();
        chars.next() == Some('-') && chars.next().is_some_and(char::is_alphanumeric) && chars.next().is_none()
    };
    let mut found = BTreeSet::new();
    for line in lines {
        for quoted in line.split(['"', '\'', '`']).skip(1).step_by(2) {
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
            found.extend(rest.chars().next().filter(char::is_ascii_alphanumeric).map(|c| format!("-{c}")));
        }
    }
    // Two short forms in the lines are those of two options.
    if found.len() == 1 { found.pop_first() } else { None }
}

/// Returns the functions with a decorator that has the option, or that has a name which leads to it.
fn commands(name: &str, lines: &[&str], outline: &FileOutline, text: &str) -> Vec<String> {
    let quoted = [format!("\"{name}\""), format!("'{name}'"), format!("\"{name}/"), format!("'{name}/")];
    let direct = |decorator: &String| quoted.iter().any(|one| decorator.contains(one.as_str()));
    let functions: Vec<&SymbolInfo> =
        outline.walk().map(|(_, symbol)| symbol).filter(|symbol| symbol.kind.is_callable()).collect();
    let holder = lines.first().and_then(|line| line.split_once(" = ")).map(|(holder, _)| holder.trim());
    let holder = holder.filter(|holder| is_name(holder));
    let mut found: Vec<&&SymbolInfo> = Vec::new();
    if let Some(holder) = holder {
        let names = names_with(holder, outline, text);
        let is_used = |decorator: &String| {
            decorator
                .trim_start_matches('@')
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .any(|word| names.contains(word))
        };
        found.extend(functions.iter().filter(|function| function.decorators.iter().any(is_used)));
    } else if lines.first().is_some_and(|line| line.trim_start().starts_with('@')) {
        found.extend(functions.iter().filter(|function| function.decorators.iter().any(direct)));
    }
    found.into_iter().take(COMMANDS).map(|function| function.name.clone()).collect()
}

/// Returns a name and the constants of the file whose values have it, through a few steps.
fn names_with(first: &str, outline: &FileOutline, text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::from([first.to_owned()]);
    let all: Vec<&str> = text.lines().collect();
    for _ in 0..STEPS {
        let more: Vec<String> = outline
            .symbols
            .iter()
            .filter(|symbol| symbol.kind.is_value() && !names.contains(&symbol.name))
            .filter(|symbol| {
                let lines = all.iter().skip(symbol.line - 1).take(symbol.line_end + 1 - symbol.line);
                let mut words =
                    lines.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
                words.any(|word| names.contains(word))
            })
            .map(|symbol| symbol.name.clone())
            .collect();
        if more.is_empty() {
            break;
        }
        names.extend(more);
    }
    names
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
        let found = forms(name, &place, &outline(language, "a", text), text).unwrap_or_default();
        let said = format!("{} {}", found.short.as_deref().unwrap_or("none"), found.commands.join(" "));
        assert_eq!(said.trim(), expect, "{text}");
    }

    #[test]
    fn options_have_their_short_form_and_their_commands() {
        let click = "import click\nSHELL = click.option(\n    \"--shell\", \"-S\", help=\"Not -x.\"\n)\nboth = compose(SHELL, SIZE)\n\n@both\n@cli.command()\ndef play():\n    pass\n\n@click.option(\"--list\", \"-l\")\ndef themes():\n    pass\n";
        check(Language::Python, click, "--shell", (2, 4), "-S play");
        check(Language::Python, click, "--list", (12, 12), "-l themes");
        let script = "program.option('-p, --port <n>', 'the port')\n";
        check(Language::JavaScript, script, "--port", (1, 1), "-p");
        let rust = "struct Cli {\n    #[arg(short = 'c', long)]\n    color: bool,\n}\n";
        check(Language::Rust, rust, "--color", (2, 2), "-c");
        check(Language::JavaScript, "option('--a'); option('-b'); option('-c');\n", "--a", (1, 1), "none");
    }
}
