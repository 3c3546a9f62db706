//! The reviewer by rules: the three checks of ARD-48. Judges any draft, whoever made it.

use std::collections::BTreeSet;

use super::{
    ReviewRequest,
    parts::{Part, read},
    stems::{humps, stems, telling},
    words::words,
};
use crate::workflows::ard::exchange::{Category, Component, Draft, Review, mentions};

/// Reviews a draft. Depends on nothing but the request.
pub(super) fn review(request: &ReviewRequest) -> Review {
    let draft = &request.draft;
    let mut challenges = missing(&request.rough_idea, draft);
    challenges.extend(inconsistent(draft));
    challenges.extend(vague(draft));
    Review::of(challenges)
}

/// Completeness: what the idea speaks of has to be in the draft.
fn missing(idea: &str, draft: &Draft) -> Vec<(Category, String)> {
    let reading = read(idea);
    let about = |component: &Component| {
        let mut stems = stems(&component.purpose);
        stems.extend(super::stems::stems(&component.name));
        stems
    };
    let covered: Vec<_> = draft.components.iter().map(about).collect();
    let names: BTreeSet<_> = draft.components.iter().map(|component| component.name.as_str()).collect();
    let is_missing = |part: &&Part| {
        let key = part.key();
        !names.contains(part.name.as_str()) && !covered.iter().any(|stems| key.is_subset(stems))
    };
    let parts = reading.parts.iter().filter(is_missing).map(|part| {
        format!("The idea says “{}”, but no component takes that on; {} is missing.", part.quote, part.name)
    });
    let all: BTreeSet<_> = covered.iter().flatten().collect();
    let unheard = |remark: &&String| telling(remark).iter().any(|stem| !all.contains(stem));
    let remarks = reading.remarks.iter().filter(unheard);
    let remarks = remarks.map(|remark| format!("The idea says “{remark}”, but no component answers for it."));
    parts.chain(remarks).map(|description| (Category::Completeness, description)).collect()
}

/// Consistency: what a purpose names has to exist, and the parts have to hang together.
fn inconsistent(draft: &Draft) -> Vec<(Category, String)> {
    let mut found = Vec::new();
    for (index, component) in draft.components.iter().enumerate() {
        if let Some(name) = unknown_name(draft, index) {
            found.push(format!("{} relies on {name}, which no component provides.", component.name));
        }
    }
    let alone: Vec<_> = cut_off(draft).iter().map(|&index| draft.components[index].name.as_str()).collect();
    if !alone.is_empty() {
        let verb = if alone.len() == 1 { "is" } else { "are" };
        found.push(format!(
            "{} {verb} cut off: no purpose says what the rest of the design gives or takes.",
            listed(&alone)
        ));
    }
    found.into_iter().map(|description| (Category::Consistency, description)).collect()
}

/// "A, B and C".
fn listed(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        _ => names.concat(),
    }
}

/// Ambiguity: a purpose has to say something.
fn vague(draft: &Draft) -> Vec<(Category, String)> {
    let vague = draft.components.iter().filter(|component| is_vague(&component.purpose));
    let challenge = |component: &Component| {
        let Component { name, purpose, .. } = component;
        let purpose = super::text::quoted(purpose);
        (Category::Ambiguity, format!("{name} has a vague purpose (“{purpose}”): what comes in, what goes out?"))
    };
    vague.map(challenge).collect()
}

/// Whether a purpose holds no word that tells it from another.
pub(super) fn is_vague(purpose: &str) -> bool {
    telling(purpose).is_empty()
}

/// A name in a purpose that looks like one of a component and is none, unless it is declared to be outside.
pub(super) fn unknown_name(draft: &Draft, index: usize) -> Option<String> {
    let purpose = &draft.components[index].purpose;
    let quoted = |start: usize| purpose[..start].matches('“').count() > purpose[..start].matches('”').count();
    let candidates = words(purpose, usize::MAX);
    let unknown = candidates.iter().find(|word| {
        let is_name = looks_like_a_name(word.text) && !quoted(word.start);
        let known = draft.components.iter().any(|component| component.name == word.text);
        is_name && !known && !purpose.contains(&format!("{} is outside of this system", word.text))
    });
    unknown.map(|word| word.text.to_owned())
}

/// Two humps or more that end in a word for a part, such as `OrderStore`; brand names such as `GitHub` are let alone.
fn looks_like_a_name(word: &str) -> bool {
    let humps = humps(word);
    let head = humps.last().map(|head| head.to_lowercase()).unwrap_or_default();
    humps.len() > 1 && word.chars().all(char::is_alphanumeric) && super::lexicon::part_kind(&head).is_some()
}

/// Of each group of components that is not linked to the first one by names in purposes, the first.
pub(super) fn cut_off(draft: &Draft) -> Vec<usize> {
    let mut group: Vec<usize> = (0..draft.components.len()).collect();
    for (from, to) in links(draft) {
        let (kept, gone) = (group[from].min(group[to]), group[from].max(group[to]));
        group.iter_mut().filter(|member| **member == gone).for_each(|member| *member = kept);
    }
    let mut seen = BTreeSet::from([0]);
    (0..group.len()).filter(|&index| seen.insert(group[index])).collect()
}

/// Pairs of components of which the first names the second in its purpose.
fn links(draft: &Draft) -> impl Iterator<Item = (usize, usize)> {
    draft.components.iter().enumerate().flat_map(move |(from, component)| {
        let named = move |(_, other): &(usize, &Component)| mentions(&component.purpose, &other.name);
        draft.components.iter().enumerate().filter(named).map(move |(to, _)| (from, to)).filter(|(from, to)| from != to)
    })
}
