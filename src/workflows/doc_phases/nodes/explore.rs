//! The loop of a phase (DOC-18 to DOC-32): ask, run the calls, ask again, until the model says that the phase is complete or its rounds
//! are used up. A node that is resumed goes through its journal to where it was.

use super::round::Place;
use super::talk::Talk;
use super::track::{ended, tracked};
use crate::agent::Spent;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::workflows::doc_phases::memory::Timestamp;
use crate::workflows::doc_phases::phase::{Completed, ComponentTask, Phase};
use crate::workflows::doc_phases::progress::Status;
use crate::workflows::doc_phases::services::{Services, kept};
use crate::workflows::doc_phases::state::{Documentation, PhaseRecord, PhaseStatus};

/// What is to be explored.
pub(super) struct Errand<'a> {
    pub(super) phase: Phase,
    /// The component, in phase B.
    pub(super) component: Option<&'a ComponentTask>,
    /// What is known of it from a session that was taken up from its file; its counters go on (DOC-53).
    pub(super) known: PhaseRecord,
}

/// What came of it.
pub(super) struct Explored {
    pub(super) record: PhaseRecord,
    pub(super) spent: Spent,
}

/// Explores.
pub(super) async fn explore(
    run: &Documentation,
    errand: &Errand<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Explored> {
    let work = cx.services().work()?;
    let place = Place { run, errand, work, cx };
    let started = cx.once("started", async { Ok::<_, NodeError>(work.now()) }).await?;
    let known = &errand.known;
    let mut record = PhaseRecord {
        status: PhaseStatus::InProgress,
        start: known.start.or(Some(started)),
        usage: known.usage,
        rounds: known.rounds,
        ..PhaseRecord::default()
    };
    begin(&place, &record)?;
    let mut talk = Talk::going_on(record.usage);
    let mut completed = None;
    while completed.is_none() && record.rounds < run.settings.max_rounds_per_phase {
        completed = talk.round(&place, record.rounds + 1).await?;
        record.rounds += 1;
        record.usage = talk.usage();
        tracked(&place, &record)?;
    }
    let over = cx.once("ended", async { Ok::<_, NodeError>(work.now()) }).await?;
    let record = finished(record, completed, over, run.settings.max_rounds_per_phase);
    ended(&place, &record, talk.spent())?;
    Ok(Explored { record, spent: talk.spent().clone() })
}

/// Tells that it begins: memory, the session's file and whoever watches.
fn begin(place: &Place<'_>, record: &PhaseRecord) -> NodeResult<()> {
    let Errand { phase, component, .. } = place.errand;
    // Phase B as a whole has begun with its plan.
    if let Some(ComponentTask { number, of, id, .. }) = component {
        let status = Status::Exploring { number: *number, of: *of, component: id.clone() };
        place.cx.emit(Status::NAME, &status)?;
    } else {
        place.cx.emit(Status::NAME, &Status::Starting { phase: *phase })?;
        place.work.memory.set_phase(phase.as_str(), "in_progress").map_err(kept)?;
    }
    tracked(place, record)
}

fn finished(record: PhaseRecord, completed: Option<Completed>, end: Timestamp, limit: u32) -> PhaseRecord {
    let end = Some(end);
    match completed {
        Some(Completed { completion, problem }) => {
            let is_open = completion.ready_for_next_phase == Some(false);
            let open = is_open.then(|| "it was ended before it was complete, as its author says".to_owned());
            PhaseRecord {
                status: if is_open { PhaseStatus::BudgetExhausted } else { PhaseStatus::Completed },
                end,
                findings_summary: Some(completion.findings_summary),
                confidence: Some(completion.confidence),
                error: problem.or(open),
                ..record
            }
        }
        None => PhaseRecord {
            status: PhaseStatus::BudgetExhausted,
            end,
            error: Some(format!(
                "the limit of {limit} rounds was reached before the model said that it is complete"
            )),
            ..record
        },
    }
}
