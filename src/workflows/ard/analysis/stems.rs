//! Stems of English words, so that "uploads" and "uploaded" compare equal.

use std::collections::BTreeSet;

use super::lexicon;

/// Returns the stem of a word in lower case: its base form as a verb, else its singular as a noun, else
/// the word.
pub fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let lower = lower.strip_suffix("'s").unwrap_or(&lower);
    if let Some(verb) = lexicon::verb(lower) {
        return verb.base;
    }
    lexicon::noun(lower).map_or_else(|| lower.to_owned(), |noun| noun.base)
}

/// Returns the stems of all words of a text. Names in `PascalCase` are split.
pub fn stems(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'') {
        let mut start = 0;
        let bytes: Vec<(usize, char)> = word.char_indices().collect();
        for (index, pair) in bytes.windows(2).enumerate() {
            let next = bytes.get(index + 2).is_some_and(|(_, c)| c.is_lowercase());
            let begins =
                pair[1].1.is_uppercase() && (pair[0].1.is_lowercase() || (pair[0].1.is_uppercase() && next));
            if begins {
                words.insert(stem(&word[start..pair[1].0]));
                start = pair[1].0;
            }
        }
        if !word[start..].is_empty() {
            words.insert(stem(&word[start..]));
        }
    }
    words
}

/// Returns the stems of the words of `text` that can name a thing. A word that is more often an
/// adjective counts only if `phrase` has the same word, because "fine" in "its state is fine" names no
/// "fines".
pub fn naming_stems(text: &str, phrase: &str) -> BTreeSet<String> {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let same = words(phrase);
    let is_name = |word: &str| {
        let entry = lexicon::entry(word);
        same.contains(word) || entry.is_none_or(|entry| entry.adjective <= entry.noun)
    };
    let others: Vec<String> = words(text).into_iter().filter(|word| !is_name(word)).collect();
    let mut found = stems(text);
    found.retain(|found| !others.contains(found));
    found
}
