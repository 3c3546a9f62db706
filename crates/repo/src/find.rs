//! `search_for_files`: the files that some keywords are about, by their names, their folders and their texts (CTX-27, 28, 41).

use std::fmt;
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde::{Deserialize, Serialize};

use super::files::Files;
use super::limit::KEYWORDS;
use super::parallel::parallel;
use super::search::FileRank;
use super::walk::{WalkLimits, WalkedFile};

/// The files that best match some keywords. [`find_files`] returns them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidates {
    /// Highest score first; equal scores are ordered by code, tests, the rest, and then by path. All files of
    /// the tree were ranked before the limit was applied (CTX-28).
    pub files: Vec<Candidate>,
    /// Number of files with any hit, including those beyond the limit.
    pub total: usize,
}

/// A file that matches at least one keyword.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Path relative to the root.
    pub path: String,
    /// Sum over the keywords: 2 if the file's name contains it, 1 if the path of its folder does, 1 if its
    /// text does.
    pub score: usize,
    /// Keywords in its name.
    pub in_name: Vec<String>,
    /// Keywords in the names of its folders.
    pub in_folders: Vec<String>,
    /// Keywords in its text.
    pub in_text: Vec<String>,
}

/// Returns the `limit` files that best match the keywords in their names, folders or texts, without regard to
/// case. Binary and huge files are matched by their names alone.
///
/// ```
/// use stategraph_repo::{MemoryFiles, find_files};
///
/// let files = MemoryFiles::new([("auth/login.rs", "fn check()"), ("main.rs", "login()"), ("other.rs", "")]);
/// let found = find_files(&files, &["login"], 15);
/// assert_eq!(found.files[0].path, "auth/login.rs");
/// assert_eq!((found.files[1].in_text.len(), found.total), (1, 2));
/// ```
pub fn find_files(files: &dyn Files, keywords: &[impl AsRef<str>], limit: usize) -> Candidates {
    let keywords = Keyword::all(keywords);
    if keywords.is_empty() {
        return Candidates::default();
    }
    let walk = files.walk(WalkLimits::default());
    let look = |found: &mut Vec<(FileRank, Candidate)>, index: usize| {
        let file: &WalkedFile = &walk.files[index];
        let candidate = Candidate::of(files, file, &keywords);
        if candidate.score > 0 {
            found.push((FileRank::of(file), candidate));
        }
    };
    let mut all: Vec<(FileRank, Candidate)> =
        parallel(walk.files.len(), Vec::new, look).into_iter().flatten().collect();
    all.sort_by(|(a_rank, a), (b_rank, b)| {
        b.score.cmp(&a.score).then_with(|| a_rank.cmp(b_rank)).then_with(|| a.path.cmp(&b.path))
    });
    let total = all.len();
    Candidates { files: all.into_iter().take(limit).map(|(_, candidate)| candidate).collect(), total }
}

/// A keyword of a search for files, with its compiled matcher.
struct Keyword {
    text: String,
    matcher: RegexMatcher,
}

impl Keyword {
    /// Returns the keywords trimmed, in lower case, without empty ones and duplicates; at most [`KEYWORDS`].
    fn all(given: &[impl AsRef<str>]) -> Vec<Self> {
        let mut texts: Vec<String> = Vec::new();
        for text in given.iter().map(|text| text.as_ref().trim().to_lowercase()) {
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        // A keyword that is too long to be compiled occurs in no file.
        let compiled = texts.into_iter().take(KEYWORDS).filter_map(|text| {
            let matcher =
                RegexMatcherBuilder::new().case_insensitive(true).fixed_strings(true).build(&text).ok()?;
            Some(Self { text, matcher })
        });
        compiled.collect()
    }

    fn stands_in(&self, text: &[u8]) -> bool {
        self.matcher.is_match(text).unwrap_or_default()
    }
}

impl Candidate {
    fn of(files: &dyn Files, file: &WalkedFile, keywords: &[Keyword]) -> Self {
        let path = file.path.relative();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let folders = path.parent().unwrap_or(Path::new("")).as_os_str().as_encoded_bytes();
        let text = files.read_text(&file.path).unwrap_or_default();
        let hits = |text: &[u8]| -> Vec<String> {
            keywords.iter().filter(|word| word.stands_in(text)).map(|word| word.text.clone()).collect()
        };
        let (in_name, in_folders, in_text) = (hits(name), hits(folders), hits(text.as_bytes()));
        Self {
            path: file.path.to_string(),
            score: 2 * in_name.len() + in_folders.len() + in_text.len(),
            in_name,
            in_folders,
            in_text,
        }
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.files {
            let parts = [("name", &found.in_name), ("folders", &found.in_folders), ("text", &found.in_text)];
            let said = parts.iter().filter(|(_, words)| !words.is_empty());
            let said: Vec<String> =
                said.map(|(place, words)| format!("{place}: {}", words.join(", "))).collect();
            writeln!(f, "{}  ({})", found.path, said.join("; "))?;
        }
        match (self.total, self.total - self.files.len()) {
            (0, _) => f.write_str("no files"),
            (total, 0) => write!(f, "({total} files)"),
            (total, more) => write!(f, "({total} files, {more} not shown)"),
        }
    }
}
