//! Keeps the session file, its debug log and the memory index in step with a phase (DOC-53, DOC-87, DOC-122). Decides nothing.

use super::explore::Exploration;
use super::round::RoundContext;
use crate::agent::Spent;
use crate::engine::NodeResult;
use crate::workflows::doc_phases::phase::{BudgetUsage, Operation, Phase};
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::storage_error;
use crate::workflows::doc_phases::session::SessionState;
use crate::workflows::doc_phases::state::{PhaseRecord, PhaseStatus};

/// Writes the current record of the exploration to the session file.
pub(super) fn save_record(context: &RoundContext<'_>, record: &PhaseRecord) -> NodeResult<()> {
    let RoundContext { exploration, resources, cx, .. } = context;
    resources
        .session
        .update(cx.thread(), |session| insert_record(session, exploration, record))
        .map_err(storage_error)
}

/// Writes the final record to the session file and the debug log, and emits the event with the used
/// resources. For a whole phase, also writes its status to the memory index and emits the event of its end.
pub(super) fn report_end(context: &RoundContext<'_>, record: &PhaseRecord, spent: &Spent) -> NodeResult<()> {
    let RoundContext { exploration, resources, cx, .. } = context;
    save_record(context, record)?;
    let text = serde_json::to_string_pretty(record).expect("a record is plain data");
    resources.session.append_debug(&format!("{} ended", context.name()), &text).map_err(storage_error)?;
    if exploration.component.is_none() {
        resources
            .memory
            .set_phase(exploration.phase.as_str(), status_name(record.status))
            .map_err(storage_error)?;
        cx.emit(ProgressEvent::NAME, &end_event(exploration.phase, record))?;
    }
    let total = spent.total();
    let used = ProgressEvent::Used {
        phase: exploration.phase,
        component: exploration.component.map(|component| component.id.clone()),
        budget: context.run.settings.budgets.of(exploration.phase),
        usage: record.usage,
        tokens: total.usage.total(),
        source: total.usage.source,
        cost: total.cost,
    };
    cx.emit(ProgressEvent::NAME, &used)
}

/// Returns the progress event for the end of a phase: complete, or incomplete with the error as the reason
/// (DOC-7, DOC-29).
pub(super) fn end_event(phase: Phase, record: &PhaseRecord) -> ProgressEvent {
    match record.status {
        PhaseStatus::Completed => ProgressEvent::Complete { phase },
        _ => ProgressEvent::Partial { phase, reason: record.error.clone().unwrap_or_default() },
    }
}

/// Returns the name of a status in JSON, such as `in_progress`.
pub(super) fn status_name(status: PhaseStatus) -> String {
    match serde_json::to_value(status) {
        Ok(serde_json::Value::String(word)) => word,
        _ => unreachable!("a status is written as a word"),
    }
}

fn insert_record(session: &mut SessionState, exploration: &Exploration<'_>, record: &PhaseRecord) {
    match exploration.component {
        None => {
            session.run.phases.insert(exploration.phase, record.clone());
        }
        Some(component) => {
            session.run.components.insert(component.id.clone(), record.clone());
            let total = sum_components(session);
            let phase = session.run.phases.entry(exploration.phase).or_default();
            (phase.usage, phase.rounds) = total;
            if record.status == PhaseStatus::InProgress {
                phase.status = PhaseStatus::InProgress;
                phase.current_component = Some(component.id.clone());
            }
        }
    }
}

fn sum_components(session: &SessionState) -> (BudgetUsage, u32) {
    total_usage(session.run.components.values())
}

/// Returns the sums of the used operations and of the rounds of all records.
pub(super) fn total_usage<'a>(records: impl Iterator<Item = &'a PhaseRecord>) -> (BudgetUsage, u32) {
    records.fold((BudgetUsage::default(), 0_u32), |(mut usage, rounds), record| {
        for operation in Operation::ALL {
            let sum = usage.of_mut(operation);
            *sum = sum.saturating_add(record.usage.of(operation));
        }
        (usage, rounds.saturating_add(record.rounds))
    })
}
