//! Phase D by rules: what memory holds, counted; the writer does the rest (DOC-105, 129).

use super::plan::Plan;
use super::words::{count, enumerate};
use crate::workflows::doc_phases::memory::EntryType;
use crate::workflows::doc_phases::phase::{Completion, RoundDecision, RoundQuestion};

/// Entry types that are counted, each with a word for its entries.
const TYPES: &[(EntryType, &str)] = &[
    (EntryType::Architecture, "overview"),
    (EntryType::Component, "component"),
    (EntryType::File, "file"),
    (EntryType::DataModel, "data model"),
    (EntryType::Flow, "flow"),
    (EntryType::CrossCutting, "concern"),
];

/// Decides the next round of phase D by rules: queries for the numbers of entries, then the completion with
/// them. Changes nothing.
pub(super) fn next(round: &RoundQuestion) -> RoundDecision {
    let mut plan = Plan::new(round);
    let mut said = Vec::new();
    for (entry_type, what) in TYPES {
        if let Some((_, total)) = plan.entries(*entry_type) {
            said.push(count(total, what));
        }
    }
    if plan.waits() {
        return plan.calls();
    }
    let told = if said.is_empty() { "nothing".to_owned() } else { enumerate(&said, TYPES.len()) };
    plan.end(Completion {
        findings_summary: format!("By rules: memory holds {told}."),
        confidence: if said.is_empty() { 0.1 } else { 0.9 },
        ready_for_next_phase: None,
    })
}
