//! Finds numbers of a draft that the idea does not have, and numbers of the idea that the draft lost.

use super::measures::{Measures, NumberWords};
use super::{GateFinding, GateInput, for_each_text, plain_words};
use crate::workflows::ard::exchange::DesignDraft;

/// Words that make a count a limit.
const LIMITS: [&str; 18] = [
    "at most",
    "at least",
    "up to",
    "max",
    "maximum",
    "min",
    "minimum",
    "no more",
    "more than",
    "fewer than",
    "less than",
    "below",
    "above",
    "exactly",
    "limit",
    "limited",
    "within",
    "only",
];

/// Finds numbers in purposes and requirements that no statement, no decision of the author and no
/// choice of the architect (assumptions, decisions, quality goals, questions) has. A count is a fault
/// only if the idea counts the same thing.
pub(super) fn invented(input: &GateInput<'_>) -> Vec<GateFinding> {
    let draft = input.draft;
    let idea = Measures::of(&idea_text(input), NumberWords::Read);
    let mut backing = Measures::of(&own_text(draft), NumberWords::Read);
    let decided = input.clarifications.iter().map(|decided| decided.answer.as_str());
    backing.extend(Measures::of(&decided.collect::<Vec<_>>().join(". "), NumberWords::Read));
    let purposes =
        draft.components.iter().map(|component| (component.name.clone(), component.purpose.as_str()));
    let requirements = (1..).zip(&draft.requirements).map(|(number, it): (usize, _)| {
        (format!("requirement {number} (“{}”)", beginning(&it.text)), it.text.as_str())
    });
    let mut found = Vec::new();
    for (place, text) in purposes.chain(requirements) {
        for measure in Measures::of(text, NumberWords::Ignored).measured {
            let plain = measure.plain();
            let is_backed = idea.hold(&measure, plain) || backing.hold(&measure, plain);
            // Counts are often part of a design; only a count that contradicts one of the idea is a fault.
            let is_checked = !measure.is_count() || (plain > 1.0 && idea.count_same(&measure));
            if !is_backed && is_checked {
                found.push(GateFinding::InventedNumber { place: place.clone(), number: measure.text });
            }
        }
    }
    found
}

/// Finds numbers of statements that the draft's requirements cite, but that are nowhere in the draft. A
/// count is demanded only of a statement that sets a limit: "our choir of 70 singers" describes the
/// author.
pub(super) fn lost(input: &GateInput<'_>) -> Vec<GateFinding> {
    let draft = input.draft;
    let mut texts = Vec::new();
    let mut content = serde_json::to_value(draft).expect("a draft is plain data");
    for_each_text(&mut content, &mut |text| texts.push(std::mem::take(text)));
    let held = Measures::of(&texts.join(". "), NumberWords::Read);
    let mut found = Vec::new();
    for statement in &input.analysis.statements {
        let number = u32::try_from(statement.number).unwrap_or(u32::MAX);
        let is_traced = draft.requirements.iter().any(|it| it.from.contains(&number));
        if !is_traced {
            continue;
        }
        let text = format!(" {} ", plain_words(&statement.text).join(" "));
        let is_limit = LIMITS.iter().any(|limit| text.contains(&format!(" {limit} ")));
        let measures = Measures::of(&statement.text, NumberWords::Ignored).measured;
        let missing = measures
            .into_iter()
            .find(|measure| (is_limit || !measure.is_count()) && !held.hold(measure, measure.plain()));
        found.extend(
            missing
                .map(|measure| GateFinding::LostNumber { number: measure.text, statement: statement.number }),
        );
    }
    found
}

/// Returns the first six words of a text, with `…` if there are more.
fn beginning(text: &str) -> String {
    const WORDS: usize = 6;
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.get(..WORDS) {
        Some(first) if words.len() > WORDS => format!("{} …", first.join(" ")),
        _ => words.join(" "),
    }
}

/// Returns the statements and attachments of the idea as one text.
fn idea_text(input: &GateInput<'_>) -> String {
    let statements = input.analysis.statements.iter().flat_map(|it| [it.lead.clone(), it.text.clone()]);
    statements.chain(input.analysis.attachments.iter().cloned()).collect::<Vec<_>>().join(". ")
}

/// Returns the texts of a draft that are the architect's own choices and may have numbers of their own.
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
