//! Small changes of phrases: case of first letters, articles, empty words at the end.

use super::super::lexicon;
use super::super::tokens::{Token, WordClass, text, tokens};

/// Makes the first letter of a text lower case, unless the second one is upper case too.
pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(text[first.len_utf8()..].chars()).collect()
        }
        _ => text.to_owned(),
    }
}

/// Makes the first letter lower case if the first word is a known English word, so that names such as
/// "Prometheus" stay.
pub(super) fn lower_word(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default().to_lowercase();
    if lexicon::is_known(&first) { lower_first(text) } else { text.to_owned() }
}

/// Removes words from the end of a phrase that say nothing about it, such as "for now".
pub(super) fn trim_tail(text: &str) -> &str {
    let mut text = text;
    for tail in [
        " please",
        " at all",
        " for now",
        " yet",
        " either",
        " of any kind",
        " whatsoever",
        " right now",
        " thanks",
        " needed",
        " required",
        " necessary",
        " planned",
        " allowed",
        " either",
        " wanted",
    ] {
        text = text.strip_suffix(tail).unwrap_or(text);
    }
    text
}

/// Makes an article at the beginning of a phrase lower case.
pub(super) fn lower_article(phrase: &str) -> String {
    match phrase.split(' ').next() {
        Some("A" | "An" | "The" | "Some" | "Each") => {
            lower_first(&phrase.replacen("A ", "a ", usize::from(phrase.starts_with("A "))))
        }
        _ => phrase.to_owned(),
    }
}

/// Puts "a" or "an" before a phrase, whose first letter becomes lower case.
pub(super) fn with_article(phrase: &str) -> String {
    let phrase = lower_first(phrase);
    let article = if phrase.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {phrase}")
}

/// Makes the first letter of a text upper case.
pub(in super::super) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns the words of a lead that complete its items: "Users can" as it is, "Users can" for "Users",
/// empty for "Features".
pub(super) fn lead_words(lead: &str) -> String {
    let words = tokens(lead);
    let Some(last) = words.iter().rfind(|token| !matches!(token.speech, WordClass::Mark | WordClass::Comma))
    else {
        return String::new();
    };
    let completes = matches!(last.speech, WordClass::Modal | WordClass::To | WordClass::Relative)
        || last.is(" with has have includes include provides offers supports needs lets ");
    if completes {
        return text(lead, &words).to_owned();
    }
    let is_person = lexicon::noun(&last.lower).is_some_and(|noun| lexicon::is_person(&noun.base));
    if is_person && words.len() <= 3 { format!("{} can", text(lead, &words)) } else { String::new() }
}

/// Returns the number of tokens before a reason ("so that …", "so I can …"); all if there is no reason
/// or no verb before it.
pub(super) fn end_before_reason(words: &[Token<'_>]) -> usize {
    let is_reason =
        |pair: &[Token<'_>]| pair[0].is(" so ") && pair[1].is(" that i we they you users people ");
    // Without a verb before it, the reason is all that the statement asks for.
    let acts = |at: &usize| {
        words[..*at]
            .iter()
            .any(|it| matches!(it.speech, WordClass::Verb(_) | WordClass::Modal | WordClass::Be))
    };
    words.windows(2).position(is_reason).filter(acts).unwrap_or(words.len())
}
