//! Names in code marks, looked up among the words of the repository. A name that no file has is made up, or belongs to another program.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use crate::repo::{CodeBase, WalkLimits};

/// Largest file whose words are read, in bytes.
const FILE_BYTES: u64 = 1 << 20;
/// Most bytes of all files. Beyond them every name counts as known.
const ALL_BYTES: u64 = 64 << 20;
/// Most words that are kept.
const WORDS: usize = 2_000_000;
/// Longest name with hyphens, in bytes.
const NAME: usize = 80;
/// Fewest characters of a name that is looked up.
const LEAST: usize = 3;

/// Index of the words in all files of a repository. The first lookup reads the files.
pub(super) struct WordIndex<'a> {
    code: &'a CodeBase,
    words: OnceCell<FoundWords>,
}

/// The hashes of the words. A collision does no harm: a name then counts as known.
struct FoundWords {
    state: RandomState,
    hashes: HashSet<u64>,
    /// True if the words of all files are here.
    is_whole: bool,
}

impl<'a> WordIndex<'a> {
    pub(super) fn new(code: &'a CodeBase) -> Self {
        Self { code, words: OnceCell::new() }
    }

    /// Returns true if a file of the repository contains this word. Also true for every word if not all files
    /// could be read.
    pub(super) fn has(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| FoundWords::read(self.code));
        !words.is_whole || words.hashes.contains(&words.state.hash_one(word))
    }

    /// Returns the first part of a name, such as `b` of `a::b()`, that no file of the repository contains;
    /// `None` if all parts are known or the text is no name.
    pub(super) fn unknown_part<'t>(&self, code: &'t str) -> Option<&'t str> {
        parts(name_of(code)?).find(|part| part.len() >= LEAST && !self.has(part))
    }
}

impl FoundWords {
    fn read(code: &CodeBase) -> Self {
        let mut found = Self { state: RandomState::new(), hashes: HashSet::new(), is_whole: true };
        let files = code.files();
        let walk = files.walk(WalkLimits::default());
        let mut left = ALL_BYTES;
        for file in &walk.files {
            let size = files.size(&file.path).unwrap_or(0);
            if size > FILE_BYTES {
                // A large file is data, or generated; its words are no reason to doubt a name.
                found.is_whole = false;
                continue;
            }
            if size > left || found.hashes.len() > WORDS {
                found.is_whole = false;
                break;
            }
            left -= size;
            // The words of a path are names too; a file that is no text has no others.
            found.add(&file.path.to_string());
            if let Ok(text) = files.read_text(&file.path) {
                found.add(&text);
            }
        }
        found
    }

    fn add(&mut self, text: &str) {
        for word in text.split(|c: char| !is_of_name(c)).filter(|word| word.len() >= LEAST) {
            self.hashes.insert(self.state.hash_one(word));
        }
        // Code writes `my_crate` for the package `my-crate`.
        let hyphenated = text.split(|c: char| !is_of_name(c) && c != '-').filter(|word| word.contains('-'));
        for word in hyphenated.filter(|word| word.len() <= NAME) {
            self.hashes.insert(self.state.hash_one(word.replace('-', "_").as_str()));
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the name in a code span: `save` of `save()`, `STRICT` of `STRICT=1`, `Cut::shorten`. `None` for
/// phrases, numbers, and plain words in lower case.
fn name_of(code: &str) -> Option<&str> {
    let code = code.trim();
    let name = match code.split_once('=') {
        Some((name, value)) if !value.starts_with(['=', ' ', '>']) && name.len() > 1 => {
            let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            return Some(name).filter(|name| name.chars().all(is_variable) && !value.contains(' '));
        }
        Some(_) => return None,
        None => code.split(['(', '<', '!']).next().unwrap_or_default(),
    };
    let is_separator = |c: char| matches!(c, ':' | '.' | '#');
    let first = name.chars().next()?;
    let is_name = name.chars().all(|c| is_of_name(c) || is_separator(c))
        && (first.is_alphabetic() || first == '_')
        && !name.ends_with(is_separator)
        // `is_` is the beginning of names, no name.
        && !name.ends_with('_');
    // A word in lower case alone may be a word of the language, or of English.
    let is_special = name.contains(|c: char| c == '_' || c.is_uppercase() || is_separator(c)) || code != name;
    (is_name && is_special).then_some(name)
}

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !is_of_name(c)).filter(|part| !part.is_empty())
}
