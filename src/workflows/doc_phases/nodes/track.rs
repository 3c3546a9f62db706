//! Keeps the session's file, its debug log and memory's index in step with a phase (DOC-53, DOC-87, DOC-122). Decides nothing.

use super::explore::Errand;
use super::round::Place;
use crate::agent::Spent;
use crate::engine::NodeResult;
use crate::workflows::doc_phases::phase::{Operation, Phase, Usage};
use crate::workflows::doc_phases::progress::Status;
use crate::workflows::doc_phases::services::kept;
use crate::workflows::doc_phases::session::SessionState;
use crate::workflows::doc_phases::state::{PhaseRecord, PhaseStatus};

/// The session's file has the record as it is now.
pub(super) fn tracked(place: &Place<'_>, record: &PhaseRecord) -> NodeResult<()> {
    let Place { errand, work, cx, .. } = place;
    work.book.change(cx.thread(), |session| put(session, errand, record)).map_err(kept)
}

/// The same at the end, with the debug log, memory's index and whoever watches told.
pub(super) fn ended(place: &Place<'_>, record: &PhaseRecord, spent: &Spent) -> NodeResult<()> {
    let Place { errand, work, cx, .. } = place;
    tracked(place, record)?;
    let said = serde_json::to_string_pretty(record).expect("a record is plain data");
    work.book.log(&format!("{} ended", place.name()), &said).map_err(kept)?;
    if errand.component.is_none() {
        work.memory.set_phase(errand.phase.as_str(), status_word(record.status)).map_err(kept)?;
        cx.emit(Status::NAME, &over(errand.phase, record))?;
    }
    let total = spent.total();
    let used = Status::Used {
        phase: errand.phase,
        component: errand.component.map(|component| component.id.clone()),
        budget: place.run.settings.budgets.of(errand.phase),
        usage: record.usage,
        tokens: total.usage.total(),
        source: total.usage.source,
        cost: total.cost,
    };
    cx.emit(Status::NAME, &used)
}

/// How a phase ended, for whoever watches (DOC-7, DOC-29).
pub(super) fn over(phase: Phase, record: &PhaseRecord) -> Status {
    match record.status {
        PhaseStatus::Completed => Status::Complete { phase },
        _ => Status::Partial { phase, reason: record.error.clone().unwrap_or_default() },
    }
}

/// The word of a status.
pub(super) fn status_word(status: PhaseStatus) -> String {
    match serde_json::to_value(status) {
        Ok(serde_json::Value::String(word)) => word,
        _ => unreachable!("a status is written as a word"),
    }
}

fn put(session: &mut SessionState, errand: &Errand<'_>, record: &PhaseRecord) {
    match errand.component {
        None => {
            session.run.phases.insert(errand.phase, record.clone());
        }
        Some(component) => {
            session.run.components.insert(component.id.clone(), record.clone());
            let of_all = sum(session);
            let phase = session.run.phases.entry(errand.phase).or_default();
            (phase.usage, phase.rounds) = of_all;
            if record.status == PhaseStatus::InProgress {
                phase.status = PhaseStatus::InProgress;
                phase.current_component = Some(component.id.clone());
            }
        }
    }
}

fn sum(session: &SessionState) -> (Usage, u32) {
    used_by(session.run.components.values())
}

/// What all components used together, and their rounds.
pub(super) fn used_by<'a>(records: impl Iterator<Item = &'a PhaseRecord>) -> (Usage, u32) {
    records.fold((Usage::default(), 0_u32), |(mut usage, rounds), record| {
        for operation in Operation::ALL {
            let sum = usage.of_mut(operation);
            *sum = sum.saturating_add(record.usage.of(operation));
        }
        (usage, rounds.saturating_add(record.rounds))
    })
}
