//! Progress events of the nodes, their lines, and the report of a finished run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state::{ContextDraft, DraftStatus, WrittenContext};
use crate::agent::{AnswerTotals, Spent};
use crate::engine::{Event, EventKind};
use crate::llm::{Money, UsageSource};

/// A progress event that a node emits; `format_line` turns it into a line for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(super) enum ContextEvent {
    /// A remote repository is being cloned.
    Opening { source: String },
    /// The structure is known.
    Scanned { files: usize, directories: usize },
    /// The metadata are known.
    Described { project: String, dependencies: usize },
    /// A model is being asked.
    Asking { request: String, model: String, tokens: u64 },
    /// A line of a text that a model writes.
    Line { text: String },
    /// A prompt or an answer.
    Exchange { title: String, text: String },
    /// Candidates are ranked.
    Discovered { keywords: Vec<String>, candidates: usize },
    /// A round of exploration is over.
    Explored { round: usize, files: usize },
    /// The file is written.
    Written { path: PathBuf, tokens: usize, kept: Option<PathBuf> },
}

impl ContextEvent {
    /// Name of the custom event; part of the event format.
    pub(super) const NAME: &str = "context";
}

/// Returns the progress line of an event of a node or of a tool call; `None` for other events.
pub(super) fn format_line(event: &Event) -> Option<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return None };
    if name != ContextEvent::NAME {
        return format_tool_line(name, data.get());
    }
    Some(match serde_json::from_str(data.get()).ok()? {
        ContextEvent::Opening { source } => format!("cloning {source}"),
        ContextEvent::Scanned { files, directories } => {
            format!("{} in {}", count(files, "file", "files"), count(directories, "directory", "directories"))
        }
        ContextEvent::Described { project, dependencies } => {
            format!("{project}: {}", count(dependencies, "dependency", "dependencies"))
        }
        ContextEvent::Asking { request, model, tokens } => {
            format!("asking {model}: {} (~{tokens} tokens)", request.replace('_', " "))
        }
        ContextEvent::Line { text } => text,
        ContextEvent::Exchange { title, text } => format!("--- {title}\n{text}"),
        ContextEvent::Discovered { keywords, candidates } if keywords.is_empty() => {
            format!("no word of the question can be searched for; {}", count(candidates, "file", "files"))
        }
        ContextEvent::Discovered { keywords, candidates } => {
            format!("{} for {}", count(candidates, "candidate", "candidates"), keywords.join(", "))
        }
        ContextEvent::Explored { round, files } => {
            format!("round {round}: {}", count(files, "file shown", "files shown"))
        }
        ContextEvent::Written { path, tokens, kept } => {
            let kept = kept.map(|kept| format!("; the file that was there is kept as {}", kept.display()));
            format!("wrote {} ({tokens} tokens){}", path.display(), kept.unwrap_or_default())
        }
    })
}

/// Longest arguments, and longest error, of a tool call that a progress line shows, in characters.
const TOOL_LINE: usize = 120;

/// The data of an event about a tool call, as the agent layer emits it.
#[derive(Deserialize)]
struct AgentCallEvent {
    tool: String,
    #[serde(default)]
    input: String,
    #[serde(default)]
    error: String,
}

/// Returns the progress line of a tool call that begins or fails (CTX-98); `None` for other events. `name` is
/// that of the event, `data` its JSON.
fn format_tool_line(name: &str, data: &str) -> Option<String> {
    let parse = || serde_json::from_str::<AgentCallEvent>(data).ok();
    let shown = |text: &str| stategraph_base::cut(&one_line(text), TOOL_LINE).kept.to_owned();
    match name {
        "tool_start" => {
            parse().map(|call| format!("{} {}", call.tool, shown(&call.input)).trim_end().to_owned())
        }
        "tool_error" => parse().map(|call| format!("{} failed: {}", call.tool, shown(&call.error))),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The fields of a state that the report shows, in the form that all three states share.
pub(super) struct ReportInput<'a> {
    pub(super) model: &'a str,
    pub(super) draft: Option<&'a ContextDraft>,
    pub(super) notes: &'a [String],
    pub(super) spent: &'a Spent,
    pub(super) written: Option<&'a WrittenContext>,
    pub(super) document: Option<&'a str>,
}

/// Returns true if the result was written and its draft is complete, not partial.
pub(super) fn is_complete(input: &ReportInput<'_>) -> bool {
    input.written.is_some() && input.draft.is_some_and(|draft| draft.status == DraftStatus::Complete)
}

/// Returns the lines of the report: file and author, omitted and withheld parts, notes, and the usage of each
/// operation (CTX-90).
pub(super) fn format_report(input: &ReportInput<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(draft), Some(written)) = (input.draft, input.written) {
        let author = draft.author.describe();
        lines.push(format!("{}: {} tokens, {author}", shown(&written.path), written.tokens));
        if let DraftStatus::Partial(reason) = &draft.status {
            lines.push(format!("partial: {reason}"));
        }
        lines.extend(draft.withheld.iter().cloned());
        lines.extend(draft.left_out.iter().map(|part| format!("left out: {part}")));
    }
    lines.extend(input.notes.iter().cloned());
    let operations = input.spent.operations.iter();
    lines.extend(operations.map(|(name, took)| format!("{}: {}", name.replace('_', " "), usage(took))));
    if input.spent.operations.len() > 1 {
        lines.push(format!("all of {}: {}", input.model, usage(&input.spent.total())));
    }
    lines
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn usage(took: &AnswerTotals) -> String {
    let about = if took.usage.source == UsageSource::Estimated { "~" } else { "" };
    let cost = if took.cost == Money::default() { String::new() } else { format!(", {}", took.cost) };
    let answers = usize::try_from(took.answers).unwrap_or(usize::MAX);
    format!(
        "{}, {about}{} tokens read, {about}{} written{cost}",
        count(answers, "answer", "answers"),
        took.usage.prompt_tokens,
        took.usage.completion_tokens
    )
}
