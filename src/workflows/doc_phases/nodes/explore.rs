//! The loop of a phase (DOC-18 to DOC-32): call the model, run its tool calls, and repeat until the model declares the phase
//! complete or the rounds are used up. A resumed node replays its journal up to the point of interruption.

use super::caps::check_caps;
use super::conversation::{PhaseConversation, PhaseEnd};
use super::prefill::prefill;
use super::round::RoundContext;
use super::track::{report_end, save_record};
use crate::agent::Spent;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::workflows::doc_phases::memory::Timestamp;
use crate::workflows::doc_phases::phase::{ComponentTask, ParsedCompletion, Phase};
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::{DocServices, storage_error};
use crate::workflows::doc_phases::state::{Documentation, PhaseRecord, PhaseStatus};

/// Subject of one conversation with the model: a whole phase, or one component in phase B.
pub(super) struct Exploration<'a> {
    pub(super) phase: Phase,
    /// The component; `Some` in phase B only.
    pub(super) component: Option<&'a ComponentTask>,
    /// Record from a session that was resumed from its file; its counters continue (DOC-53).
    pub(super) known: PhaseRecord,
}

/// Result of an exploration: its final record, and the answers, tokens, cost and calls that it used.
pub(super) struct ExplorationOutcome {
    pub(super) record: PhaseRecord,
    pub(super) spent: Spent,
}

/// Runs the rounds of an exploration until the model declares it complete, or the rounds, tokens or money are
/// used up. Writes the progress to the session file after each round.
pub(super) async fn explore(
    run: &Documentation,
    exploration: &Exploration<'_>,
    cx: &Cx<DocServices>,
) -> NodeResult<ExplorationOutcome> {
    let resources = cx.services().resources()?;
    let context = RoundContext { run, exploration, resources, cx };
    let started = cx.once("started", async { Ok::<_, NodeError>(resources.now()) }).await?;
    let known = &exploration.known;
    let mut record = PhaseRecord {
        status: PhaseStatus::InProgress,
        start: known.start.or(Some(started)),
        usage: known.usage,
        rounds: known.rounds,
        spent: known.spent,
        ..PhaseRecord::default()
    };
    announce_start(&context, &record)?;
    prefill(&context).await?;
    let mut conversation = PhaseConversation::new(record.usage);
    let mut completed = None;
    let mut over = None;
    while completed.is_none() && record.rounds < run.settings.max_rounds_per_phase {
        over = check_caps(&context, record.rounds + 1).await?;
        if over.is_some() {
            break;
        }
        completed = conversation.run_round(&context, record.rounds + 1).await?;
        record.rounds += 1;
        record.usage = conversation.usage();
        record.spent = known.spent;
        record.spent += conversation.spent().total();
        save_record(&context, &record)?;
    }
    let end = cx.once("ended", async { Ok::<_, NodeError>(resources.now()) }).await?;
    let mut record = finish_record(record, completed, end, over.unwrap_or_else(|| rounds_used_up(run)));
    if exploration.phase == Phase::DocumentationGeneration {
        record.findings = conversation.changes();
    }
    report_end(&context, &record, conversation.spent())?;
    Ok(ExplorationOutcome { record, spent: conversation.spent().clone() })
}

/// Announces the start of an exploration: in the session file, as a progress event and, for a whole phase, in
/// the memory index.
fn announce_start(context: &RoundContext<'_>, record: &PhaseRecord) -> NodeResult<()> {
    let Exploration { phase, component, .. } = context.exploration;
    // Component explorations do not announce phase B because its plan already did.
    if let Some(ComponentTask { number, of, id, .. }) = component {
        let event = ProgressEvent::Exploring { number: *number, of: *of, component: id.clone() };
        context.cx.emit(ProgressEvent::NAME, &event)?;
    } else {
        context.cx.emit(ProgressEvent::NAME, &ProgressEvent::Starting { phase: *phase })?;
        context.resources.memory.set_phase(phase.as_str(), "in_progress").map_err(storage_error)?;
    }
    save_record(context, record)
}

fn rounds_used_up(run: &Documentation) -> String {
    let limit = run.settings.max_rounds_per_phase;
    format!("the limit of {limit} rounds was reached before the model said that it is complete")
}

fn finish_record(
    record: PhaseRecord,
    completed: Option<PhaseEnd>,
    end: Timestamp,
    unfinished: String,
) -> PhaseRecord {
    let end = Some(end);
    match completed {
        Some(PhaseEnd { parsed: ParsedCompletion { completion, problem }, weak }) => {
            let is_open = completion.ready_for_next_phase == Some(false) || !weak.is_empty();
            let open = if weak.is_empty() {
                is_open.then(|| "it was ended before it was complete, as its author says".to_owned())
            } else {
                Some(format!("asked twice, these stay weak: {}", weak.join("; ")))
            };
            PhaseRecord {
                status: if is_open { PhaseStatus::BudgetExhausted } else { PhaseStatus::Completed },
                end,
                findings_summary: Some(completion.findings_summary),
                confidence: Some(completion.confidence),
                error: problem.or(open),
                ..record
            }
        }
        None => PhaseRecord { status: PhaseStatus::BudgetExhausted, end, error: Some(unfinished), ..record },
    }
}
