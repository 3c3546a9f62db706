//! The terms of a question in all files of a code base: counts, rarity, and a score for each file (CTX-21, 27, 28). Parses nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use stategraph_facts::PathRole;
use stategraph_repo::{CodeBase, Walk, WalkedFile, parallel_map};

use super::question::{ScopeQuestion, WantedFiles};
use super::scan::{TermScanner, part_count};

/// Largest file whose text is searched, in bytes. Larger ones are found by their names.
const SEARCHED_BYTES: u64 = 1_000_000;
/// Most bytes of a code base that are searched.
const ALL_BYTES: u64 = 512 * 1024 * 1024;
/// Weight of a term in the name of a file and in the names of its folders (CTX-27).
const IN_NAME: f32 = 2.0;
const IN_FOLDERS: f32 = 1.0;
/// Weight of a term on a line that looks like a definition.
const IN_DEFINITION: f32 = 1.5;
/// Weight of a term in the rest of a text.
const IN_TEXT: f32 = 1.0;
/// Saturation of repeated hits, as in BM25, and the part of it that depends on the length of the text.
const SATURATION: f32 = 2.0;
const LENGTH_PART: f32 = 0.35;

/// The occurrences of a question's terms in all files of a code base, with a score for each file.
pub(super) struct TermCorpus {
    /// Files with any hit, in the order of the walk.
    pub(super) files: Vec<FileTerms>,
    /// The rarity of each term: large if few files have it.
    pub(super) rarity: Vec<f32>,
    /// Number of files that were looked at.
    pub(super) searched: usize,
}

/// The occurrences of a question's terms in one file. Each `Vec` has one number for each term, by its index.
#[derive(Clone, Debug)]
pub(super) struct FileTerms {
    /// Path relative to the root of the repository.
    pub(super) path: String,
    /// Its size.
    pub(super) bytes: u64,
    /// Weighted hits in its text.
    pub(super) text: Vec<f32>,
    /// Weight of the best hit on a line that looks like a definition.
    pub(super) defined: Vec<f32>,
    /// Weight of the best hit in its name.
    pub(super) name: Vec<f32>,
    /// Weight of the best hit in the names of its folders.
    pub(super) folders: Vec<f32>,
    /// Line of the first hit in its text, from 1; `0` without one.
    pub(super) lines: Vec<u32>,
    /// Higher is better; `0` until all files are counted.
    pub(super) score: f32,
}

impl TermCorpus {
    /// Searches the paths and texts of all files of a walk for the terms, and scores the files with a hit.
    /// Texts above 1 MB, and those beyond 512 MiB in total, are not read. Works on all cores.
    pub(super) fn search(
        question: &ScopeQuestion,
        scanner: &TermScanner,
        code: &CodeBase,
        walk: &Walk,
    ) -> Self {
        let count = question.terms.len();
        let read = AtomicU64::new(0);
        let found = parallel_map(walk.files.len(), |index| {
            let file = &walk.files[index];
            let is_read = file.bytes <= SEARCHED_BYTES
                && read.fetch_add(file.bytes, Ordering::Relaxed) + file.bytes <= ALL_BYTES;
            let text = if is_read { code.files().read_text(&file.path).ok() } else { None };
            FileTerms::of(file, text.as_deref(), scanner, count)
        });
        let mut corpus =
            Self { searched: found.len(), rarity: Vec::new(), files: found.into_iter().flatten().collect() };
        corpus.rarity = (0..count).map(|term| corpus.rarity_of(term)).collect();
        corpus.rank(question);
        corpus
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of files")]
    fn rarity_of(&self, term: usize) -> f32 {
        // A related word of the term says less about it than the term.
        let with = self.files.iter().map(|file| file.presence(term)).sum::<f32>();
        let all = self.searched as f32;
        (1.0 + (all - with + 0.5).max(0.5) / (with + 0.5)).ln()
    }

    #[allow(clippy::cast_precision_loss, reason = "sizes of files")]
    fn rank(&mut self, question: &ScopeQuestion) {
        let bytes: u64 = self.files.iter().map(|file| file.bytes.min(SEARCHED_BYTES)).sum();
        let average = (bytes as f32 / self.files.len().max(1) as f32).max(1.0);
        let weights = self.weights(question);
        for file in &mut self.files {
            file.score = file.rate(&weights, average) * role_factor(&file.path, question.aims);
        }
    }

    /// Returns the weight of each term for ranking: its weight in the question times its rarity in the files.
    pub(super) fn weights(&self, question: &ScopeQuestion) -> Vec<f32> {
        question.terms.iter().zip(&self.rarity).map(|(term, rarity)| term.weight * rarity).collect()
    }
}

impl FileTerms {
    /// Counts the terms in the path and the text of a file; `None` if there is no hit. `count` is the number
    /// of terms.
    fn of(file: &WalkedFile, text: Option<&str>, scanner: &TermScanner, count: usize) -> Option<Self> {
        let path = file.path.to_string();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let name_hits =
            best_hits(scanner, name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name), count);
        let mut found = Self {
            bytes: file.bytes,
            text: vec![0.0; count],
            defined: vec![0.0; count],
            lines: vec![0; count],
            name: name_hits,
            folders: best_hits(scanner, folders, count),
            score: 0.0,
            path: String::new(),
        };
        found.add_text(text.unwrap_or_default(), scanner);
        found.path = path;
        (0..count).any(|term| found.presence(term) > 0.0).then_some(found)
    }

    fn add_text(&mut self, text: &str, scanner: &TermScanner) {
        let (mut line, mut counted) = (1_u32, 0);
        scanner.visit(text, |hit| {
            // Phrases are visited after the other terms.
            if hit.at < counted {
                (line, counted) = (1, 0);
            }
            line += u32::try_from(count_lines(&text[counted..hit.at])).unwrap_or(u32::MAX);
            counted = hit.at;
            self.text[hit.term] += hit.weight;
            if self.lines[hit.term] == 0 {
                self.lines[hit.term] = line;
            }
            if self.defined[hit.term] < hit.weight && is_definition_line(text, hit.at) {
                self.defined[hit.term] = hit.weight;
            }
        });
    }

    /// Returns the weight, from 0 to 1, with which a term occurs in the file: the highest of text, name and
    /// folders.
    fn presence(&self, term: usize) -> f32 {
        self.text[term].max(self.name[term]).max(self.folders[term]).min(1.0)
    }

    #[allow(clippy::cast_precision_loss, reason = "sizes of files")]
    fn rate(&self, weights: &[f32], average: f32) -> f32 {
        let length = 1.0 - LENGTH_PART + LENGTH_PART * (self.bytes.min(SEARCHED_BYTES) as f32 / average);
        let (mut sum, mut present, mut all) = (0.0, 0.0, 0.0);
        for (term, weight) in weights.iter().enumerate() {
            let text = self.text[term] / (self.text[term] + SATURATION * length);
            let hits = IN_NAME * self.name[term]
                + IN_FOLDERS * self.folders[term]
                + IN_DEFINITION * self.defined[term]
                + IN_TEXT * text;
            sum += weight * hits;
            present += weight * self.presence(term);
            all += weight;
        }
        sum * (0.3 + 0.7 * present / f32::max(all, f32::EPSILON))
    }
}

/// Returns for each of the `count` terms the weight of its best hit in a name, `0` without one. Other words
/// in the name lower it, at most by half.
#[allow(clippy::cast_precision_loss, reason = "counts of words")]
pub(super) fn best_hits(scanner: &TermScanner, name: &str, count: usize) -> Vec<f32> {
    let mut best = vec![0.0_f32; count];
    scanner.visit(name, |hit| best[hit.term] = best[hit.term].max(hit.weight));
    let words = name.split(['/', '-', '.']).map(part_count).sum::<usize>().max(1) as f32;
    let matching = best.iter().filter(|weight| **weight > 0.0).count() as f32;
    let share = (matching / words).min(1.0);
    best.iter().map(|weight| weight * (0.5 + 0.5 * share)).collect()
}

/// Returns the number of line breaks in a text.
pub(super) fn count_lines(text: &str) -> usize {
    text.matches('\n').count()
}

/// Words that open definitions in some language.
const DEFINING: &[&str] = &[
    "abstract",
    "async",
    "class",
    "const",
    "data",
    "def",
    "defmodule",
    "enum",
    "export",
    "final",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "inline",
    "interface",
    "internal",
    "let",
    "macro_rules!",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "open",
    "override",
    "private",
    "protected",
    "protocol",
    "pub",
    "public",
    "record",
    "sealed",
    "service",
    "static",
    "struct",
    "table",
    "template",
    "trait",
    "type",
    "typedef",
    "union",
    "unsafe",
    "val",
    "var",
    "virtual",
];
/// Bytes before a hit in which its line begins, if it is that of a definition.
const LINE_REACH: usize = 160;

/// Returns true if the byte `at` seems to be in the name that its line defines: `fn NAME`, `class NAME`,
/// `int name(` of C. Always false on the first line of a text.
fn is_definition_line(text: &str, at: usize) -> bool {
    let start = at.saturating_sub(LINE_REACH);
    let Some(newline) = text.as_bytes()[start..at].iter().rposition(|byte| *byte == b'\n') else {
        return false;
    };
    let before = &text[start + newline + 1..at];
    let indent = before.len() - before.trim_start().len();
    let first = before.trim_start().split([' ', '(', '<']).next().unwrap_or_default();
    let is_name = !before.contains(['=', '"', '\'', ';', '{', '#']) && before.matches('(').count() <= 1;
    let is_plain = indent == 0 && !before.starts_with(['/', '*', '-', '|', '>']) && before.contains(' ');
    is_name
        && (DEFINING.binary_search(&first.trim_start_matches("pub(crate)")).is_ok()
            || first.starts_with("pub(")
            || is_plain && is_call_like(text, at))
}

/// Returns true if an ASCII name followed by `(` begins at the byte `at`: a function of C, where no keyword
/// opens a definition.
fn is_call_like(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..text.len().min(at + 80)];
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    end.is_some_and(|end| rest[end] == b'(')
}

/// Files that mention everything and decide nothing.
const CHRONICLES: &[&str] = &["changelog", "changes", "history", "news", "releases", "release_notes"];
/// Endings of data and of prose.
const DATA: &[&str] =
    &["csv", "json", "lock", "svg", "po", "pot", "xlf", "map", "snap", "sum", "tsv", "log", "ipynb", "resx"];
const PROSE: &[&str] = &["md", "mdx", "rst", "txt", "adoc", "markdown", "html", "htm"];

/// Folders of code that other projects wrote, or that stands in for missing parts of a system. Those of benchmarks count like them.
const FOREIGN: &[&str] =
    &["bundled", "compat", "contrib", "deps", "extern", "external", "externals", "submodules"];

/// Returns the factor, up to 1, for the score of a file by its path: 1 for code of the program, less for
/// tests, documents, data, change logs and vendored code. Files of a kind that the question asks for (`aims`)
/// lose less.
pub(super) fn role_factor(path: &str, aims: WantedFiles) -> f32 {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (stem, ending) = name
        .split_once('.')
        .map_or((name.as_str(), ""), |(stem, _)| (stem, name.rsplit('.').next().unwrap_or("")));
    if CHRONICLES.contains(&stem) || name.contains("-lock.") || name.ends_with(".min.js") {
        return 0.15;
    }
    let of_ending = match () {
        () if DATA.contains(&ending) => 0.35,
        () if PROSE.contains(&ending) => {
            if aims.docs {
                1.0
            } else {
                0.4
            }
        }
        () => 1.0,
    };
    let of_role = match PathRole::of(path) {
        PathRole::Runtime => 1.0,
        // Tests have a section of their own.
        PathRole::Test => {
            if aims.tests {
                0.55
            } else {
                0.4
            }
        }
        PathRole::Example => {
            if aims.examples {
                1.0
            } else {
                0.45
            }
        }
        PathRole::Docs => {
            if aims.docs {
                1.0
            } else {
                0.45
            }
        }
        PathRole::Bench => 0.4,
        PathRole::Build => 0.7,
        PathRole::Generated => 0.25,
        PathRole::Vendored => 0.15,
    };
    let is_foreign = path.split('/').any(|folder| FOREIGN.contains(&folder) || folder.starts_with("bench"));
    of_ending * of_role * if is_foreign { 0.5 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_and_definitions_are_told_from_uses() {
        assert!(DEFINING.is_sorted());
        for (text, expected) in [
            ("\n    pub fn retry_policy() {", true),
            ("\n\tdef retry(self):", true),
            ("\nstatic int retry(void) {", true),
            ("\n    let x = retry();", false),
            ("\n    self.retry()", false),
        ] {
            assert_eq!(
                is_definition_line(text, text.find("retry").expect("it is there")),
                expected,
                "{text}"
            );
        }
    }
}
