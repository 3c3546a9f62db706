//! Finds contradictions in an idea. Each is a question that keeps a draft from being verified.

use std::collections::{BTreeMap, BTreeSet};

use super::super::stems::{naming_stems, stem, stems};
use super::super::tokens::{Speech, tokens};
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

/// Pairs of words that exclude each other when both are required.
const OPPOSITES: &[(&[&str], &[&str])] = &[
    (
        &["offline", "no internet", "without internet", "no network", "without network", "air-gapped"],
        &[
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
    ),
    (
        &[
            "no account",
            "without account",
            "no login",
            "without login",
            "no sign",
            "without sign",
            "anonymous",
        ],
        &[
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
    ),
    (
        &[
            "only admin",
            "only the admin",
            "admins only",
            "only manager",
            "managers only",
            "only staff",
            "only teachers",
        ],
        &[
            "everyone can",
            "anyone can",
            "everybody can",
            "all users can",
            "any user can",
            "open to everyone",
            "every user can",
        ],
    ),
    (
        &["free of charge", "completely free", "no payment", "free for everyone", "no fees"],
        &["subscription", "pay for", "paid plan", "checkout", "monthly fee", "credit card"],
    ),
    (
        &["never delete", "keep forever", "kept forever", "never deleted", "nothing is ever deleted"],
        &[
            "deleted after",
            "delete after",
            "are deleted",
            "purge",
            "is deleted",
            "expire after",
            "can delete",
        ],
    ),
    (
        &["single user", "one user only", "for myself", "only for me", "just me"],
        &["other users", "share with", "invite", "teams"],
    ),
    (
        &[
            "stateless",
            "nothing is stored",
            "stores nothing",
            "does not store",
            "no database",
            "no data is stored",
        ],
        &["history of", "saved", "is stored", "are stored", "keeps a", "remembers"],
    ),
];

fn opposites(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let texts: Vec<(usize, String)> = analysis
        .statements
        .iter()
        .map(|statement| (statement.number, format!(" {} ", statement.text.to_lowercase().replace('’', "'"))))
        .collect();
    let find = |words: &[&'static str]| {
        words
            .iter()
            .find_map(|word| texts.iter().find(|(_, text)| text.contains(word)).map(|(at, _)| (*at, *word)))
    };
    let pairs = OPPOSITES.iter().filter_map(|(one, other)| Some((find(one)?, find(other)?)));
    pairs
        .filter(|((at, _), (other, word))| at != other || !texts[at - 1].1.contains(&format!("no {word}")))
        .filter(|((_, _), (other, word))| {
            let text = &texts[other - 1].1;
            !["no ", "not ", "without ", "never ", "n't "]
                .iter()
                .any(|no| text.contains(&format!("{no}{word}")))
        })
        .map(|((one, first), (other, second))| {
            contradiction(
                one,
                other,
                format!("“{first}” (S{one}) and “{second}” (S{other}) exclude each other. Which one holds?"),
            )
        })
        .collect()
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
