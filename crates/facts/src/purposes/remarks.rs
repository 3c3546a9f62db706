//! Recognizes sentences about the history, the authors and the versions of code, which state no purpose.

/// Nouns of sentences that speak of the whole product.
const PRODUCTS: &[&str] = &[
    "project",
    "library",
    "package",
    "tool",
    "module",
    "gem",
    "crate",
    "code",
    "program",
    "framework",
    "software",
    "plugin",
    "application",
    "app",
    "repository",
    "extension",
];
/// Adverbs before or behind the verb.
const ADVERBS: &[&str] =
    &["originally", "initially", "first", "also", "now", "mainly", "primarily", "mostly"];
/// Participles of sentences about authors.
const AUTHORED: &[&str] = &["written", "developed", "maintained", "authored", "coded"];
/// Participles of sentences about the beginning of a project.
const BEGUN: &[&str] = &["started", "created", "initiated", "founded", "conceived", "born", "built"];

/// Returns true if a sentence tells who made the product or how it began: "The project was started by …".
pub(crate) fn tells_history(sentence: &str) -> bool {
    const STARTS: &[&str] = &[
        "originally written",
        "originally created",
        "originally developed",
        "initially written",
        "initially developed",
        "special thanks",
        "many thanks",
        "big thanks",
        "huge thanks",
        "credit goes",
        "credits go",
    ];
    let lower = sentence.to_lowercase();
    if STARTS.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    let mut words = lower.split_whitespace().peekable();
    let is_determiner = matches!(words.next(), Some("the" | "this" | "our"));
    if is_determiner && !words.next().is_some_and(|noun| PRODUCTS.contains(&noun)) {
        return false;
    }
    while words.next_if(|word| ADVERBS.contains(word)).is_some() {}
    let Some(verb) = words.next() else { return false };
    let is_past = verb == "was" || verb == "has" && words.next_if_eq(&"been").is_some();
    while words.next_if(|word| ADVERBS.contains(word)).is_some() {}
    let Some(participle) = words.next().filter(|_| is_past || verb == "is") else { return false };
    let is_begun = is_past && BEGUN.contains(&participle);
    (is_begun || AUTHORED.contains(&participle)) && names_author(sentence)
        || is_begun
            && [" when i ", " when we ", " when he ", " when she "].iter().any(|it| lower.contains(it))
}

/// Returns true if a name follows the word "by".
fn names_author(sentence: &str) -> bool {
    sentence.match_indices(" by ").any(|(at, by)| {
        let name = sentence[at + by.len()..].split_whitespace().next().unwrap_or_default();
        name.starts_with(|c: char| c.is_uppercase() || matches!(c, '@' | '[')) && !name.contains('(')
    })
}

/// Removes a note about a version from the beginning of a text: "New in shop 1.2. Sells things." → "Sells
/// things.".
pub(super) fn without_version_note(text: &str) -> &str {
    let (first, rest) = text.split_once(". ").unwrap_or((text, ""));
    if is_version_note(first) { rest.trim_start() } else { text }
}

/// Returns true for a sentence that tells since when something exists: "New in shop 18.3.0".
fn is_version_note(sentence: &str) -> bool {
    const STARTS: &[&str] = &[
        "new in ",
        "new since ",
        "added in ",
        "added since ",
        "changed in ",
        "introduced in ",
        "deprecated in ",
        "deprecated since ",
        "removed in ",
        "available since ",
        "since ",
    ];
    /// Maximum number of words before the end of the number.
    const WORDS: usize = 5;
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_version = |at: usize| {
        let bare = words[at].trim_end_matches(['.', ':', ',', ')', '*']);
        let number = bare.trim_start_matches('v');
        let is_named = at > 0 && matches!(words[at - 1], "version" | "release");
        number.starts_with(|c: char| c.is_ascii_digit()) && (number.contains('.') || is_named)
    };
    let number = (1..words.len().min(WORDS)).find(|at| is_version(*at));
    let is_end = |at: usize| at + 1 == words.len() || words[at].ends_with([':', ',', '.', ')']);
    STARTS.iter().any(|start| lower.starts_with(start)) && number.is_some_and(is_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_the_beginning_of_a_project_tell_history() {
        for (sentence, expected) in [
            ("The project was started and coded by Jane Doe when she needed a till.", true),
            ("Shop was originally written by Jane Doe.", true),
            ("This library is maintained by the Shop.", false),
            ("This library is maintained by Acme.", true),
            ("It was created when I had no till.", true),
            ("The till was started by Jane.", false),
            ("The package was created by hand.", false),
            ("The application is started by Docker.", false),
            ("The project is built using parts of Market.", false),
        ] {
            assert_eq!(tells_history(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn notes_about_versions_are_removed() {
        for (text, expected) in [
            ("New in shop 18.3.0", ""),
            ("New in version 2: gifts.", ""),
            ("Added in 1.2. Sells gifts.", "Sells gifts."),
            ("Added in 3 places.", "Added in 3 places."),
            ("Since 1.2 the till counts coins.", "Since 1.2 the till counts coins."),
        ] {
            assert_eq!(without_version_note(text), expected, "{text}");
        }
    }
}
