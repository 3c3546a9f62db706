//! Numbers of a draft that the idea does not hold, and numbers of the idea that a requirement lost.

use super::measures::{Measures, NumberWords};
use super::{GateFinding, GateInput};
use crate::workflows::ard::exchange::DesignDraft;

/// Finds numbers in purposes and requirements that come from no statement, no decision of the author, and no part of the
/// draft that is the architect's own: assumptions, decisions, quality goals, questions.
pub(super) fn invented(input: &GateInput<'_>) -> Vec<GateFinding> {
    let draft = input.draft;
    let idea = Measures::of(&idea_text(input), NumberWords::Read);
    let mut backing = Measures::of(&own_text(draft), NumberWords::Read);
    let decided = input.clarifications.iter().map(|decided| decided.answer.as_str());
    backing.extend(Measures::of(&decided.collect::<Vec<_>>().join(". "), NumberWords::Read));
    let purposes =
        draft.components.iter().map(|component| (component.name.clone(), component.purpose.as_str()));
    let requirements = (1..)
        .zip(&draft.requirements)
        .map(|(number, it): (usize, _)| (format!("requirement {number}"), it.text.as_str()));
    let mut found = Vec::new();
    for (place, text) in purposes.chain(requirements) {
        for measure in Measures::of(text, NumberWords::Ignored).measured {
            let plain = measure.plain();
            let is_backed = idea.hold(&measure, plain) || backing.hold(&measure, plain);
            // Counts are often part of a design; only one that contradicts a count of the idea is a fault.
            let is_checked = !measure.is_count() || (plain > 1.0 && idea.count_same(&measure));
            if !is_backed && is_checked {
                found.push(GateFinding::InventedNumber { place: place.clone(), number: measure.text });
            }
        }
    }
    found
}

/// Finds numbers of statements that have requirements, but no requirement or quality goal with the number.
pub(super) fn lost(input: &GateInput<'_>) -> Vec<GateFinding> {
    let draft = input.draft;
    let requirements = draft.requirements.iter().map(|it| format!("{} {}", it.text, it.check));
    let mut parts: Vec<String> = requirements.collect();
    parts.extend(draft.components.iter().map(|it| it.purpose.clone()));
    parts.push(own_text(draft));
    let held = Measures::of(&parts.join(". "), NumberWords::Read);
    let mut found = Vec::new();
    for statement in &input.analysis.statements {
        let number = u32::try_from(statement.number).unwrap_or(u32::MAX);
        let is_traced = draft.requirements.iter().any(|it| it.from.contains(&number));
        if !is_traced {
            continue;
        }
        let measures = Measures::of(&statement.text, NumberWords::Ignored).measured;
        let missing = measures.into_iter().find(|measure| !held.hold(measure, measure.plain()));
        found.extend(
            missing
                .map(|measure| GateFinding::LostNumber { number: measure.text, statement: statement.number }),
        );
    }
    found
}

fn idea_text(input: &GateInput<'_>) -> String {
    let statements = input.analysis.statements.iter().flat_map(|it| [it.lead.clone(), it.text.clone()]);
    statements.chain(input.analysis.attachments.iter().cloned()).collect::<Vec<_>>().join(". ")
}

/// Returns the parts of a draft that hold the architect's own choices.
fn own_text(draft: &DesignDraft) -> String {
    let mut parts = draft.assumptions.clone();
    for decision in &draft.decisions {
        parts.extend([decision.decision.clone(), decision.reason.clone()]);
        parts.extend(decision.alternatives.iter().cloned());
    }
    parts.extend(draft.quality.iter().map(|it| format!("{} {}", it.quality, it.measure)));
    parts.extend(draft.questions.iter().map(|it| format!("{} {}", it.question, it.assumption)));
    parts.join(". ")
}
