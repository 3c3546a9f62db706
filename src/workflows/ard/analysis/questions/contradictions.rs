//! Finds contradictions in an idea. Each becomes a question of rank 5, which keeps a draft from being
//! verified.

use std::collections::{BTreeMap, BTreeSet};

use super::super::stems::{naming_stems, stem, stems};
use super::super::tokens::{WordClass, is_small_word, tokens};
use super::super::{IdeaAnalysis, OpenQuestion, Quantity};
use super::question;

/// Makes a question about two contradicting statements; it belongs to the later one.
fn contradiction(one: usize, other: usize, text: String) -> OpenQuestion {
    OpenQuestion { contradicts: Some(one.min(other)), ..question(one.max(other), 5, text, "") }
}

/// Finds contradictions: a thing that is required and excluded, opposite words ("offline", "cloud"),
/// two limits of one thing.
pub(super) fn find(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let mut found = Vec::new();
    let words: Vec<BTreeSet<String>> = analysis.requirements.iter().map(|it| stems(&it.text)).collect();
    for exclusion in &analysis.exclusions {
        let excluded = content(&exclusion.text);
        // One statement that excludes and requires a thing limits it.
        let required = analysis.requirements.iter().zip(&words).find(|(requirement, words)| {
            requirement.statement != exclusion.statement
                && !excluded.is_empty()
                && excluded.is_subset(words)
                && excluded.is_subset(&naming_stems(&requirement.text, &exclusion.text))
        });
        if let Some((required, _)) = required {
            found.push(contradiction(
                exclusion.statement,
                required.statement,
                format!(
                    "S{} rules out “{}”, but S{} asks for it: “{}” Which one holds?",
                    exclusion.statement, exclusion.text, required.statement, required.text
                ),
            ));
        }
    }
    found.extend(opposites(analysis));
    found.extend(two_limits(analysis));
    found
}

/// Returns the stems of a text without articles and general words.
fn content(text: &str) -> BTreeSet<String> {
    let small = [
        "a", "an", "the", "any", "of", "for", "to", "in", "on", "be", "kind", "all", "other", "support",
        "feature",
    ];
    stems(text).into_iter().filter(|word| !small.contains(&word.as_str())).collect()
}

/// Returns the stems that can name a thing: longer than three bytes, no function words and no spans of
/// time.
fn things(text: &str) -> BTreeSet<String> {
    let spans = ["hour", "day", "week", "month", "year", "minute", "time"];
    let mut words = content(text);
    words.retain(|word| word.len() > 3 && !is_small_word(word) && !spans.contains(&word.as_str()));
    words
}

/// Pair of word lists that exclude each other when two statements use one of each.
struct OppositeWords {
    one: &'static [&'static str],
    other: &'static [&'static str],
    /// Minimum number of words for things that both statements must share; 0 if the words are about the
    /// whole system.
    shared: usize,
}

const OPPOSITES: &[OppositeWords] = &[
    OppositeWords {
        one: &["offline", "no internet", "without internet", "no network", "without network", "air-gapped"],
        other: &[
            "cloud",
            "real time",
            "real-time",
            "online",
            "live from",
            "streams from",
            "internet connection",
            "remote server",
            "always connected",
            "web api",
        ],
        shared: 0,
    },
    OppositeWords {
        one: &[
            "no account",
            "without account",
            "no login",
            "without login",
            "no sign",
            "without sign",
            "anonymous",
        ],
        other: &[
            "log in",
            "logs in",
            "sign in",
            "signs in",
            "own account",
            "an account",
            "their account",
            "password",
            "must register",
        ],
        shared: 0,
    },
    OppositeWords {
        one: &[
            "only admin",
            "only the admin",
            "admins only",
            "only manager",
            "managers only",
            "only staff",
            "only teachers",
        ],
        other: &[
            "everyone can",
            "anyone can",
            "everybody can",
            "all users can",
            "any user can",
            "open to everyone",
            "every user can",
        ],
        shared: 2,
    },
    OppositeWords {
        one: &["free of charge", "completely free", "no payment", "free for everyone", "no fees"],
        other: &["subscription", "pay for", "paid plan", "checkout", "monthly fee", "credit card"],
        shared: 0,
    },
    OppositeWords {
        one: &["never delete", "keep forever", "kept forever", "never deleted", "nothing is ever deleted"],
        other: &[
            "deleted after",
            "delete after",
            "are deleted",
            "purge",
            "is deleted",
            "expire after",
            "can delete",
        ],
        shared: 1,
    },
    OppositeWords {
        one: &["single user", "one user only", "for myself", "only for me", "just me"],
        other: &["other users", "share with", "invite", "teams"],
        shared: 0,
    },
    OppositeWords {
        one: &[
            "stateless",
            "nothing is stored",
            "stores nothing",
            "does not store",
            "no database",
            "no data is stored",
        ],
        other: &["history of", "saved", "is stored", "are stored", "keeps a", "remembers"],
        shared: 0,
    },
];

/// Finds at most one contradiction for each pair of word lists in `OPPOSITES`.
fn opposites(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let texts: Vec<(usize, String)> = analysis
        .statements
        .iter()
        .map(|statement| (statement.number, format!(" {} ", statement.text.to_lowercase().replace('’', "'"))))
        .collect();
    OPPOSITES.iter().filter_map(|opposites| find_pair(opposites, &texts)).collect()
}

/// Returns a question for the first two statements that have opposite words about one thing. Denied
/// words do not count. `texts` are the numbers and lower-case texts of the statements.
fn find_pair(opposites: &OppositeWords, texts: &[(usize, String)]) -> Option<OpenQuestion> {
    let with = |words: &'static [&'static str]| {
        let hits = texts.iter().filter_map(move |(at, text)| {
            let word = words.iter().find(|word| text.contains(*word))?;
            Some(OppositeWord { statement: *at, word, text, things: things(&text.replace(word, " ")) })
        });
        hits.collect::<Vec<_>>()
    };
    let is_denied = |text: &str, word: &str| {
        ["no ", "not ", "without ", "never ", "n't "].iter().any(|no| text.contains(&format!("{no}{word}")))
    };
    let (ones, mut others) = (with(opposites.one), with(opposites.other));
    others.retain(|it| !is_denied(it.text, it.word));
    let mut pairs = ones.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
    let (one, other) = pairs.find(|(one, other)| {
        one.statement != other.statement && one.things.intersection(&other.things).count() >= opposites.shared
    })?;
    let text = format!(
        "“{}” (S{}) and “{}” (S{}) exclude each other. Which one holds?",
        one.word, one.statement, other.word, other.statement
    );
    Some(contradiction(one.statement, other.statement, text))
}

/// Statement that contains one of two opposite words.
struct OppositeWord<'a> {
    statement: usize,
    word: &'static str,
    text: &'a str,
    /// Stems of the other words that can name a thing.
    things: BTreeSet<String>,
}

/// Finds two different values with the same unit in clauses about the same thing.
fn two_limits(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let mut limits: BTreeMap<String, Vec<Limit<'_>>> = BTreeMap::new();
    for quantity in &analysis.quantities {
        let Some((_, unit)) = quantity.text.split_once(' ') else { continue };
        if unit.is_empty() || !quantity.text.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let unit = content(unit).into_iter().collect::<Vec<_>>().join(" ");
        limits.entry(unit).or_default().push(Limit::of(analysis, quantity));
    }
    let mut found = Vec::new();
    for values in limits.values() {
        for (at, one) in values.iter().enumerate() {
            if let Some(other) = values[at + 1..].iter().find(|other| one.contradicts(other)) {
                let (one, other) = (one.quantity, other.quantity);
                let text = format!(
                    "S{} says “{}”, S{} says “{}” of the same thing. Which one holds?",
                    one.statement, one.text, other.statement, other.text
                );
                found.push(contradiction(one.statement, other.statement, text));
            }
        }
    }
    found
}

/// Stems that say nothing about the thing that a clause limits.
const GENERAL: &[&str] = &[
    "user", "system", "app", "minute", "hour", "day", "limit", "have", "take", "last", "allow", "most",
    "least",
];

/// Quantity with the direction of its limit and the words of its clause.
struct Limit<'a> {
    quantity: &'a Quantity,
    is_least: bool,
    is_most: bool,
    /// Stems of the nouns and verbs of the clause.
    words: BTreeSet<String>,
}

impl<'a> Limit<'a> {
    /// Reads the clause around a quantity: the direction of its limit, and its words.
    fn of(analysis: &IdeaAnalysis, quantity: &'a Quantity) -> Self {
        let clause = clause(analysis, quantity);
        let is = |words: &[&str]| words.iter().any(|word| clause.contains(word));
        Self {
            quantity,
            is_least: is(&["at least", "minimum", "or more"]),
            is_most: is(&["at most", "up to", "no more than", "maximum", "under", "within", "or less"]),
            words: telling_words(&clause, quantity),
        }
    }

    /// Returns true if two different values of different statements limit the same thing: all words of
    /// one clause are in the other, and they are not a lower and an upper limit. One shared noun is not
    /// enough.
    fn contradicts(&self, other: &Self) -> bool {
        let (one, two) = (self.quantity, other.quantity);
        let is_range = self.is_least != self.is_most
            && other.is_least != other.is_most
            && self.is_least != other.is_least;
        let (fewer, more) = if self.words.len() <= other.words.len() {
            (&self.words, &other.words)
        } else {
            (&other.words, &self.words)
        };
        one.text != two.text
            && one.statement != two.statement
            && !is_range
            && !fewer.is_empty()
            && fewer.is_subset(more)
    }
}

/// Returns the part of the quantity's statement that contains it, between commas and conjunctions, in
/// lower case.
fn clause(analysis: &IdeaAnalysis, quantity: &Quantity) -> String {
    let text = analysis.statement(quantity.statement).map(|it| it.text.to_lowercase()).unwrap_or_default();
    let value = quantity.text.to_lowercase();
    let parted =
        text.replace(" and ", ", ").replace(" but ", ", ").replace(", or ", ", ").replace(" then ", ", ");
    let is_border = |c: char| matches!(c, ';' | ':' | '(' | ')' | '–' | '—');
    let mut parts = parted.split(is_border).flat_map(|part| part.split(", "));
    parts.find(|part| part.contains(&value)).map_or(text.clone(), str::to_owned)
}

/// Returns the stems of the nouns and verbs of a clause, without those of the quantity and general
/// ones.
fn telling_words(clause: &str, quantity: &Quantity) -> BTreeSet<String> {
    let units = content(&quantity.text);
    let of_thing = tokens(clause);
    let words = of_thing
        .iter()
        .filter(|token| token.speech == WordClass::Noun || matches!(token.speech, WordClass::Verb(_)))
        .map(|token| stem(&token.lower));
    words.filter(|word| !units.contains(word) && !GENERAL.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradictions(idea: &str) -> Vec<String> {
        find(&IdeaAnalysis::of(idea)).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn an_exception_from_a_removal_is_no_exclusion() {
        let analysis =
            IdeaAnalysis::of("Everything of the day is deleted at midnight except the counts per hour.");
        assert_eq!(analysis.exclusions, []);
    }

    #[test]
    fn words_about_people_and_pairs_of_cases_rule_nothing_out() {
        for idea in [
            "Visitors without internet come without a slot and wait.",
            "After the repair the repairer notes fixed, not fixed or comes again, and what was wrong.",
        ] {
            assert_eq!(IdeaAnalysis::of(idea).exclusions, [], "{idea}");
        }
        for (idea, excluded) in
            [("A recipe app without comments.", "comments"), ("A page, not an app.", "app")]
        {
            let analysis = IdeaAnalysis::of(idea);
            assert!(
                analysis.exclusions.iter().any(|it| it.text == excluded),
                "{idea}: {:?}",
                analysis.exclusions
            );
        }
    }

    #[test]
    fn two_values_contradict_only_in_clauses_about_one_thing() {
        for idea in [
            "Scan the order number, take 4 photos, add a voice note of up to 60 seconds. The mechanic finds all photos of an order within 2 seconds.",
            "A photo loads within 2 seconds. A photo is uploaded within 10 seconds.",
            "A session lasts at least 5 minutes. A session lasts at most 30 minutes.",
        ] {
            assert_eq!(contradictions(idea), Vec::<String>::new(), "{idea}");
        }
        for idea in [
            "Uploads are limited to 10 MB. Users upload videos. An upload may have up to 50 MB.",
            "Sessions expire after 10 minutes. Users log in, and a session expires after 30 minutes.",
        ] {
            assert_eq!(contradictions(idea).len(), 1, "{idea}");
        }
    }
}
