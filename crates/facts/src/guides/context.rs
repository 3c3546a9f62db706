//! Recognizes sentences that cannot be quoted alone, because their subject or a reference is in another
//! sentence.

/// Nouns after "this" that need no context, because they mean the code base itself or the time: "this
/// repository".
const WHOLE: &[&str] = &[
    "project",
    "projects",
    "repository",
    "repo",
    "package",
    "library",
    "codebase",
    "crate",
    "tool",
    "application",
    "app",
    "gem",
    "extension",
    "plugin",
    "software",
    "organization",
    "module",
    "framework",
    "program",
    "monorepo",
    "workspace",
    "site",
    "website",
    "year",
];
/// Words that refer to other sentences.
const POINTERS: &[&str] = &[
    "above",
    "here",
    "aforementioned",
    "latter",
    "former",
    "thereof",
    "hereby",
    "previously",
    "beforehand",
    "these",
    "former",
    "likewise",
    "similarly",
    "respectively",
];
/// Beginnings of sentences that continue another one.
const STARTS: &[&str] = &[
    "otherwise",
    "instead",
    "if so",
    "if not",
    "in this",
    "in that",
    "in such",
    "in these",
    "in those",
    "in both",
    "for example",
    "for instance",
    "finally",
    "first",
    "firstly",
    "second",
    "secondly",
    "third",
    "next",
    "lastly",
    "as a result",
    "additionally",
    "furthermore",
    "moreover",
    "besides",
    "either",
    "both",
    "another",
    "other",
    "others",
    "thus",
    "hence",
    "such",
    "same",
    "similarly",
    "for this",
    "for that",
    "for these",
    "to do",
    "to this",
    "on the other",
    "after that",
    "afterwards",
    "before that",
    "once done",
    "when done",
    "while doing",
    "with this",
    "with that",
    "by this",
    "from there",
    "at this",
    "at that",
    "that said",
    "having said",
    "one ",
    "some ",
    "do so",
    "doing so",
    "nevertheless",
    "nonetheless",
    "still",
    "yet",
    "or ",
    "more ",
    "here",
    "now",
    "alternatively",
    "conversely",
    "consequently",
    "accordingly",
    "especially",
    "specifically",
    "usually",
];
/// Pronouns that need a noun before them in the same sentence.
const PRONOUNS: &[&str] = &["it", "its", "they", "them", "their", "it's", "itself"];
/// Number of words that must precede a pronoun; with fewer, the sentence has no noun for it.
const BEFORE: usize = 4;

/// Returns true if a sentence, in lower case, begins with a reference to the reason, the case or the limit
/// of the sentence before it.
pub(super) fn refers_back(lower: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["for the same", "for this reason", "for that reason", "in this case", "in that case", "in such"];
    const NOUNS: &[&str] = &["limit", "option", "value", "setting", "parameter", "default"];
    const VERBS: &[&str] = &["can", "may", "must", "should", "cannot", "will"];
    let mut words = lower.split_whitespace();
    let is_named = words.next() == Some("the")
        && words.next().is_some_and(|noun| NOUNS.contains(&noun))
        && words.next().is_some_and(|verb| VERBS.contains(&verb));
    is_named || BEGINNINGS.iter().any(|start| lower.starts_with(start))
}

/// Returns true if a sentence, in lower case, points at another place of its document: "as shown in the table
/// below", "(see also: Orders)".
pub(super) fn points_elsewhere(lower: &str) -> bool {
    if lower.contains("as shown ") || lower.contains("see also") {
        return true;
    }
    let words = words_of(lower);
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        // "3.2 and below" is a range, and "above or below a limit" is one, too.
        let joins = |word: &str| matches!(word, "and" | "or");
        let is_range = joins(next) || at.checked_sub(1).is_some_and(|before| joins(words[before]));
        matches!(*word, "above" | "below") && !is_range && !begins_place(next)
    })
}

/// Returns the words of a sentence without the signs around them.
fn words_of(sentence: &str) -> Vec<&str> {
    sentence
        .split(|c: char| c.is_whitespace() || c == '(' || c == ')')
        .map(|word| word.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '"' | '*')))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns true for a word with which a place or a number begins: "below the till", "above 10".
fn begins_place(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "your" | "our" | "each" | "every" | "any" | "one")
        || word.starts_with(|c: char| c == '`' || c.is_ascii_digit())
}

/// Returns true if a sentence cannot be quoted alone, because it refers to another one: "This also …".
pub(super) fn needs_context(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    if refers_back(&lower) || points_elsewhere(&lower) {
        return true;
    }
    let words = words_of(&lower);
    let starts = |start: &str| {
        lower
            .strip_prefix(start)
            .is_some_and(|rest| start.ends_with(' ') || !rest.starts_with(char::is_alphanumeric))
    };
    if STARTS.iter().any(|start| starts(start)) {
        return true;
    }
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let is_place = begins_place(next);
        match *word {
            "this" => !WHOLE.contains(&next),
            "those" => !matches!(next, "who" | "that" | "which" | "of" | "with"),
            "following" => words
                .get(at.wrapping_sub(1))
                .is_some_and(|before| matches!(*before, "the" | "these" | "with")),
            "within" | "below" => !is_place,
            "newer" | "older" => !words.contains(&"than"),
            // "stored for that test" points at a test; "in that it sells" gives a reason.
            "that" => {
                let before = at.checked_sub(1).map_or("", |before| words[before]);
                let is_pointer = matches!(before, "for" | "of" | "on" | "at" | "to" | "from" | "with" | "by");
                next.is_empty()
                    || is_pointer && !matches!(next, "of" | "which" | "are" | "is" | "the" | "you")
            }
            // A remark of one person.
            "i" | "i'm" | "i'll" | "i've" => true,
            word if PRONOUNS.contains(&word) => at < BEFORE,
            word => POINTERS.contains(&word),
        }
    })
}

/// Returns true if a sentence, in lower case, instructs AI agents instead of contributors.
pub(super) fn speaks_to_agents(lower: &str) -> bool {
    const WORDS: &[&str] = &[
        "instruction",
        "copilot",
        "claude",
        "chatgpt",
        "ai agent",
        "ai assistant",
        "coding agent",
        "agents.md",
        "llm",
        "the agent",
        "agents must",
        "agents should",
        "prompt",
        "the user",
        "ask the ",
        "your task",
        "your response",
        "your answer",
        "the info ",
        "search only if",
        "trust the",
        "review comment",
        "comment on pull requests",
        "pull request overview",
    ];
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_its_noun_needs_another_one() {
        for (sentence, expected) in [
            ("All new code must have tests.", false),
            ("This project must build without warnings.", false),
            ("If a feature is in the standard library, do not add a package for it.", false),
            ("Make sure to change the values set within.", true),
            ("Keep all helpers within the folder `lib`.", false),
            ("Never do this in a test.", true),
            ("When changing it, always run the tests.", true),
            ("Do not use the options above.", true),
            ("Please don't do that.", true),
            ("Don't mind the words, I am picky.", true),
            ("Otherwise, the build must be repeated.", true),
            ("Gifts must be wrapped as shown in the manual.", true),
            ("Tills must close at night (see also: Nights).", true),
            ("Make sure to do the following.", true),
            ("All those changes must be documented.", true),
            ("Make sure the snapshot is the one that is stored for that test.", true),
            ("For the same reason, only the newest orders must be kept.", true),
            ("The limit can be changed with the option `--most`.", true),
            ("Make sure that all tests pass.", false),
            ("The price must be equal to that of the shop.", false),
        ] {
            assert_eq!(needs_context(sentence), expected, "{sentence}");
        }
        assert!(speaks_to_agents(
            "always trust these instructions, and search only if the info here is incomplete."
        ));
    }
}
