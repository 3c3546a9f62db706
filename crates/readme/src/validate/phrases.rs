//! Searches prose for lists of words and phrases.

use std::collections::BTreeMap;
use std::ops::Range;

use regex::Regex;

use super::page::ProseText;

/// A list of phrases to search for, each with a value, such as a better word. Case does not count, and only
/// whole words match.
pub(super) struct PhraseList<V: 'static> {
    pattern: Regex,
    values: BTreeMap<String, &'static V>,
}

/// An occurrence of a phrase in prose, as [`PhraseList::find`] returns it.
pub(super) struct PhraseMatch<'p, V: 'static> {
    /// Range in the prose.
    pub(super) range: Range<usize>,
    /// Words as written.
    pub(super) words: &'p str,
    /// Value of the phrase.
    pub(super) value: &'static V,
}

impl<V> PhraseList<V> {
    /// Makes a list of phrases, which must be ASCII in lower case, with their values.
    pub(super) fn new(phrases: impl IntoIterator<Item = (&'static str, &'static V)>) -> Self {
        let values: BTreeMap<String, &V> =
            phrases.into_iter().map(|(words, value)| (words.to_owned(), value)).collect();
        // The longest first, because the first alternative that fits is taken.
        let mut words: Vec<String> = values.keys().map(|words| regex::escape(words)).collect();
        words.sort_by_key(|words| std::cmp::Reverse(words.len()));
        let pattern = format!(r"(?i-u)\b(?:{})", words.join("|"));
        Self { pattern: Regex::new(&pattern).expect("escaped words are a valid pattern"), values }
    }

    /// Returns the occurrences of the phrases in the prose, in order.
    pub(super) fn find<'p>(&'p self, prose: &'p ProseText) -> impl Iterator<Item = PhraseMatch<'p, V>> + 'p {
        self.pattern.find_iter(&prose.text).filter_map(|found| {
            let value = self.values.get(&found.as_str().to_ascii_lowercase()).copied()?;
            // A word of other scripts has no boundary in ASCII, and `e.g.` ends with no letter.
            let is_letter = |c: char| c.is_alphanumeric() || c == '_';
            let before = prose.text[..found.start()].chars().next_back();
            let after = prose.text[found.end()..].chars().next();
            let ends_with_letter = found.as_str().ends_with(is_letter);
            if before.is_some_and(is_letter) || (ends_with_letter && after.is_some_and(is_letter)) {
                return None;
            }
            Some(PhraseMatch { range: found.range(), words: found.as_str(), value })
        })
    }
}
