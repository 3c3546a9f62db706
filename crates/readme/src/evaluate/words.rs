//! Splits headings and requests into stems, so that "Deploying" matches "deployment". English only, as the
//! documents are.

use std::collections::BTreeSet;

/// Words that are ignored, because they do not distinguish headings.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "add",
    "all",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "change",
    "do",
    "does",
    "for",
    "from",
    "how",
    "i",
    "in",
    "integration",
    "into",
    "is",
    "it",
    "make",
    "me",
    "more",
    "my",
    "of",
    "on",
    "or",
    "our",
    "part",
    "please",
    "section",
    "that",
    "the",
    "this",
    "to",
    "up",
    "update",
    "us",
    "use",
    "used",
    "using",
    "we",
    "what",
    "when",
    "where",
    "which",
    "with",
    "you",
    "your",
];

/// Stems with the same meaning in headings, each with the stem that replaces it.
const SYNONYMS: &[(&str, &str)] = &[
    ("config", "deploy"),
    ("configur", "deploy"),
    ("configuration", "deploy"),
    ("install", "deploy"),
    ("installation", "deploy"),
    ("setup", "deploy"),
    ("prerequisit", "need"),
    ("prereq", "need"),
    ("requir", "need"),
    ("verif", "validation"),
    ("verify", "validation"),
    ("verification", "validation"),
    ("validat", "validation"),
    ("scalability", "scal"),
];

/// Returns the stems of the words in a text, in lower case, without stop words and with synonyms replaced:
/// `Installing the agent` → `agent`, `deploy`.
pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    // "Set up" is one word that is often written as two.
    let text = text.to_lowercase().replace("set up", "setup").replace("set-up", "setup");
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(reduce)
        .collect()
}

/// Returns the stem of a word in lower case: the endings `s`, `ment`, `ing`, `ed` and `e` are cut off if at
/// least four characters stay. A synonym is replaced.
fn reduce(word: &str) -> String {
    let mut word = word;
    // The plural first: "requirements" loses two endings.
    for endings in [&["s"][..], &["ment", "ing", "ed"], &["e"]] {
        let cut = endings.iter().find_map(|ending| word.strip_suffix(ending));
        // Short words would lose their meaning: "need" is no participle, "ping" no activity.
        if let Some(stem) = cut.filter(|stem| stem.chars().count() >= 4) {
            word = stem;
        }
    }
    let stands_for = SYNONYMS.iter().find(|(synonym, _)| *synonym == word);
    stands_for.map_or(word, |(_, word)| word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::content_words;

    #[test]
    fn headings_of_one_meaning_have_the_same_words() {
        let same = [
            ("How do I deploy this integration?", "Deployment"),
            ("How do I deploy this integration?", "Set up"),
            ("What do I need to use this integration?", "Prerequisites"),
            ("What do I need to use this integration?", "Requirements"),
            ("Performance and scaling", "Scaling and Performance"),
            ("Validation", "Verifying"),
        ];
        for (one, other) in same {
            assert_eq!(content_words(one), content_words(other), "{one} / {other}");
        }
    }

    #[test]
    fn headings_of_different_meanings_have_different_words() {
        let all =
            ["Overview", "What data does this integration collect?", "Troubleshooting", "Reference", "Need"];
        let words: std::collections::BTreeSet<_> = all.iter().map(|title| content_words(title)).collect();
        assert_eq!(words.len(), all.len());
        assert!(content_words("How do I use this integration?").is_empty());
    }
}
