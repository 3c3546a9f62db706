//! Searches the text of a code base with ripgrep's own libraries (DOC-56, 66; CTX-41, 134 to 137). Selects and orders the matches; the
//! libraries find the lines.

mod hits;
mod show;
mod tally;

use std::path::PathBuf;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use thiserror::Error;

use super::LeftOut;
use super::files::Files;
use super::limit::{CONTEXT_LINES, PATTERN_BYTES, SEARCH_LINE_BYTES};
use super::parallel::parallel;
use super::walk::{Walk, WalkLimits, WalkedFile};
use hits::FileHits;
pub use tally::{Count, Tally, tally};

/// A text search: a pattern, the files to search, and the form of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A regular expression, of ripgrep's syntax.
    pub pattern: String,
    /// Tells whether upper and lower case differ.
    pub case: Case,
    /// Only files with one of these extensions, without the dot; all if empty.
    pub extensions: Vec<String>,
    /// Only files below this path; all if empty.
    pub under: PathBuf,
    /// Number of lines shown before and after a match, at most [`CONTEXT_LINES`].
    pub context: usize,
    /// Maximum number of matching lines that are shown. All are counted.
    pub limit: usize,
}

/// The sensitivity of a search to upper and lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Upper and lower case differ.
    Sensitive,
    /// Upper and lower case are equal (DOC-66).
    Insensitive,
}

impl Search {
    /// Makes a search for `pattern` everywhere, with the defaults of the original `grep` tool: case ignored, no context, 20 lines (DOC-66).
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            case: Case::Insensitive,
            extensions: Vec::new(),
            under: PathBuf::new(),
            context: 0,
            limit: 20,
        }
    }
}

/// The result of a search: the matching lines. Displays as `path:line: text`, context lines as `path-line-
/// text`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The first matching lines, up to the limit: those in code, then in tests, then in other files; within
    /// each by path, then by line (CTX-135, ENG-18).
    pub hits: Vec<Hit>,
    /// Number of all matching lines, shown or not.
    pub lines: usize,
    /// Number of files with a matching line.
    pub files: usize,
    /// Number of files that were searched.
    pub searched: usize,
    /// Number of binary files, which were skipped (CTX-136).
    pub binary: usize,
    /// Entries that the walk omitted, and files that could not be read or searched completely.
    pub left_out: LeftOut,
}

/// A matching line of a search, with the lines of context around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Path of the file, relative to the root.
    pub path: String,
    /// Line number, from 1.
    pub line: u64,
    /// Text of the line without its line break, cut around the match if it is long. Bytes that are not UTF-8
    /// become U+FFFD.
    pub text: String,
    /// The lines of context before it, in order. A line between two matches is in `after` of the first only.
    pub before: Vec<String>,
    /// The lines of context after it, in order.
    pub after: Vec<String>,
}

/// Searches the text of all files of a repository within the scope of `search`. Fails for an invalid pattern.
/// The result does not depend on the number of threads.
pub fn search(files: &dyn Files, search: &Search) -> Result<Found, SearchError> {
    let matcher = matcher(search)?;
    let walk = files.walk(WalkLimits::default());
    Ok(search_walk(files, search, &matcher, walk))
}

fn search_walk(files: &dyn Files, search: &Search, matcher: &RegexMatcher, walk: Walk) -> Found {
    let left_out = walk.left_out.clone();
    let ranked = rank_files(search, walk);
    let parts = parallel(
        ranked.len(),
        || Worker::new(search),
        |worker, index| {
            worker.search(files, matcher, index, &ranked[index].1);
        },
    );
    let mut found = Found { searched: ranked.len(), left_out, ..Found::default() };
    let mut hits = Vec::new();
    for part in parts {
        found.lines += part.lines;
        found.files += part.files;
        found.binary += part.binary;
        part.problems.into_iter().for_each(|problem| found.left_out.count_problem(problem));
        hits.extend(part.hits);
    }
    // Each thread has its own first hits, in order, at least as many as are shown.
    hits.sort_by_key(|(index, hit)| (*index, hit.line));
    found.hits = hits.into_iter().take(search.limit).map(|(_, hit)| hit).collect();
    found.left_out.problems.sort();
    found
}

/// Returns the files within the scope of the search, code first, then tests, then others.
fn rank_files(search: &Search, walk: Walk) -> Vec<(FileRank, WalkedFile)> {
    let taken = walk.files.into_iter().filter(|file| search.takes(file));
    let mut ranked: Vec<(FileRank, WalkedFile)> = taken.map(|file| (FileRank::of(&file), file)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked
}

fn searcher(search: &Search) -> Searcher {
    let context = search.context.min(CONTEXT_LINES);
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(SEARCH_LINE_BYTES))
        .build()
}

/// The part of a search's result that one thread collects.
struct Worker<'s> {
    search: &'s Search,
    searcher: Searcher,
    hits: Vec<(usize, Hit)>,
    lines: usize,
    files: usize,
    binary: usize,
    problems: Vec<String>,
}

impl<'s> Worker<'s> {
    fn new(search: &'s Search) -> Self {
        let searcher = searcher(search);
        Self { search, searcher, hits: Vec::new(), lines: 0, files: 0, binary: 0, problems: Vec::new() }
    }

    fn search(&mut self, files: &dyn Files, matcher: &RegexMatcher, index: usize, file: &WalkedFile) {
        let reader = match files.open(&file.path) {
            Ok(reader) => reader,
            Err(error) => return self.problems.push(error.to_string()),
        };
        let room = self.search.limit.saturating_sub(self.hits.len());
        let mut seen = FileHits::new(matcher, room);
        if let Err(error) = self.searcher.search_reader(matcher, reader, &mut seen) {
            self.problems.push(format!("`{}` was not searched to its end: {error}", file.path));
        }
        if seen.is_binary {
            self.binary += 1;
            return;
        }
        self.lines += seen.lines;
        self.files += usize::from(seen.lines > 0);
        let path = file.path.to_string();
        self.hits.extend(seen.hits.into_iter().map(|hit| (index, Hit { path: path.clone(), ..hit })));
    }
}

impl Search {
    fn takes(&self, file: &WalkedFile) -> bool {
        let path = file.path.relative();
        let extension = path.extension().and_then(|found| found.to_str());
        let wanted = |wanted: &String| Some(wanted.trim_start_matches('.')) == extension;
        path.starts_with(&self.under) && (self.extensions.is_empty() || self.extensions.iter().any(wanted))
    }
}

/// Compiles the pattern of a search. Fails for invalid and too large patterns.
fn matcher(search: &Search) -> Result<RegexMatcher, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(search.case == Case::Insensitive)
        .line_terminator(Some(b'\n'))
        .crlf(true)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES);
    let failed = |error: grep_regex::Error| SearchError {
        pattern: super::cut(&search.pattern, 200).kept.to_owned(),
        reason: error.to_string(),
    };
    builder.build(&search.pattern).map_err(failed)
}

/// The rank of a file in the results of a search, by its name and folders: code first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileRank {
    Code,
    Test,
    Other,
}

/// Extensions that count as program code for the rank of a file, sorted.
const CODE: &[&str] = &[
    "bash", "c", "cc", "cpp", "cs", "css", "cxx", "dart", "ex", "exs", "go", "h", "hh", "hpp", "hs", "java",
    "js", "jsx", "kt", "kts", "lua", "m", "mjs", "ml", "php", "pl", "proto", "py", "pyi", "r", "rb", "rs",
    "scala", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue", "zig",
];

impl FileRank {
    pub(super) fn of(file: &WalkedFile) -> Self {
        let path = file.path.relative();
        let is_code = path
            .extension()
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| CODE.binary_search(&ending).is_ok());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let tests = ["test", "tests", "spec", "__tests__"];
        let in_tests = path
            .parent()
            .is_some_and(|folder| folder.iter().any(|name| tests.iter().any(|test| name == *test)));
        let is_test = name.starts_with("test_")
            || [".test", "_test", ".spec", "_spec"].iter().any(|end| name.ends_with(end));
        match () {
            () if !is_code => Self::Other,
            () if in_tests || is_test => Self::Test,
            () => Self::Code,
        }
    }
}

/// The error of a pattern that is not a valid regular expression (CTX-134).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid pattern `{pattern}`: {reason}")]
pub struct SearchError {
    /// As it was given, cut.
    pub pattern: String,
    /// The reason.
    pub reason: String,
}

impl SearchError {
    /// Returns a hint for the user: how to correct the pattern.
    pub fn hint(&self) -> &'static str {
        "put a backslash before each of ( ) [ ] { } . * + ? ^ $ | \\ that is meant as itself"
    }
}
