//! Paths and lines that a text names, looked up in the repository.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::commands::has_words;
use super::edits::TextEdits;
use crate::repo::{Case, CodeBase, Search, WalkLimits, search};

/// Endings of names that mark a file, besides those of the repository's own files.
const ENDINGS: &[&str] = &[
    "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "java", "kt", "scala", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "swift", "sh", "md", "rst", "adoc", "toml", "yaml", "yml", "json", "xml",
    "gradle", "lock", "cfg", "ini", "proto", "sql", "html", "css", "scss", "vue",
];
/// Most searches for names that are no files. Each reads the whole repository.
const SEARCHES: usize = 20;

/// The result of looking up a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceVerdict {
    /// It is no place, or it exists.
    Fine,
    /// It exists under this whole path.
    Completed(String),
    /// The file exists, its lines do not.
    Corrected(String),
    /// It does not exist.
    Missing,
}

impl PlaceVerdict {
    /// Returns true for a place that is not as the text says.
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self, Self::Corrected(_) | Self::Missing)
    }
}

/// The files and folders of a repository.
pub(super) struct PlaceIndex<'a> {
    code: &'a CodeBase,
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    by_name: BTreeMap<String, Vec<String>>,
    endings: BTreeSet<String>,
    lines: RefCell<BTreeMap<String, u32>>,
    searches: Cell<usize>,
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
        let (lines, searches) = (RefCell::default(), Cell::new(0));
        Self { code, files, folders, by_name, endings, lines, searches, known }
    }

    /// Looks up a text that may be a place: `path`, `path:12`, `path:12-20`, `path#L12-L20`.
    pub(super) fn judge(&self, text: &str) -> PlaceVerdict {
        let Some(place) = NamedPlace::parse(text) else { return PlaceVerdict::Fine };
        if has_words(self.known, text.trim()) {
            return PlaceVerdict::Fine;
        }
        let path = place.path.trim_start_matches("./").trim_end_matches('/');
        if self.exists(path) {
            return self.judge_lines(path, path == place.path, &place);
        }
        if !self.looks_like_path(path) {
            return PlaceVerdict::Fine;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let tail = format!("/{path}");
        let same: Vec<&String> =
            self.by_name.get(name).into_iter().flatten().filter(|known| known.ends_with(&tail)).collect();
        match same.as_slice() {
            [one] if place.lines.is_some() => self.judge_lines(one, false, &place),
            [_, ..] if place.lines.is_none() => PlaceVerdict::Fine,
            [_, ..] => PlaceVerdict::Corrected(path.to_owned()),
            [] if place.lines.is_none() && self.is_mentioned(path) => PlaceVerdict::Fine,
            [] => PlaceVerdict::Missing,
        }
    }

    /// Returns true for a file or a folder. Hidden and ignored files count too, although a walk leaves them out.
    fn exists(&self, path: &str) -> bool {
        let is_on_disk = || {
            let found = self.code.files().path(Path::new(path));
            found.is_ok_and(|found| found.absolute().exists())
        };
        self.files.contains(path) || self.folders.contains(path) || is_on_disk()
    }

    /// Checks the lines of a file that exists under `path`.
    fn judge_lines(&self, path: &str, is_exact: bool, place: &NamedPlace<'_>) -> PlaceVerdict {
        let Some((start, end)) = place.lines else { return PlaceVerdict::Fine };
        let count = self.line_count(path);
        if start == 0 || start > end || end > count {
            return PlaceVerdict::Corrected(path.to_owned());
        }
        if is_exact {
            return PlaceVerdict::Fine;
        }
        PlaceVerdict::Completed(if start == end {
            format!("{path}:{start}")
        } else {
            format!("{path}:{start}-{end}")
        })
    }

    fn line_count(&self, path: &str) -> u32 {
        *self.lines.borrow_mut().entry(path.to_owned()).or_insert_with(|| {
            let lines = self.code.text(path).map_or(0, |(_, text)| text.lines().count());
            u32::try_from(lines).unwrap_or(u32::MAX)
        })
    }

    /// Returns true for a text that names a file of this repository or nothing else.
    fn looks_like_path(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        let first = path.split('/').next().unwrap_or_default();
        let is_inside = path.contains('/') && self.folders.contains(first);
        ending.is_some_and(|ending| self.endings.contains(ending)) || is_inside
    }

    /// Returns true if a file of the repository has this name in its text: an output, or a file that its users make.
    fn is_mentioned(&self, path: &str) -> bool {
        if self.searches.get() == SEARCHES {
            return false;
        }
        self.searches.set(self.searches.get() + 1);
        let mut wanted = Search::new(escape(path));
        (wanted.case, wanted.limit) = (Case::Sensitive, 1);
        search(&**self.code.files(), &wanted).is_ok_and(|found| !found.hits.is_empty())
    }
}

/// Returns a pattern that matches a text as it is.
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

/// A place as a text names it.
struct NamedPlace<'a> {
    path: &'a str,
    lines: Option<(u32, u32)>,
}

impl<'a> NamedPlace<'a> {
    /// Parses a text without blanks; `None` if it cannot be a path below the root.
    fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (path, lines) = match text.split_once("#L") {
            Some((path, lines)) => (path, parse_lines(lines)),
            None => match text.rsplit_once(':') {
                Some((path, lines)) if parse_lines(lines).is_some() => (path, parse_lines(lines)),
                _ => (text, None),
            },
        };
        let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '+' | '@');
        let is_path = path.chars().all(is_of_path) && path.chars().any(char::is_alphanumeric);
        let is_below = !path.starts_with(['/', '@', '-']) && !path.contains("//") && path.len() > 1;
        (is_path && is_below && !path.contains("..")).then_some(Self { path, lines })
    }
}

/// Parses `12`, `12-20` or `L12-L20`.
fn parse_lines(text: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
    match text.split_once(['-', '–']) {
        Some((start, end)) => Some((number(start)?, number(end)?)),
        None => number(text).map(|line| (line, line)),
    }
}

/// Checks places in prose: in brackets, as the target of a link, or with lines. Returns the number of wrong ones.
pub(super) fn check_prose(range: Range<usize>, index: &PlaceIndex<'_>, edits: &mut TextEdits<'_>) -> usize {
    let text = edits.text();
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ',' | ';' | '"' | '\'' | '|');
    let mut wrong = 0;
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let word = rest.split(is_end).next().unwrap_or_default();
        let trimmed = word.trim_end_matches(['.', ':', '!', '?', '*', '_']);
        let place = at..at + trimmed.len();
        let before = text[..at].chars().next_back();
        let is_bracketed =
            matches!(before, Some('[' | '(')) && matches!(text[place.end..].chars().next(), Some(']' | ')'));
        let has_lines = NamedPlace::parse(trimmed).is_some_and(|place| place.lines.is_some());
        if (is_bracketed || has_lines) && trimmed.contains('.') {
            let verdict = index.judge(trimmed);
            wrong += usize::from(verdict.is_wrong());
            match verdict {
                PlaceVerdict::Fine => {}
                PlaceVerdict::Completed(path) | PlaceVerdict::Corrected(path) => edits.replace(place, path),
                PlaceVerdict::Missing if is_bracketed => {
                    // With the blank before the bracket.
                    let before = text[..place.start - 1].trim_end_matches(' ').len().max(range.start);
                    edits.replace(before..place.end + 1, String::new());
                }
                PlaceVerdict::Missing => edits.replace(place, format!("{trimmed} (not in the repository)")),
            }
        }
        at += word.len();
        at += text[at..range.end].chars().next().map_or(1, char::len_utf8);
    }
    wrong
}
