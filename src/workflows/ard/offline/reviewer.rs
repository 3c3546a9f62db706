//! Reviewer by rules: exact checks (ARD-48) of a draft by any author. A draft without findings is not
//! verified by that.

use std::collections::BTreeSet;

use super::{ReviewRequest, decision};
use crate::workflows::ard::analysis::{is_small_word, stems};
use crate::workflows::ard::exchange::{Category, Component, DesignDraft, Review, mentions};
use crate::workflows::ard::input::settings::OnAmbiguity;

/// Stems of words that say nothing about a component.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "the",
    "and",
    "or",
    "of",
    "for",
    "to",
    "in",
    "on",
    "with",
    "by",
    "it",
    "this",
    "that",
    "all",
    "any",
    "be",
    "do",
    "have",
    "handle",
    "manage",
    "process",
    "support",
    "provide",
    "perform",
    "control",
    "operate",
    "run",
    "use",
    "data",
    "thing",
    "things",
    "stuff",
    "module",
    "component",
    "system",
    "service",
    "part",
    "logic",
    "functionality",
    "feature",
    "operation",
    "task",
    "information",
    "item",
    "various",
    "other",
    "application",
    "app",
    "core",
    "main",
];

/// Reviews a draft: names that no component has, and vague purposes. Depends only on the request. If
/// the user is asked, vague purposes get options.
pub(super) fn review(request: &ReviewRequest) -> Review {
    let draft = &request.draft;
    let mut challenges: Vec<(Category, String)> =
        relies_on_unknown(draft).into_iter().map(|text| (Category::Consistency, text)).collect();
    let is_settled = |component: &Component| {
        request.clarifications.iter().any(|decided| decision::stands_in(&component.purpose, decided))
    };
    let vague: Vec<_> =
        draft.components.iter().filter(|it| is_vague(&it.purpose) && !is_settled(it)).collect();
    challenges.extend(vague.iter().map(|component| challenge_purpose(component)));
    let mut review = Review::from_challenges(challenges);
    if request.on_ambiguity == OnAmbiguity::Ask {
        let asked = review.challenges.iter_mut().filter(|it| it.category == Category::Ambiguity);
        asked.zip(vague).for_each(|(challenge, component)| {
            challenge.options = decision::options(component, draft);
        });
    }
    review
}

/// Returns a description of the fault for each component whose purpose names components that do not
/// exist.
pub(super) fn relies_on_unknown(draft: &DesignDraft) -> Vec<String> {
    let names = |index: usize| {
        let unknown = unknown_names(draft, index);
        let unknown: Vec<_> = unknown.iter().map(String::as_str).collect();
        (!unknown.is_empty()).then(|| {
            format!(
                "{} relies on {}, which no component provides.",
                draft.components[index].name,
                join_names(&unknown)
            )
        })
    };
    (0..draft.components.len()).filter_map(names).collect()
}

/// Joins names to "A, B and C".
pub(super) fn join_names(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        _ => names.concat(),
    }
}

/// Returns the challenge of a component with a vague purpose.
fn challenge_purpose(component: &Component) -> (Category, String) {
    let Component { name, purpose, .. } = component;
    let purpose = super::text::quoted(purpose);
    (Category::Ambiguity, format!("{name} has a vague purpose (“{purpose}”): what comes in, what goes out?"))
}

/// Returns true if a purpose consists only of words that say nothing about a component.
pub(in super::super) fn is_vague(purpose: &str) -> bool {
    stems(purpose).iter().all(|word| EMPTY.contains(&word.as_str()) || is_small_word(word))
}

/// Returns the words in a purpose that look like component names but name none, sorted. Names that the
/// purpose declares to be outside of the system are left out. `index` is the position of the component.
pub(super) fn unknown_names(draft: &DesignDraft, index: usize) -> Vec<String> {
    let purpose = &draft.components[index].purpose;
    let is_outside = |name: &str| purpose.contains(&format!("{name} is outside of this system"));
    let is_known = |name: &str| draft.components.iter().any(|component| component.name == name);
    let names: BTreeSet<_> =
        purpose.split(|c: char| !c.is_alphanumeric()).filter(|word| looks_like_component(word)).collect();
    names.into_iter().filter(|name| !is_known(name) && !is_outside(name)).map(str::to_owned).collect()
}

/// Returns true for a `PascalCase` word of two or more parts that ends in a word such as `Store` or
/// `Service`. Brand names such as `GitHub` do not.
fn looks_like_component(word: &str) -> bool {
    const PARTS: &[&str] = &[
        "Store",
        "Service",
        "Queue",
        "Cache",
        "Database",
        "Api",
        "API",
        "View",
        "Page",
        "Dashboard",
        "Form",
        "Agent",
        "Worker",
        "Scheduler",
        "Sender",
        "Manager",
        "Engine",
        "Gateway",
        "Handler",
        "Repository",
        "Index",
        "Importer",
        "Exporter",
        "Validator",
        "Parser",
        "Monitor",
        "Notifier",
        "Component",
        "Module",
        "Subsystem",
    ];
    let part = PARTS.iter().find_map(|part| word.strip_suffix(part)).unwrap_or_default();
    part.chars().count() > 1
        && part.starts_with(char::is_uppercase)
        && part.ends_with(|c: char| c.is_lowercase() || c.is_numeric())
}

/// Returns pairs of component positions: the purpose of the first component names the second.
pub(super) fn links(draft: &DesignDraft) -> impl Iterator<Item = (usize, usize)> {
    draft.components.iter().enumerate().flat_map(move |(from, component)| {
        let is_named = move |(_, other): &(usize, &Component)| mentions(&component.purpose, &other.name);
        let named = draft.components.iter().enumerate().filter(is_named);
        named.map(move |(to, _)| (from, to)).filter(|(from, to)| from != to)
    })
}
