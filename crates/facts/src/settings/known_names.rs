//! Collects the names that a file gives to the environment and to its own variables, once per file because
//! many calls look them up.

use std::collections::{BTreeMap, BTreeSet};

use stategraph_repo::{Language, ParsedFile};

use super::variables::is_variable;

/// Name of the file with the release of an operating system. A script that mentions it reads its variables
/// from there.
pub(super) const RELEASE: &str = "os-release";

/// Names in one shell or Python file that decide if a variable which the file reads belongs to the
/// environment.
#[derive(Default)]
pub(super) struct KnownNames<'a> {
    /// Variables that a shell script sets itself, with the first line that sets each.
    pub(super) set: BTreeMap<&'a str, usize>,
    /// Names that stand for `os.environ` and `os.getenv` in a Python file.
    pub(super) environment: BTreeSet<&'a str>,
}

impl<'a> KnownNames<'a> {
    /// Collects the names of a file; empty for languages other than shell and Python.
    pub(super) fn of(file: &ParsedFile<'a>) -> Self {
        match file.outline.language {
            Language::Bash => Self { set: list_assigned_names(file.text), ..Self::default() },
            Language::Python => Self { environment: names_of_environment(file.text), ..Self::default() },
            _ => Self::default(),
        }
    }
}

/// Maximum length of an import's list of names, in bytes.
const IMPORTED: usize = 1_000;

/// Returns the names that a Python file has for the environment, by lines `env = os.environ` and imports
/// from `os`. Without an import, `environ` is the environment of a web request.
fn names_of_environment(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    if !text.contains("environ") && !text.contains("getenv") {
        return found;
    }
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or(line).trim();
        let assigned = line.split_once('=').filter(|(_, value)| value.trim() == "os.environ");
        let alias =
            assigned.map(|(name, _)| name).or_else(|| line.strip_prefix("from os import environ as "));
        found.extend(alias.map(str::trim).filter(|name| is_variable(name)));
    }
    let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    for (at, import) in text.match_indices("from os import ") {
        let rest = &text[at + import.len()..];
        let last = if rest.starts_with('(') { b')' } else { b'\n' };
        let end = rest.bytes().take(IMPORTED).position(|c| c == last);
        let end = end.or((rest.len() <= IMPORTED).then_some(rest.len())).unwrap_or(0);
        found.extend(rest[..end].split(is_part).filter(|word| matches!(*word, "environ" | "getenv")));
    }
    found
}

/// Returns the variables that a shell script sets, with the first line of each. An assignment that falls
/// back to the variable's own value (`A=${A:-x}`) does not count.
fn list_assigned_names(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    if text.contains(RELEASE) {
        found.insert(RELEASE, 0);
    }
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        for (at, _) in line.match_indices(['=', '+']).take(20) {
            let name = last_name(&line[..at]);
            let rest = line[at..].trim_start_matches(['+', '=']);
            let is_own = names(rest, name) && !line[at..].starts_with('+');
            if !name.is_empty() && !is_own {
                found.entry(name).or_insert(index + 1);
            }
        }
        let words: Vec<&str> = line.split_whitespace().take(8).collect();
        // Variables that are local to a function are not part of the environment.
        if matches!(words.first(), Some(&("local" | "typeset"))) {
            for name in &words[1..] {
                let name = name.split('=').next().unwrap_or_default().trim_end_matches(';');
                if !names(line.split_once('=').map_or("", |(_, value)| value), name) {
                    found.entry(name).or_insert(index + 1);
                }
            }
        }
        for pair in words.windows(2).filter(|pair| matches!(pair[0], "for" | "read" | "-r" | "getopts")) {
            found.entry(pair[1].trim_end_matches(';')).or_insert(index + 1);
        }
    }
    found
}

/// Returns true if the text reads the variable, as `$NAME` or `${NAME`.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let is_read = text[..at].ends_with('$') || text[..at].ends_with("${");
            is_read && !text[at + name.len()..].starts_with(is_part)
        })
}

/// Returns the variable name at the end of a text; empty if it is part of a longer word.
fn last_name(text: &str) -> &str {
    let start = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let is_alone = start == 0 || text[..start].ends_with([' ', '\t', ';', '(', '"', '\'']);
    if is_alone { &text[start..] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::names_of_environment;

    #[test]
    fn names_of_the_environment_are_assigned_or_imported() {
        let text = "from os import (path,\n    getenv)\nfrom os import environ as e\n  env = os.environ  # all\nother = os.environ.copy()\nx.y = os.environ\n";
        assert_eq!(
            names_of_environment(text).into_iter().collect::<Vec<_>>(),
            ["e", "env", "environ", "getenv"]
        );
        let open = "from os import (".repeat(10_000);
        assert!(names_of_environment(&open).is_empty());
    }
}
