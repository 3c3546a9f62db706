//! English words by their stems, as far as inflection goes: `retries`, `retried` and `retrying` are one word. Derived words (`parser` of
//! `parse`) are other words; [`derived`] lists them.

/// Fewest letters of a stem from which an ending was removed.
const SHORTEST: usize = 3;

/// Forms of irregular verbs that are common in questions and no words of their own in code.
const IRREGULAR: &[(&str, &str)] = &[
    ("broken", "break"),
    ("built", "build"),
    ("caught", "catch"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("forgotten", "forget"),
    ("given", "give"),
    ("hidden", "hide"),
    ("kept", "keep"),
    ("lost", "lose"),
    ("overridden", "override"),
    ("overwritten", "overwrite"),
    ("ran", "run"),
    ("sent", "send"),
    ("stuck", "stick"),
    ("taken", "take"),
    ("threw", "throw"),
    ("thrown", "throw"),
];

/// Returns the stem of an English word in lower case, without plural and tense: `retries`, `retrying` →
/// `retri`. Words that are not ASCII or have at most 3 letters keep their form.
pub(super) fn stem(word: &str) -> String {
    let regular = IRREGULAR.iter().find(|(form, _)| *form == word).map_or(word, |(_, verb)| verb);
    let mut stem = regular.to_owned();
    let word = regular;
    if !word.is_ascii() || word.len() <= SHORTEST {
        return stem;
    }
    cut_plural(&mut stem);
    cut_tense(&mut stem);
    if stem.len() > SHORTEST && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() >= SHORTEST && stem.ends_with('y') && !ends_in_vowel(&stem[..stem.len() - 1]) {
        stem.replace_range(stem.len() - 1.., "i");
    }
    undouble(&mut stem);
    respell(&mut stem);
    stem
}

fn cut_plural(word: &mut String) {
    let keep = match () {
        () if word.len() > 4 && word.ends_with("ies") => {
            word.truncate(word.len() - 3);
            word.push('y');
            return;
        }
        () if ["sses", "xes", "ches", "shes", "zzes"].iter().any(|end| word.ends_with(end)) => 2,
        () if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => 1,
        () => 0,
    };
    word.truncate(word.len() - keep);
}

fn cut_tense(word: &mut String) {
    if word.len() > 4 && word.ends_with("ied") {
        word.truncate(word.len() - 3);
        word.push('y');
        return;
    }
    let is_whole = word.ends_with("eed") || word == "embed";
    for end in ["ed", "ing"] {
        let rest = word.strip_suffix(end).filter(|_| !is_whole);
        if let Some(rest) = rest.filter(|rest| rest.len() >= SHORTEST && rest.contains(is_vowel)) {
            word.truncate(rest.len());
            return;
        }
    }
}

/// Removes one of two equal consonants at the end, so that `cancelled` and `cancel` have one stem.
fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !is_vowel(char::from(*b))
        && word.len() > SHORTEST
    {
        word.pop();
    }
}

/// Replaces British endings by American ones: `-is(e)` by `-iz`, `-our` by `-or`.
fn respell(word: &mut String) {
    if word.len() > 5 && word.ends_with("is") {
        word.replace_range(word.len() - 1.., "z");
    }
    if word.len() > 4 && word.ends_with("our") {
        word.replace_range(word.len() - 2.., "r");
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn ends_in_vowel(text: &str) -> bool {
    text.ends_with(['a', 'e', 'i', 'o', 'u'])
}

/// Endings that derive a word from another.
const ENDINGS: &[&str] = &["er", "or", "ation", "ion", "ment", "abl", "ibl"];
/// Fewest letters of a stem that a word is derived from.
const DERIVED_FROM: usize = 4;

/// Returns possible stems of the same word family, sorted: the stem with an ending such as `er` or `ation`
/// added, removed or exchanged (`pars` ↔ `parser`). They need not be words. Empty for stems below four
/// letters.
pub(super) fn derived(stem: &str) -> Vec<String> {
    if !stem.is_ascii() || stem.len() < DERIVED_FROM {
        return Vec::new();
    }
    let longer = ENDINGS.iter().map(|ending| format!("{stem}{ending}"));
    let shorter = ENDINGS.iter().filter_map(|ending| stem.strip_suffix(ending));
    let kept =
        shorter.filter(|base| base.len() >= DERIVED_FROM).map(|base| base.trim_end_matches('e').to_owned());
    // The agent of a verb and its noun: `validator` and `validation`.
    let bases: Vec<String> = kept.collect();
    let beside: Vec<String> =
        bases.iter().flat_map(|base| ENDINGS.iter().map(move |ending| format!("{base}{ending}"))).collect();
    let mut all: Vec<String> =
        bases.into_iter().chain(longer).chain(beside).filter(|it| it != stem).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_words_have_one_stem() {
        for words in [
            &["retry", "retries", "retried", "retrying"][..],
            &["parse", "parses", "parsed", "parsing"],
            &["cancel", "cancelled", "canceled", "cancelling"],
            &["cache", "caches", "cached", "caching"],
            &["setting", "settings", "set", "sets"],
            &["serialise", "serialize", "serialized"],
            &["address", "addresses"],
            &["colour", "color", "colors"],
        ] {
            let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|it| *it == stems[0]), "{words:?}: {stems:?}");
        }
        for (one, other) in [("string", "str"), ("status", "stat"), ("need", "ne"), ("this", "thi")] {
            assert_ne!(stem(one), stem(other));
        }
    }

    #[test]
    fn derived_words_are_found_in_both_directions() {
        for (one, other) in [
            ("parse", "parser"),
            ("validate", "validation"),
            ("configuration", "configure"),
            ("validator", "validation"),
        ] {
            assert!(derived(&stem(one)).contains(&stem(other)), "{one}: {:?}", derived(&stem(one)));
        }
    }
}
