//! Looks up the names and places that a model writes: in the facts, else in the files. The lookup in files is one value, so that a
//! recording holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::hidden::is_private;
use crate::facts::SourceLines;
use crate::repo::{Case, CodeBase, Search, tally};
use crate::workflows::doc_phases::memory::{Memory, parse_place};

/// Maximum number of names that one call looks up in files.
const NAMES: usize = 200;
/// Number of names in one search.
const NAMES_AT_ONCE: usize = 50;

/// Names and paths in a model's entries that are looked up in the files of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LookupRequest {
    /// Identifiers that may be anywhere.
    pub(super) names: BTreeSet<String>,
    /// Files whose lines are counted.
    pub(super) files: BTreeSet<String>,
    /// Paths that may be files or folders.
    pub(super) paths: BTreeSet<String>,
}

/// Result of looking up a [`LookupRequest`]: those that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LookupResult {
    /// The wanted names that the files contain.
    names: BTreeSet<String>,
    /// Number of lines of the wanted files that are text.
    lines: BTreeMap<String, usize>,
    /// The wanted paths that exist.
    paths: BTreeSet<String>,
}

impl LookupRequest {
    /// Looks all names and paths up in the repository. Reads all files if a name is wanted. Names beyond the
    /// first [`NAMES`] count as found.
    pub(super) fn look(&self, code: &CodeBase) -> LookupResult {
        let mut seen = LookupResult::default();
        let names: Vec<&String> = self.names.iter().take(NAMES).collect();
        for chunk in names.chunks(NAMES_AT_ONCE) {
            let alternatives: Vec<String> = chunk.iter().map(|name| format!(r"\b{name}\b")).collect();
            let search =
                Search { case: Case::Sensitive, limit: NAMES_AT_ONCE, ..Search::new(alternatives.join("|")) };
            if let Ok(found) = tally(&**code.files(), &search) {
                seen.names.extend(found.counts.into_iter().map(|count| count.text));
            }
        }
        // Beyond the bound nothing is doubted.
        seen.names.extend(self.names.iter().skip(NAMES).cloned());
        for path in self.files.iter().filter(|path| !is_private(path)) {
            if let Ok((_, text)) = code.text(path) {
                seen.lines.insert(path.clone(), text.lines().count());
            }
        }
        let files = &**code.files();
        let exists = |path: &&String| {
            let found = files.path(Path::new(path.as_str()));
            found.is_ok_and(|found| files.file_exists(&found) || files.list(&found).is_ok())
        };
        seen.paths = self.paths.iter().filter(exists).cloned().collect();
        seen
    }
}

/// Names, components and paths that exist in the repository, against which a model's entries are checked:
/// from the facts, from the agent's memory, and from a lookup in the files.
pub(super) struct RepositoryNames<'a> {
    defined: BTreeSet<String>,
    components: BTreeSet<String>,
    seen: LookupResult,
    memory: &'a Memory,
}

impl<'a> RepositoryNames<'a> {
    /// Collects the names that the facts define, and the components of the agent's memory and `components`.
    /// Files and paths are unknown before [`Self::with_seen`].
    pub(super) fn new(memory: &'a Memory, components: impl IntoIterator<Item = String>) -> Self {
        let facts = memory.facts();
        let parts = facts.definitions.values().flat_map(BTreeMap::keys).flat_map(|name| name.split('.'));
        let defined = parts.map(str::to_owned).collect();
        let components = memory.index().components_discovered.into_iter().chain(components).collect();
        Self { defined, components, seen: LookupResult::default(), memory }
    }

    pub(super) fn with_seen(mut self, seen: LookupResult) -> Self {
        self.seen = seen;
        self
    }

    /// Returns true if the facts define the identifier or the looked-up files contain it.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.defined.contains(name) || self.seen.names.contains(name)
    }

    /// Returns true if a component has this id.
    pub(super) fn has_component(&self, id: &str) -> bool {
        self.components.contains(id)
    }

    /// Returns the reason why these lines do not exist: no such text file, or too few lines. `None` if they
    /// exist.
    pub(super) fn place_problem(&self, lines: &SourceLines) -> Option<String> {
        match self.seen.lines.get(&lines.path) {
            None => Some(format!("there is no text file `{}`", lines.path)),
            Some(all) if lines.end > *all => Some(format!("`{}` has {all} lines", lines.path)),
            Some(_) => None,
        }
    }

    /// Returns true if the path was looked up and is a text file.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.seen.lines.contains_key(path)
    }

    /// Returns true if the path was looked up and is a file or folder.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.seen.paths.contains(path)
    }

    /// Returns the id of the component that contains a file; `None` if none or several do.
    pub(super) fn component_of(&self, path: &str) -> Option<String> {
        let changes = crate::repo::Changes { changed: vec![path.to_owned()], ..Default::default() };
        let mut found = self.memory.affected_components(&changes).components.into_iter();
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// Returns the identifiers in a written name: `Byte::color()` gives `Byte` and `color`. Empty if the text is
/// no name.
pub(super) fn identifiers(written: &str) -> Vec<&str> {
    let bare = written
        .split(['(', '<', '[', '{', '!'])
        .next()
        .unwrap_or_default()
        .trim_start_matches(['&', '*', '@', '.', '#', '$']);
    let parts: Vec<&str> =
        bare.split("::").flat_map(|part| part.split(['.', '#'])).filter(|part| !part.is_empty()).collect();
    let is_identifier = |part: &&str| {
        part.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !part.starts_with(|c: char| c.is_ascii_digit())
    };
    if !parts.is_empty() && parts.iter().all(is_identifier) { parts } else { Vec::new() }
}

/// Returns the texts between pairs of backticks, trimmed, without empty ones.
pub(super) fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|span| !span.is_empty())
}

/// Returns the lines of files that a text names, such as `src/a.rs:12-14`. The file name must contain a dot.
pub(super) fn places(text: &str) -> impl Iterator<Item = SourceLines> + '_ {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '[' | ']' | '(' | ')' | ',' | ';'));
    let word = |word: &str| parse_place(word.trim_end_matches('.'));
    words.filter_map(word).filter(|lines| lines.path.contains('.') && !lines.path.contains("//"))
}

#[cfg(test)]
mod tests {
    use super::{identifiers, places};

    #[test]
    fn a_name_is_taken_apart_and_what_is_none_is_left() {
        assert_eq!(identifiers("Byte::color()"), ["Byte", "color"]);
        assert_eq!(identifiers("Vec<String>"), ["Vec"]);
        assert_eq!(identifiers("self.name"), ["self", "name"]);
        for text in ["cargo test", "--flag", "src/a.rs", "", "42"] {
            assert!(identifiers(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn places_in_a_text_are_found() {
        let found: Vec<String> = places("See `src/a.rs:3` and (b.py:4-9). At 10:30, http://x.y:80.")
            .map(|lines| lines.to_string())
            .collect();
        assert_eq!(found, ["src/a.rs:3", "b.py:4-9"]);
    }
}
