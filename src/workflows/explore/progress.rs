//! Text of a run for the terminal: lines for agents and notes as they come, and the report. The live
//! view is in `board`.

mod board;

use serde_json::value::RawValue;

use super::agents::AgentEnd;
use super::events::ExplorationEvent;
use super::input::ExploreOutput;
use super::state::{ExplorationResult, ExploreRun};
use crate::engine::{Event, EventKind};
use crate::repo::cut;
pub(super) use board::AgentBoard;

/// Maximum length of a foreign text in a line, in characters.
const SHOWN_CHARS: usize = 100;

/// Returns the progress line for an event of the engine; `None` for an event that is not shown.
pub(super) fn format_line(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::Custom { data, .. } => format_event(&parse(data)?),
        _ => None,
    }
}

fn parse(data: &RawValue) -> Option<ExplorationEvent> {
    serde_json::from_str(data.get()).ok()
}

/// Returns the progress line for an event of an exploration; `None` for tokens, successful calls and
/// new topics.
pub fn format_event(event: &ExplorationEvent) -> Option<String> {
    match event {
        ExplorationEvent::AgentSpawned { agent_id, scope, files, purpose, .. } => {
            let scope = if scope.is_empty() { "the repository" } else { scope };
            Some(format!("{agent_id} explores {} ({files} files): {}", shorten(scope), shorten(purpose)))
        }
        ExplorationEvent::AgentFinished { agent_id, summary, called_finish, notes, tokens, cost } => {
            let how = if *called_finish { "finished" } else { "stopped without `finish`" };
            let spent = if *tokens == 0 { String::new() } else { format!(", {tokens} tokens, {cost}") };
            Some(format!("{agent_id} {how} ({notes} notes{spent}): {}", shorten(summary)))
        }
        ExplorationEvent::AgentError { agent_id, error, .. } => {
            Some(format!("{agent_id} failed: {}", shorten(error)))
        }
        ExplorationEvent::NotepadWrite { agent_id, topic, content, .. } => {
            Some(format!("{agent_id} notes on {}: {}", shorten(topic.as_str()), shorten(content)))
        }
        ExplorationEvent::ToolError { agent_id, tool, error, .. } => {
            Some(format!("{agent_id} {} failed: {}", shorten(tool), shorten(error)))
        }
        ExplorationEvent::ToolStart { .. }
        | ExplorationEvent::ToolEnd { .. }
        | ExplorationEvent::LlmToken { .. }
        | ExplorationEvent::NotepadCreated { .. } => None,
    }
}

/// Returns a text on one line without control characters, cut at `SHOWN_CHARS`.
fn shorten(text: &str) -> String {
    let line: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = line.join(" ");
    let cut = cut(&line, SHOWN_CHARS);
    if cut.left_out == 0 { cut.kept.to_owned() } else { format!("{}…", cut.kept) }
}

/// Returns true if the results are written, no agent failed, and the document has no warnings.
pub(super) fn is_complete(run: &ExploreRun) -> bool {
    let agents = run.result.as_ref();
    let is_complete = match run.settings.output {
        ExploreOutput::Notes => agents.is_some_and(ExplorationResult::is_complete),
        ExploreOutput::Document => true,
        ExploreOutput::DocumentWithAgents => {
            run.warnings.is_empty() && agents.is_some_and(ExplorationResult::is_complete)
        }
    };
    !run.written.is_empty() && is_complete
}

/// Formats the final report as lines: document, agents, notes, coverage, failures, unknown citations
/// and usage.
pub(super) fn format_report(run: &ExploreRun) -> Vec<String> {
    let mut lines = document_lines(run);
    let Some(result) = &run.result else {
        if run.document.is_none() {
            lines.push("the exploration has no result".to_owned());
        }
        lines.extend(run.notes.iter().cloned());
        return lines;
    };
    let by =
        if run.settings.is_offline() { "by rules, without a language model" } else { &run.settings.model };
    let (read, unread) = (result.coverage.read.len(), result.coverage.unread.len());
    lines.push(format!(
        "{}, {}, {by}",
        count(result.agents.len(), "agent"),
        count(result.notes.len(), "note")
    ));
    lines.push(format!("{read} of {} source files were read", read + unread));
    for agent in &result.agents {
        if let AgentEnd::Failed(reason) = &agent.end {
            lines.push(format!("agent {} failed: {}", agent.id, shorten(reason)));
        }
    }
    let unknown = result.agents.iter().flat_map(|agent| &agent.unknown_citations).count();
    if unknown > 0 {
        lines.push(format!("{} that do not exist; `agents.md` names them", count(unknown, "cited file")));
    }
    let took = result.spent.total();
    if took.usage.total() > 0 {
        lines.push(format!("{} tokens, {}", took.usage.total(), took.cost));
    }
    lines.extend(run.notes.iter().cloned());
    lines
}

/// Returns the lines of the report about the document and its warnings.
fn document_lines(run: &ExploreRun) -> Vec<String> {
    let scopes =
        run.document.iter().map(|_| format!("a document with {}", count(run.sections.len(), "section")));
    scopes.chain(run.warnings.iter().map(|warning| format!("warning: {warning}"))).collect()
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
