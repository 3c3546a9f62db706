//! Counts the texts that a pattern matches in a code base, most frequent first. ripgrep's libraries find the lines; mod.rs selects the
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

use grep_matcher::{Captures, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkFinish, SinkMatch};

use super::{LeftOut, Search, SearchError, matcher, rank_files, searcher};
use crate::files::Files;
use crate::limit::{TALLY_BYTES, TALLY_TEXTS};
use crate::walk::{WalkLimits, WalkedFile};

/// The texts that a pattern matches, with their numbers of lines and files. Displays as a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The texts with the most lines, up to [`limit`](Search::limit); equal ones by text.
    pub counts: Vec<Count>,
    /// Number of different texts.
    pub different: usize,
    /// Number of lines with a match.
    pub lines: usize,
    /// Number of files with a match.
    pub files: usize,
    /// Entries that the walk omitted, and files that could not be read or searched completely.
    pub left_out: LeftOut,
}

/// A text that a pattern matches, with the number of its lines and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The text of the first group of the pattern that takes part in the match; the whole match for a pattern
    /// without groups.
    pub text: String,
    /// Number of lines with this text.
    pub lines: usize,
    /// Number of files with this text.
    pub files: usize,
}

/// Counts the different texts that the pattern of `search` matches in the files of a repository. Not counted
/// are texts beyond [`TALLY_TEXTS`](crate::limit::TALLY_TEXTS) different ones, and those of more than
/// [`TALLY_BYTES`](crate::limit::TALLY_BYTES) bytes.
///
/// ```
/// use stategraph_repo::{MemoryFiles, Search, tally};
///
/// let files = MemoryFiles::new([("a.rs", "struct Order;\nfn f(o: Order, p: Order) {}"), ("b.rs", "use Order;")]);
/// let found = tally(&files, &Search::new(r"\bOrder\b")).unwrap();
/// assert_eq!(found.to_string(), "Order: 3 lines in 2 files");
/// ```
pub fn tally(files: &dyn Files, search: &Search) -> Result<Tally, SearchError> {
    let matcher = matcher(search)?;
    let walk = files.walk(WalkLimits::default());
    let mut found = Tally { left_out: walk.left_out.clone(), ..Tally::default() };
    let mut known: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    // One file after the other, so that the texts beyond the limit are always the same.
    for (_, file) in rank_files(search, walk) {
        found.look(files, search, &matcher, &file, &mut known);
    }
    found.different = known.len();
    let mut counts: Vec<Count> =
        known.into_iter().map(|(text, (lines, files))| Count { text, lines, files }).collect();
    counts.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.text.cmp(&b.text)));
    counts.truncate(search.limit);
    found.counts = counts;
    found.left_out.problems.sort();
    Ok(found)
}

impl Tally {
    fn look(
        &mut self,
        files: &dyn Files,
        search: &Search,
        matcher: &RegexMatcher,
        file: &WalkedFile,
        known: &mut BTreeMap<String, (usize, usize)>,
    ) {
        let reader = match files.open(&file.path) {
            Ok(reader) => reader,
            Err(error) => return self.left_out.count_problem(error.to_string()),
        };
        let mut own = FileTally::new(matcher);
        if let Err(error) = searcher(search).search_reader(matcher, reader, &mut own) {
            self.left_out.count_problem(format!("`{}` was not searched to its end: {error}", file.path));
        }
        if own.is_binary {
            return;
        }
        self.lines += own.lines;
        self.files += usize::from(own.lines > 0);
        for (text, lines) in own.texts {
            if known.len() < TALLY_TEXTS || known.contains_key(&text) {
                let (all, files) = known.entry(text).or_default();
                *all += lines;
                *files += 1;
            }
        }
    }
}

/// The texts that a pattern matches in one file, with their numbers of lines.
struct FileTally<'m> {
    matcher: &'m RegexMatcher,
    captures: grep_regex::RegexCaptures,
    texts: BTreeMap<String, usize>,
    lines: usize,
    is_binary: bool,
}

impl<'m> FileTally<'m> {
    fn new(matcher: &'m RegexMatcher) -> Self {
        let captures = matcher.new_captures().expect("the matcher of regular expressions never fails");
        Self { matcher, captures, texts: BTreeMap::new(), lines: 0, is_binary: false }
    }
}

impl Sink for FileTally<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.lines += 1;
        let line = found.bytes();
        let mut texts: BTreeSet<&[u8]> = BTreeSet::new();
        let end = self.matcher.captures_iter(line, &mut self.captures, |captures| {
            let group = (1..captures.len()).find_map(|group| captures.get(group));
            texts.extend(group.or_else(|| captures.get(0)).and_then(|at| line.get(at.start()..at.end())));
            true
        });
        end.map_err(|error| io::Error::other(error.to_string()))?;
        for text in texts.into_iter().filter_map(|text| std::str::from_utf8(text).ok()) {
            if !text.is_empty() && text.len() <= TALLY_BYTES {
                *self.texts.entry(text.to_owned()).or_insert(0) += 1;
            }
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, found: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = found.binary_byte_offset().is_some();
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |count: &Count| {
            let plural = |number: usize| if number == 1 { "" } else { "s" };
            let Count { text, lines, files } = count;
            format!("{text}: {lines} line{} in {files} file{}", plural(*lines), plural(*files))
        };
        let mut lines: Vec<String> = self.counts.iter().map(said).collect();
        if lines.is_empty() {
            lines.push("(no match)".into());
        }
        if self.different > self.counts.len() {
            lines.push(format!("({} more)", self.different - self.counts.len()));
        }
        if self.left_out.unreadable > 0 {
            lines.push(format!("({})", self.left_out));
        }
        f.write_str(&lines.join("\n"))
    }
}
