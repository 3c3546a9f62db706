//! Finds environment variables whose names are constants: `EnvServerPort = "SHOP_SERVER_PORT"`, in a
//! package that reads a variable by a given name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph_repo::{FileOutline, SymbolInfo, SymbolKind};

use super::{ParsedSetting, fact};
use crate::collect::Texts;
use crate::fact::{Fact, PathRole, SettingForm, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;

/// Maximum number of files with such constants.
const FILES: usize = 40;
/// Maximum number of files of a folder that are searched for a call that reads the environment.
const BESIDE: usize = 40;
/// Maximum number of constants of one file.
const NAMES: usize = 500;

/// Beginnings of calls that read an environment variable.
const READERS: &[&str] = &[
    "os.Getenv(",
    "os.LookupEnv(",
    "os.environ[",
    "os.environ.get(",
    "os.getenv(",
    "process.env[",
    "System.getenv(",
    "env::var(",
    "env::var_os(",
    "GetEnvironmentVariable(",
    "ENV[",
    "ENV.fetch(",
    "getenv(",
];

/// Returns the environment variables named by constants, if a file in the same folder reads variables by a
/// name that is no literal.
pub(super) fn settings(texts: &Texts, outlines: &[Arc<FileOutline>]) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut readers: BTreeMap<&str, bool> = BTreeMap::new();
    let has_names = |outline: &&Arc<FileOutline>| {
        role_of(&outline.path) == PathRole::Runtime && constants(outline).next().is_some()
    };
    for outline in outlines.iter().filter(has_names).take(FILES) {
        let folder = folder_of(&outline.path);
        let is_read = *readers.entry(folder).or_insert_with(|| reads_environment(folder, outlines, texts));
        let Some(text) = is_read.then(|| texts.read(&outline.path)).flatten() else { continue };
        let lines: Vec<&str> = text.lines().collect();
        for symbol in constants(outline).take(NAMES) {
            let line = lines.get(symbol.name_line.saturating_sub(1)).copied().unwrap_or_default();
            let Some(name) = value(line, &symbol.name) else { continue };
            let setting = ParsedSetting::new(SettingForm::Variable, name);
            found.extend(fact(setting, &outline.path, SourceLines::line(&outline.path, symbol.name_line)));
        }
    }
    found
}

/// Returns the constants of a file whose names say that they hold the name of an environment variable.
fn constants(outline: &FileOutline) -> impl Iterator<Item = &SymbolInfo> {
    let is_value = |symbol: &&SymbolInfo| matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field);
    outline.walk().map(|(_, symbol)| symbol).filter(is_value).filter(|it| is_named(&it.name))
}

/// Returns true if a constant's name shows that it holds the name of an environment variable: `EnvPort`,
/// `ENV_PORT`, `PORT_ENV`.
fn is_named(name: &str) -> bool {
    let capital =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    capital("Env") || capital("env") || name.starts_with("ENV_") || name.ends_with("_ENV")
}

/// Returns the name of an environment variable that a line assigns to the constant `name`: capitals in at
/// least two words.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let after = line.split_once(name)?.1;
    let (_, right) = after.split_once('=')?;
    let quoted = right.trim_start();
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (text, rest) = quoted[1..].split_once(quote)?;
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_alone = rest.trim_start().is_empty() || rest.trim_start().starts_with([';', ',', '/', '#']);
    (is_alone && text.contains('_') && !text.ends_with('_') && text.len() >= 4 && text.chars().all(is_part))
        .then_some(text)
}

/// Returns true if a file of the folder reads an environment variable by a name that is no literal.
fn reads_environment(folder: &str, outlines: &[Arc<FileOutline>], texts: &Texts) -> bool {
    let beside: BTreeSet<&str> = outlines
        .iter()
        .map(|it| it.path.as_str())
        .filter(|path| folder_of(path) == folder)
        .take(BESIDE)
        .collect();
    let is_named = |text: &str, call: &str| {
        text.match_indices(call).any(|(at, found)| {
            text[at + found.len()..].trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_')
        })
    };
    beside
        .iter()
        .filter_map(|path| texts.read(path))
        .any(|text| READERS.iter().any(|call| is_named(&text, call)))
}

#[cfg(test)]
mod tests {
    use super::{is_named, value};

    #[test]
    fn constants_hold_names_of_variables_in_capitals() {
        for (line, name, expected) in [
            ("\tEnvServerPort   = \"SHOP_SERVER_PORT\"", "EnvServerPort", Some("SHOP_SERVER_PORT")),
            ("PORT_ENV = 'SHOP_PORT'", "PORT_ENV", Some("SHOP_PORT")),
            ("const ENV_HOME: &str = \"SHOP_HOME\";", "ENV_HOME", Some("SHOP_HOME")),
            ("const ENV_PRODUCTION = \"PRODUCTION\"", "ENV_PRODUCTION", None),
            ("const EnvNamespace = \"SHOP_\"", "EnvNamespace", None),
            ("const EnvKind = \"shop_kind\"", "EnvKind", None),
            ("const EnvAll = \"SHOP_A\" + other", "EnvAll", None),
        ] {
            assert!(is_named(name), "{name}");
            assert_eq!(value(line, name), expected, "{line}");
        }
        assert!(!is_named("Environment") && !is_named("Envelope"));
    }
}
