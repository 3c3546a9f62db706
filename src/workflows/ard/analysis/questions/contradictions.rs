//! Finds contradictions in an idea. Each is a question that keeps a draft from being verified.

use std::collections::{BTreeMap, BTreeSet};

use super::super::stems::{naming_stems, stem, stems};
use super::super::tokens::{Speech, is_small_word, tokens};
use super::super::{IdeaAnalysis, OpenQuestion};
use super::question;

fn contradiction(one: usize, other: usize, text: String) -> OpenQuestion {
    OpenQuestion { contradicts: Some(one.min(other)), ..question(one.max(other), 5, text, "") }
}

/// Finds contradictions: required and excluded, online and offline, two limits of one thing, "only" against "everyone".
pub(super) fn find(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let mut found = Vec::new();
    for exclusion in &analysis.exclusions {
        let excluded = content(&exclusion.text);
        let required = analysis.requirements.iter().find(|requirement| {
            let stems = naming_stems(&requirement.text, &exclusion.text);
            !excluded.is_empty() && excluded.iter().all(|word| stems.contains(word))
        });
        if let Some(required) = required {
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

/// Words that tell one thing from another.
fn content(text: &str) -> BTreeSet<String> {
    let small = [
        "a", "an", "the", "any", "of", "for", "to", "in", "on", "be", "kind", "all", "other", "support",
        "feature",
    ];
    stems(text).into_iter().filter(|word| !small.contains(&word.as_str())).collect()
}

/// Words that can name a thing: neither small words nor spans of time.
fn things(text: &str) -> BTreeSet<String> {
    let spans = ["hour", "day", "week", "month", "year", "minute", "time"];
    let mut words = content(text);
    words.retain(|word| word.len() > 3 && !is_small_word(word) && !spans.contains(&word.as_str()));
    words
}

/// Words that exclude each other when both are required.
struct Opposites {
    one: &'static [&'static str],
    other: &'static [&'static str],
    /// Number of telling words that two statements must share to be about one thing; 0 for properties of the whole system.
    shared: usize,
}

const OPPOSITES: &[Opposites] = &[
    Opposites {
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
    Opposites {
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
    Opposites {
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
    Opposites {
        one: &["free of charge", "completely free", "no payment", "free for everyone", "no fees"],
        other: &["subscription", "pay for", "paid plan", "checkout", "monthly fee", "credit card"],
        shared: 0,
    },
    Opposites {
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
    Opposites {
        one: &["single user", "one user only", "for myself", "only for me", "just me"],
        other: &["other users", "share with", "invite", "teams"],
        shared: 0,
    },
    Opposites {
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

fn opposites(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let texts: Vec<(usize, String)> = analysis
        .statements
        .iter()
        .map(|statement| (statement.number, format!(" {} ", statement.text.to_lowercase().replace('’', "'"))))
        .collect();
    OPPOSITES.iter().filter_map(|opposites| find_pair(opposites, &texts)).collect()
}

/// Returns a question for the first two statements with opposite words about one thing.
fn find_pair(opposites: &Opposites, texts: &[(usize, String)]) -> Option<OpenQuestion> {
    let with = |words: &'static [&'static str]| {
        let hits = texts.iter().filter_map(move |(at, text)| {
            let word = words.iter().find(|word| text.contains(*word))?;
            Some((*at, *word, text.as_str()))
        });
        hits.collect::<Vec<_>>()
    };
    let is_denied = |text: &str, word: &str| {
        ["no ", "not ", "without ", "never ", "n't "].iter().any(|no| text.contains(&format!("{no}{word}")))
    };
    let others = with(opposites.other);
    let pairs = with(opposites.one).into_iter().flat_map(|one| others.iter().map(move |other| (one, *other)));
    let mut found = pairs.filter(|((_, first, text), (_, second, other))| {
        let shared =
            things(&text.replace(first, " ")).intersection(&things(&other.replace(second, " "))).count();
        !is_denied(other, second) && shared >= opposites.shared
    });
    let ((one, first, _), (other, second, _)) = found.next()?;
    let text = format!("“{first}” (S{one}) and “{second}” (S{other}) exclude each other. Which one holds?");
    Some(contradiction(one, other, text))
}

/// Finds two values with one unit in statements about one thing.
fn two_limits(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let mut limits: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for quantity in &analysis.quantities {
        let Some((_, unit)) = quantity.text.split_once(' ') else { continue };
        if unit.is_empty() || !quantity.text.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        limits
            .entry(content(unit).into_iter().collect::<Vec<_>>().join(" "))
            .or_default()
            .push((quantity.statement, &quantity.text));
    }
    let mut found = Vec::new();
    for values in limits.values() {
        for (at, (statement, text)) in values.iter().enumerate() {
            let other = values[at + 1..].iter().find(|(other, value)| {
                value != text && other != statement && shares_topic(analysis, *statement, *other)
            });
            if let Some((other, value)) = other {
                found.push(contradiction(
                    *statement,
                    *other,
                    format!("S{statement} says “{text}”, S{other} says “{value}” of the same thing. Which one holds?"),
                ));
            }
        }
    }
    found
}

/// Returns true if two statements share a noun besides their quantities, and limit in the same direction.
fn shares_topic(analysis: &IdeaAnalysis, one: usize, other: usize) -> bool {
    let words = |number: usize| -> BTreeSet<String> {
        let text = analysis.statement(number).map(|statement| statement.text.clone()).unwrap_or_default();
        let units: BTreeSet<String> = analysis
            .quantities
            .iter()
            .filter(|it| it.statement == number)
            .flat_map(|it| content(&it.text))
            .collect();
        let lower = text.to_lowercase();
        tokens(&lower)
            .iter()
            .filter(|token| token.speech == Speech::Noun || matches!(token.speech, Speech::Verb(_)))
            .map(|token| stem(&token.lower))
            .filter(|word| {
                !units.contains(word)
                    && !["user", "system", "app", "minute", "hour", "day"].contains(&word.as_str())
            })
            .collect()
    };
    let direction = |number: usize| {
        let text = analysis.statement(number).map(|it| it.text.to_lowercase()).unwrap_or_default();
        let is = |words: &[&str]| words.iter().any(|word| text.contains(word));
        (
            is(&["at least", "minimum", "or more"]),
            is(&["at most", "up to", "no more than", "maximum", "under", "within", "or less"]),
        )
    };
    let apart = matches!(
        (direction(one), direction(other)),
        ((true, false), (false, true)) | ((false, true), (true, false))
    );
    !apart && words(one).intersection(&words(other)).next().is_some()
}
