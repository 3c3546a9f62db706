//! Recognizes a project's own functions that read environment variables, by the words in their names.

use stategraph_repo::{Language, ParsedFile, Site, SiteArgument, SiteKind};

use super::variables::is_upper;
use crate::calls::{default_of, last, positional};

/// Words in names of functions that change the environment instead of reading it.
const CHANGES: &[&str] =
    &["set", "put", "del", "delete", "unset", "remove", "clear", "patch", "mock", "with", "add", "write"];

/// Returns the argument with the variable's name, and the default, of a call of a project's own function
/// that reads an environment variable, recognised by its name: `get_environment_value("APP_HOME")`,
/// `envOr("APP_PORT", "80")`.
pub(super) fn read_by_helper<'a>(
    file: &ParsedFile<'a>,
    site: &'a Site,
) -> Option<(&'a SiteArgument, Option<String>)> {
    if file.outline.language == Language::Bash || site.kind != SiteKind::Call || site.is_test {
        return None;
    }
    let words = words_of(last(&site.name));
    let is_environment = words.iter().any(|word| matches!(word.as_str(), "env" | "environ" | "environment"));
    let is_change = words.iter().any(|word| CHANGES.contains(&word.as_str()));
    let name =
        positional(site, 0).filter(|it| it.is_literal && is_upper(&it.text) && it.text.contains('_'))?;
    // `command.env("APP_HOME", home)` sets a variable of another program.
    let is_setter = words.len() == 1 && site.name.contains('.') && positional(site, 1).is_some();
    let default = || positional(site, 1).and_then(default_of);
    (is_environment && !is_change && !is_setter).then(|| (name, default()))
}

/// Splits a name into its words in lower case: `getEnvOr` and `get_env_or` → `get`, `env`, `or`.
fn words_of(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            found.push(String::new());
        }
        was_lower = c.is_lowercase();
        let word = found.last_mut().expect("the list starts with a word");
        word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    found
}
