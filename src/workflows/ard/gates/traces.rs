//! Finds faults of traces, names and answers of a draft: statements that nothing covers, names that do
//! not exist, answers without a change.

use super::{GateFinding, GateInput, for_each_text};
use crate::workflows::ard::analysis::{IdeaAnalysis, Requirement, stems};
use crate::workflows::ard::exchange::{Challenge, DesignDraft, Disposition, changed_parts, mentions};
use crate::workflows::ard::offline::{is_vague, leaves_out};

/// Minimum number of telling words of an idea that a draft can miss.
const TELLING_WORDS: usize = 3;
/// Minimum length of a telling word, in characters.
const TELLING_LENGTH: usize = 4;

/// Returns `OffTopic` if a draft shares no telling word with the requirements of the idea. Ideas with
/// too few such words pass.
pub(super) fn off_topic(input: &GateInput<'_>) -> Option<GateFinding> {
    let required: Vec<&str> = input.analysis.requirements.iter().map(|it| it.text.as_str()).collect();
    let mut wanted = stems(&required.join(" "));
    wanted.retain(|word| word.chars().count() >= TELLING_LENGTH && !is_vague(word));
    let mut texts = Vec::new();
    let mut content = serde_json::to_value(input.draft).expect("a draft is plain data");
    for_each_text(&mut content, &mut |text| texts.push(std::mem::take(text)));
    let found = stems(&texts.join(" "));
    (wanted.len() >= TELLING_WORDS && wanted.is_disjoint(&found)).then_some(GateFinding::OffTopic)
}

/// Finds statements with a requirement that the traces of a draft (`covers`, `from`) leave out, and
/// traces to statements that do not exist. A draft without traces has no findings, because a comparison
/// of words would refuse good drafts.
pub(super) fn untraced(input: &GateInput<'_>) -> Vec<GateFinding> {
    let draft = input.draft;
    let traced: Vec<u32> = draft
        .components
        .iter()
        .flat_map(|component| component.covers.iter())
        .chain(draft.requirements.iter().flat_map(|it| it.from.iter()))
        .chain(draft.quality.iter().flat_map(|it| it.from.iter()))
        .copied()
        .collect();
    let is_cut = input.clarifications.iter().any(leaves_out);
    if traced.is_empty() || is_cut {
        return Vec::new();
    }
    let is_open = |it: &&Requirement| {
        // The whole draft is the product.
        !input.analysis.is_product(it)
            && !u32::try_from(it.statement).is_ok_and(|number| traced.contains(&number))
            && !is_answered_otherwise(input.analysis, it.statement)
    };
    let mut open = input.analysis.requirements.iter().filter(is_open).collect::<Vec<_>>();
    open.dedup_by_key(|it| it.statement);
    let mut found: Vec<_> = open
        .into_iter()
        .map(|it| GateFinding::NotCovered { statement: it.statement, text: it.text.clone() })
        .collect();
    let count = input.analysis.statements.len();
    let beyond = traced.iter().find(|number| **number == 0 || **number as usize > count);
    found.extend(beyond.map(|number| GateFinding::UnknownStatement { number: *number, count }));
    found
}

/// Returns true if a statement need not be covered: it is a constraint or an exclusion, or contradicts
/// another one.
fn is_answered_otherwise(analysis: &IdeaAnalysis, number: usize) -> bool {
    let mut remarks = analysis.constraints.iter().chain(&analysis.exclusions);
    remarks.any(|it| it.statement == number)
        || analysis.contradictions().any(|it| it.statement == Some(number) || it.contradicts == Some(number))
}

/// Finds names in relations that are neither components nor external systems; each name once.
pub(super) fn unknown_names(draft: &DesignDraft) -> Vec<GateFinding> {
    let is_known = |name: &str| {
        draft.components.iter().any(|it| it.name == name)
            || draft.external_systems.iter().any(|it| it.name == name)
    };
    let mut found = Vec::new();
    for relation in &draft.relations {
        for name in [&relation.from, &relation.to] {
            let finding = GateFinding::UnknownName { name: name.clone() };
            if !is_known(name) && !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    found
}

/// Finds challenges that the draft's answers call fixed, although no component that they name changed.
/// Finds nothing if another part of the design changed, because that may be the answer.
pub(super) fn ignored(input: &GateInput<'_>) -> Vec<GateFinding> {
    let (Some(previous), Some(review)) = (input.earlier.last(), input.latest) else { return Vec::new() };
    let draft = input.draft;
    let is_same_set = {
        let names =
            |draft: &DesignDraft| draft.components.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        names(previous) == names(draft)
    };
    // A new component or another part of the design may be the answer.
    if !is_same_set || !changed_parts(previous, draft).is_empty() {
        return Vec::new();
    }
    let is_claimed = |challenge: &&Challenge| {
        let mut answers = draft.answers.iter();
        answers.any(|it| it.challenge == challenge.id && it.disposition == Disposition::Fixed)
    };
    let claimed = review.challenges.iter().filter(is_claimed);
    let unchanged = claimed.filter_map(|challenge| {
        let named: Vec<&str> = draft
            .components
            .iter()
            .map(|it| it.name.as_str())
            .filter(|name| is_about(challenge, name))
            .collect();
        let is_kept = |name: &&str| {
            let of = |draft: &DesignDraft| draft.components.iter().find(|it| it.name == **name).cloned();
            of(previous) == of(draft)
        };
        (!named.is_empty() && named.iter().all(is_kept)).then(|| GateFinding::IgnoredChallenge {
            challenge: challenge.id,
            components: named.iter().map(|name| (*name).to_owned()).collect(),
        })
    });
    unchanged.collect()
}

/// Returns true if a challenge lists the component or mentions it in its description.
fn is_about(challenge: &Challenge, name: &str) -> bool {
    challenge.components.iter().any(|other| other == name) || mentions(&challenge.description, name)
}
