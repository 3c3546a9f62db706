//! The reviewer by rules: the three checks of ARD-48. Judges any draft, whoever made it.

use std::collections::BTreeSet;

use super::{
    ReviewRequest, decision,
    parts::{IdeaPart, read},
    stems::{humps, stems, telling},
    words::words,
};
use crate::workflows::ard::exchange::{Category, Component, ComponentKind, DesignDraft, Review, mentions};
use crate::workflows::ard::input::settings::OnAmbiguity;

/// Reviews a draft. Depends on nothing but the request.
pub(super) fn review(request: &ReviewRequest) -> Review {
    let draft = &request.draft;
    let mut challenges = missing(&request.rough_idea, draft);
    challenges.extend(inconsistent(draft));
    let vague: Vec<_> =
        draft.components.iter().filter(|it| is_vague(&it.purpose) && !is_settled(it, request)).collect();
    challenges.extend(vague.iter().map(|component| unclear(component)));
    let mut review = Review::from_challenges(challenges);
    if request.on_ambiguity == OnAmbiguity::Ask {
        let reading = read(&request.rough_idea);
        let asked = review.challenges.iter_mut().filter(|it| it.category == Category::Ambiguity);
        asked.zip(vague).for_each(|(challenge, component)| {
            challenge.options = decision::options(component, draft, &reading);
        });
    }
    review
}

/// Completeness: what the idea speaks of has to be in the draft.
fn missing(idea: &str, draft: &DesignDraft) -> Vec<(Category, String)> {
    let reading = read(idea);
    let covered: Vec<_> = draft.components.iter().map(|component| (component, about(component))).collect();
    let all: BTreeSet<_> = covered.iter().flat_map(|(_, stems)| stems.clone()).collect();
    let unheard = |text: &str| !telling(text).is_subset(&all);
    let mut found = Vec::new();
    for part in &reading.parts {
        let IdeaPart { name, statements, .. } = part;
        if !covered.iter().any(|(component, stems)| covers(component, stems, part)) {
            let quote = &statements[0].quote;
            found
                .push(format!("The idea says “{quote}”, but no component takes that on; {name} is missing."));
        } else if let Some(said) = statements.iter().find(|statement| unheard(&statement.purpose)) {
            found.push(format!("The idea says “{}” of {name}, but no purpose does.", said.quote));
        }
    }
    let remarks = reading.remarks.iter().filter(|remark| unheard(remark));
    found.extend(remarks.map(|remark| format!("The idea says “{remark}”, but no component answers for it.")));
    found.into_iter().map(|description| (Category::Completeness, description)).collect()
}

/// Stems of the name and the purpose.
fn about(component: &Component) -> BTreeSet<String> {
    let mut stems = stems(&component.purpose);
    stems.extend(super::stems::stems(&component.name));
    stems
}

/// Whether a component is, or does, what the idea says of a part. One that the idea names needs its type too: a page
/// is not there because a purpose mentions it.
fn covers(component: &Component, stems: &BTreeSet<String>, part: &IdeaPart) -> bool {
    let tangible = !matches!(part.kind, ComponentKind::Subsystem | ComponentKind::Utility);
    let same_kind = !(tangible && part.is_named()) || component.kind == part.kind;
    component.name == part.name || (same_kind && part.key().is_subset(stems))
}

/// Consistency: what a purpose names has to exist, and the parts have to hang together.
fn inconsistent(draft: &DesignDraft) -> Vec<(Category, String)> {
    let mut found = relies_on_unknown(draft);
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

/// What purposes name and no component provides.
pub(super) fn relies_on_unknown(draft: &DesignDraft) -> Vec<String> {
    let mut found = Vec::new();
    for (index, component) in draft.components.iter().enumerate() {
        let unknown = unknown_names(draft, index);
        if !unknown.is_empty() {
            let unknown: Vec<_> = unknown.iter().map(String::as_str).collect();
            found.push(format!(
                "{} relies on {}, which no component provides.",
                component.name,
                listed(&unknown)
            ));
        }
    }
    found
}

/// "A, B and C".
pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        _ => names.concat(),
    }
}

/// Ambiguity: a purpose has to say something.
fn unclear(component: &Component) -> (Category, String) {
    let Component { name, purpose, .. } = component;
    let purpose = super::text::quoted(purpose);
    (Category::Ambiguity, format!("{name} has a vague purpose (“{purpose}”): what comes in, what goes out?"))
}

/// Whether the user has said what is meant; nobody asks again.
fn is_settled(component: &Component, request: &ReviewRequest) -> bool {
    request.clarifications.iter().any(|decided| decision::stands_in(&component.purpose, decided))
}

/// Whether a purpose holds no word that tells it from another; names of components do not count.
pub(super) fn is_vague(purpose: &str) -> bool {
    let words = words(purpose, usize::MAX);
    words.iter().filter(|word| humps(word.text).len() == 1).all(|word| telling(word.text).is_empty())
}

/// Names in a purpose that look like those of components and are none, unless they are declared to be outside.
pub(super) fn unknown_names(draft: &DesignDraft, index: usize) -> Vec<String> {
    let purpose = &draft.components[index].purpose;
    let outside = |name: &str| purpose.contains(&format!("{name} is outside of this system"));
    let known = |name: &str| draft.components.iter().any(|component| component.name == name);
    let words = words(purpose, usize::MAX);
    let names: BTreeSet<_> =
        words.iter().map(|word| word.text).filter(|word| looks_like_a_name(word)).collect();
    names.into_iter().filter(|name| !known(name) && !outside(name)).map(str::to_owned).collect()
}

/// Two humps or more that end in a word for a part, such as `OrderStore`; brand names such as `GitHub` are let alone.
fn looks_like_a_name(word: &str) -> bool {
    let humps = humps(word);
    let head = humps.last().map(|head| head.to_lowercase()).unwrap_or_default();
    humps.len() > 1 && word.chars().all(char::is_alphanumeric) && super::lexicon::part_kind(&head).is_some()
}

/// Of each group of components that is not linked to the first one by names in purposes, the first.
pub(super) fn cut_off(draft: &DesignDraft) -> Vec<usize> {
    let mut group: Vec<usize> = (0..draft.components.len()).collect();
    for (from, to) in links(draft) {
        let (kept, gone) = (group[from].min(group[to]), group[from].max(group[to]));
        group.iter_mut().filter(|member| **member == gone).for_each(|member| *member = kept);
    }
    let mut seen = BTreeSet::from([0]);
    (0..group.len()).filter(|&index| seen.insert(group[index])).collect()
}

/// Pairs of components of which the first names the second in its purpose.
pub(super) fn links(draft: &DesignDraft) -> impl Iterator<Item = (usize, usize)> {
    draft.components.iter().enumerate().flat_map(move |(from, component)| {
        let named = move |(_, other): &(usize, &Component)| mentions(&component.purpose, &other.name);
        draft
            .components
            .iter()
            .enumerate()
            .filter(named)
            .map(move |(to, _)| (from, to))
            .filter(|(from, to)| from != to)
    })
}
