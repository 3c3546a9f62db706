//! Paths and lines that a text names, looked up in the repository.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::commands::has_words;
use super::named_place::{NamedLines, NamedPlace};
use crate::repo::{Case, CodeBase, Language, Search, WalkLimits, search};

/// Endings of names that mark a file, besides those of the repository's own files.
const ENDINGS: &[&str] = &[
    "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "java", "kt", "scala", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "swift", "sh", "md", "rst", "adoc", "toml", "yaml", "yml", "json", "xml",
    "gradle", "lock", "cfg", "ini", "proto", "sql", "html", "css", "scss", "vue",
];
/// Most hits of a quotation that are looked at.
const CODE_HITS: usize = 10;
/// Most places of one text that are looked up; further ones count as missing. Each lookup reads the known text.
const LOOKUPS: usize = 5_000;
/// Most searches for names that are no files. Each reads the whole repository.
const SEARCHES: usize = 20;

/// The result of looking up a place that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceVerdict {
    /// It is no place, or it exists.
    Fine,
    /// It exists under this whole path.
    Completed(String),
    /// The file or folder exists, its lines do not.
    WrongLines(String),
    /// Several files have this path at their end.
    Ambiguous(String),
    /// It does not exist, or it is outside of the repository.
    Missing,
}

impl PlaceVerdict {
    /// Returns true for a place that must be marked: missing, ambiguous, or with wrong lines.
    pub(super) fn is_wrong(&self) -> bool {
        self.mark().is_some()
    }

    /// Returns the words that mark a wrong place in the text; `None` for a right one.
    pub(super) fn mark(&self) -> Option<&'static str> {
        match self {
            Self::Fine | Self::Completed(_) => None,
            Self::WrongLines(_) => Some("line not found"),
            Self::Ambiguous(_) => Some("several files have this name"),
            Self::Missing => Some("not in the repository"),
        }
    }
}

/// Index of the files and folders of a repository, in which the places of a text are looked up.
pub(super) struct PlaceIndex<'a> {
    code: &'a CodeBase,
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    by_name: BTreeMap<String, Vec<String>>,
    endings: BTreeSet<String>,
    lines: RefCell<BTreeMap<String, u32>>,
    searches: Cell<usize>,
    lookups: Cell<usize>,
    /// A text whose places are true.
    known: &'a str,
}

impl<'a> PlaceIndex<'a> {
    pub(super) fn new(code: &'a CodeBase, known: &'a str) -> Self {
        let walk = code.files().walk(WalkLimits::default());
        let files: BTreeSet<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
        let (mut folders, mut by_name) = (BTreeSet::new(), BTreeMap::<String, Vec<String>>::new());
        let mut endings: BTreeSet<String> = ENDINGS.iter().map(|ending| (*ending).to_owned()).collect();
        for path in &files {
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(name.to_owned()).or_default().push(path.clone());
            if let Some((stem, ending)) = name.rsplit_once('.')
                && !stem.is_empty()
            {
                endings.insert(ending.to_owned());
            }
            let above = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
            folders.extend(above);
        }
        let (lines, searches, lookups) = (RefCell::default(), Cell::new(0), Cell::new(0));
        Self { code, files, folders, by_name, endings, lines, searches, lookups, known }
    }

    /// Looks up a text that may be a place (`path`, `path:12`, `path:12-20`, `path#L12-L20`) and returns the
    /// verdict; `Fine` if it is no place.
    pub(super) fn judge(&self, text: &str) -> PlaceVerdict {
        let Some(place) = NamedPlace::parse(text) else { return PlaceVerdict::Fine };
        self.lookups.set(self.lookups.get() + 1);
        if self.lookups.get() > LOOKUPS {
            return if place.has_lines() { PlaceVerdict::Missing } else { PlaceVerdict::Fine };
        }
        if place.is_outside() {
            // Without lines it may be a route, or a place on a server.
            return if place.has_lines() { PlaceVerdict::Missing } else { PlaceVerdict::Fine };
        }
        if has_words(self.known, text.trim()) {
            return PlaceVerdict::Fine;
        }
        let path = place.path.trim_start_matches("./").trim_end_matches('/');
        if self.exists(path) {
            return self.judge_lines(path, path == place.path, place.lines);
        }
        if !self.looks_like_path(path) {
            return PlaceVerdict::Fine;
        }
        self.judge_ending(path, place.lines)
    }

    /// Looks up a path that is no whole path: the files whose paths end with it.
    fn judge_ending(&self, path: &str, lines: NamedLines) -> PlaceVerdict {
        let name = path.rsplit('/').next().unwrap_or(path);
        let tail = format!("/{path}");
        let same: Vec<&String> =
            self.by_name.get(name).into_iter().flatten().filter(|known| known.ends_with(&tail)).collect();
        match (same.as_slice(), lines) {
            ([], NamedLines::None) if self.is_mentioned(path) || self.ends_names(path) => PlaceVerdict::Fine,
            ([], _) => PlaceVerdict::Missing,
            (_, NamedLines::None) => PlaceVerdict::Fine,
            ([one], _) => self.judge_lines(one, false, lines),
            _ => PlaceVerdict::Ambiguous(path.to_owned()),
        }
    }

    /// Returns true for the end of existing file names, such as `_test.go` or `.spec.ts`, which is no path.
    fn ends_names(&self, path: &str) -> bool {
        path.starts_with(['_', '.', '-']) && self.by_name.keys().any(|name| name.ends_with(path))
    }

    /// Returns true if the path is a file or a folder of the repository, hidden and ignored ones included.
    pub(super) fn exists(&self, path: &str) -> bool {
        let is_on_disk = || {
            let found = self.code.files().path(Path::new(path));
            found.is_ok_and(|found| found.absolute().exists())
        };
        self.files.contains(path) || self.folders.contains(path) || is_on_disk()
    }

    /// Checks the lines of the file at `path`. A folder has none. Unless the text named the whole path
    /// (`is_exact`), right lines give `Completed`.
    fn judge_lines(&self, path: &str, is_exact: bool, lines: NamedLines) -> PlaceVerdict {
        let (start, end) = match lines {
            NamedLines::None => return PlaceVerdict::Fine,
            NamedLines::Malformed => return PlaceVerdict::WrongLines(path.to_owned()),
            NamedLines::Range(start, end) => (start, end),
        };
        if start == 0 || start > end || end > self.line_count(path) {
            return PlaceVerdict::WrongLines(path.to_owned());
        }
        if is_exact {
            return PlaceVerdict::Fine;
        }
        let lines = if start == end { format!("{start}") } else { format!("{start}-{end}") };
        PlaceVerdict::Completed(format!("{path}:{lines}"))
    }

    fn line_count(&self, path: &str) -> u32 {
        *self.lines.borrow_mut().entry(path.to_owned()).or_insert_with(|| {
            let lines = self.code.text(path).map_or(0, |(_, text)| text.lines().count());
            u32::try_from(lines).unwrap_or(u32::MAX)
        })
    }

    /// Returns true if a text can only mean a file: it has the ending of a file, or begins with a folder of
    /// the repository.
    fn looks_like_path(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        let first = path.split('/').next().unwrap_or_default();
        let is_inside = path.contains('/') && self.folders.contains(first);
        ending.is_some_and(|ending| self.endings.contains(ending)) || is_inside
    }

    /// Returns true if a source file of the repository contains this text.
    pub(super) fn is_in_code(&self, text: &str) -> bool {
        let Some(found) = self.search(text, CODE_HITS) else { return false };
        found.iter().any(|path| Language::of_path(Path::new(path)).is_some())
    }

    /// Returns true if the text of a file contains this path: it may be an output, or a file that users make.
    fn is_mentioned(&self, path: &str) -> bool {
        self.search(path, 1).is_some_and(|found| !found.is_empty())
    }

    /// Searches all files for a text and returns the paths of the first `limit` hits; `None` after 20
    /// searches.
    fn search(&self, text: &str, limit: usize) -> Option<Vec<String>> {
        if self.searches.get() == SEARCHES {
            return None;
        }
        self.searches.set(self.searches.get() + 1);
        let mut wanted = Search::new(escape(text));
        (wanted.case, wanted.limit) = (Case::Sensitive, limit);
        let found = search(&**self.code.files(), &wanted).ok()?;
        Some(found.hits.into_iter().map(|hit| hit.path).collect())
    }
}

/// Returns a regular expression that matches the text literally.
fn escape(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if !(c.is_alphanumeric() || matches!(c, '_' | '/')) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
