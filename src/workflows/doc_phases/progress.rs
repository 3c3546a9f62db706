//! Progress events of the nodes and their text: the progress lines (DOC-4 to DOC-9, DOC-22) and the report (DOC-12).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::input::Mode;
use super::phase::{BudgetUsage, Operation, Phase, PhaseBudget};
use super::services::{DOCUMENTATION_FOLDER, MEMORY_FOLDER};
use super::session::SESSIONS_FOLDER;
use super::state::{Documentation, PhaseStatus};
use crate::engine::{Event, EventKind};
use crate::llm::{Money, UsageSource};

/// Maximum of changed files, and of removed documents, that the report names.
const FILES_NAMED: usize = 10;

/// Maximum number of changes of the review that the report names.
const REVIEW_NAMED: usize = 20;

/// Progress event that a node sends to the subscribers of the run, as the data of the custom event `status`.
/// [`status_line`] formats it as a line for the terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(super) enum ProgressEvent {
    /// The number of files that are being compared with memory.
    Looking { files: usize },
    /// A phase begins.
    Starting { phase: Phase },
    /// A model is called.
    Round { phase: Phase, number: u32, limit: u32 },
    /// Tools run.
    Tools { phase: Phase, tools: Vec<String> },
    /// A phase is complete.
    Complete { phase: Phase },
    /// A phase ended before it was complete (DOC-29).
    Partial { phase: Phase, reason: String },
    /// The exploration of a component begins.
    Exploring { number: usize, of: usize, component: String },
    /// A component could not be explored (DOC-32).
    Failed { component: String, reason: String },
    /// Resources that a phase, or one component of it, used.
    Used {
        phase: Phase,
        component: Option<String>,
        budget: PhaseBudget,
        usage: BudgetUsage,
        tokens: u64,
        source: UsageSource,
        cost: Money,
    },
    /// The documents are written.
    Written { documents: usize, changed: usize },
}

impl ProgressEvent {
    /// Name of the custom event; part of the event format.
    pub(super) const NAME: &str = "status";
}

/// Returns the line for the terminal that describes a progress event, such as `[Phase: cross_cutting]
/// Complete!`; `None` for any other event (DOC-9).
pub fn status_line(event: &Event) -> Option<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return None };
    if name != ProgressEvent::NAME {
        return None;
    }
    let status: ProgressEvent = serde_json::from_str(data.get()).ok()?;
    Some(format_line(status))
}

fn format_line(status: ProgressEvent) -> String {
    match status {
        ProgressEvent::Looking { files } => format!("[Files] Looking at {files} files..."),
        ProgressEvent::Starting { phase } => format!("[Phase: {phase}] Starting..."),
        ProgressEvent::Round { phase, number, limit } => {
            format!("[Phase: {phase}] Round {number}/{limit} - Calling LLM...")
        }
        ProgressEvent::Tools { phase, tools } => {
            format!("[Phase: {phase}] Executing tools: {}", tools.join(", "))
        }
        ProgressEvent::Complete { phase } => format!("[Phase: {phase}] Complete!"),
        ProgressEvent::Partial { phase, reason } => format!("[Phase: {phase}] Incomplete: {reason}"),
        ProgressEvent::Exploring { number, of, component } => {
            format!("[Component {number}/{of}] Exploring: {component}")
        }
        ProgressEvent::Failed { component, reason } => format!("[Component {component}] Failed: {reason}"),
        ProgressEvent::Used { phase, component, budget, usage, tokens, source, cost } => {
            let about = if source == UsageSource::Estimated { "~" } else { "" };
            let cost = if cost == Money::default() { String::new() } else { format!(", {cost}") };
            let which =
                component.map_or_else(|| format!("[Phase: {phase}]"), |id| format!("[Component {id}]"));
            format!("{which} Used: {}; {about}{tokens} tokens{cost}", format_usage(&budget, &usage))
        }
        ProgressEvent::Written { documents, changed } => {
            format!("[Documentation] {} written, {changed} of them changed", pluralize(documents, "document"))
        }
    }
}

fn format_usage(budget: &PhaseBudget, usage: &BudgetUsage) -> String {
    let part = |operation: Operation| match budget.limit(operation) {
        Some(0) => None,
        Some(limit) => Some(format!("{} of {limit} {}", usage.of(operation), operation.plural())),
        None if usage.of(operation) > 0 => Some(format!("{} {}", usage.of(operation), operation.plural())),
        None => None,
    };
    let parts: Vec<String> = Operation::ALL.into_iter().filter_map(part).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// Returns true if the run has no error and every phase that began was completed.
pub(super) fn is_complete(run: &Documentation) -> bool {
    run.errors.is_empty() && run.phases.values().all(|phase| phase.status == PhaseStatus::Completed)
}

/// Returns the absolute paths of the written documents; empty before the writer has run.
pub(super) fn outputs(run: &Documentation) -> Vec<PathBuf> {
    let written = run.written.iter().flat_map(|written| &written.documents);
    written.map(|document| run.repository.join(document)).collect()
}

/// Returns the lines of the final report (DOC-12).
pub(super) fn report(run: &Documentation) -> Vec<String> {
    let mut lines = vec![format!("session {} ({} run)", run.session_id, run.mode)];
    lines.extend(change_lines(run));
    lines.push(format!("completed phases: {}", completed_phases(run)));
    lines.extend(review_lines(run));
    if let Some(written) = &run.written {
        lines.push(format!("{} in {}", pluralize(written.documents.len(), "document"), DOCUMENTATION_FOLDER));
        lines.extend(name_first(&written.removed, "old document", "removed"));
        let kinds: Vec<String> =
            written.memory.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        lines.push(format!(
            "memory: {} in {MEMORY_FOLDER}",
            if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
        ));
    }
    let left_out = run.written.iter().flat_map(|written| &written.left_out);
    lines.extend(left_out.map(|said| format!("left out: {said}")));
    lines.push(format!("session files in {SESSIONS_FOLDER}"));
    lines.push(model_summary(run));
    lines.extend(run.errors.iter().map(|error| format!("error: {error}")));
    lines
}

fn completed_phases(run: &Documentation) -> String {
    let over = run.phases.iter().filter(|(_, phase)| phase.status == PhaseStatus::Completed);
    let over: Vec<&str> = over.map(|(phase, _)| phase.as_str()).collect();
    match (over.is_empty(), run.phases.is_empty()) {
        (true, true) if run.mode == Mode::Update => "none, as nothing was to be explored".to_owned(),
        (true, _) => "none".to_owned(),
        (false, _) => over.join(", "),
    }
}

/// Returns report lines for the entries that phase D changed: one line each for the first [`REVIEW_NAMED`],
/// and a line that counts the others.
fn review_lines(run: &Documentation) -> Vec<String> {
    let findings = run.phase(Phase::DocumentationGeneration).findings;
    let more = findings.len().saturating_sub(REVIEW_NAMED);
    let named = findings.iter().take(REVIEW_NAMED).map(|finding| format!("review: {finding}"));
    let rest = (more > 0).then(|| format!("review: {more} more changes"));
    named.chain(rest).collect()
}

/// Returns the report line about the model: its name, and its number of answers, tokens and cost, or that it
/// was not asked.
fn model_summary(run: &Documentation) -> String {
    let total = run.spent.total();
    if total.answers == 0 {
        return format!("{} was not asked", run.settings.model);
    }
    let about = if total.usage.source == UsageSource::Estimated { "~" } else { "" };
    let cost = if total.cost == Money::default() { String::new() } else { format!(", {}", total.cost) };
    format!(
        "{} ({}): {about}{} tokens read, {about}{} written{cost}",
        run.settings.model,
        pluralize(usize::try_from(total.answers).unwrap_or(usize::MAX), "answer"),
        total.usage.prompt_tokens,
        total.usage.completion_tokens
    )
}

fn change_lines(run: &Documentation) -> Vec<String> {
    let Some(changed) = run.changed.as_ref().filter(|_| run.mode == Mode::Update) else { return Vec::new() };
    if changed.files.is_empty() {
        return vec!["no file has changed".to_owned()];
    }
    let mut lines = name_first(&changed.files, "file", "changed");
    if !changed.without_component.is_empty() {
        let count = pluralize(changed.without_component.len(), "changed file");
        let which = if changed.without_component.len() == 1 { "is" } else { "are" };
        lines.push(format!("{count} {which} in no component"));
    }
    lines
}

/// Returns a heading with the number of files (`3 files changed:`), a line for each of the first
/// [`FILES_NAMED`], and a line that counts the others (DOC-12). Empty for no files.
fn name_first(files: &[String], thing: &str, became: &str) -> Vec<String> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("{} {became}:", pluralize(files.len(), thing))];
    lines.extend(files.iter().take(FILES_NAMED).map(|file| format!("  {file}")));
    if files.len() > FILES_NAMED {
        lines.push(format!("  and {} more", files.len() - FILES_NAMED));
    }
    lines
}

fn pluralize(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
