//! What a run shows while it runs: events as lines, for people or as JSON. Decides nothing about the run.

use super::options::Output;
use super::printer::Printer;
use crate::engine::{CheckpointId, Event, EventKind, EventKinds, ThreadId};
use crate::workflows::Workflow;

/// Watches one run.
pub(super) struct Watcher<'a> {
    printer: &'a Printer,
    workflow: &'a dyn Workflow,
    output: Output,
    thread: Option<ThreadId>,
    saved: Option<CheckpointId>,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(printer: &'a Printer, workflow: &'a dyn Workflow, output: Output) -> Self {
        Self { printer, workflow, output, thread: None, saved: None }
    }

    /// The events it wants. The state after each step is left out of `--json`: updates say the same in less, and `graph state`
    /// shows it whole.
    pub(super) fn kinds(&self) -> EventKinds {
        let few = EventKinds::TASKS | EventKinds::CHECKPOINTS | EventKinds::CUSTOM;
        match self.output {
            Output::Paths => few,
            Output::Events => few | EventKinds::UPDATES | EventKinds::MESSAGES,
        }
    }

    /// The newest checkpoint that the run wrote.
    pub(super) fn saved(&self) -> Option<&CheckpointId> {
        self.saved.as_ref()
    }

    /// Shows an event.
    pub(super) fn see(&mut self, event: &Event) {
        if self.output == Output::Events {
            self.printer.data(serde_json::to_string(event).expect("an event is JSON with string keys"));
        }
        match &event.kind {
            EventKind::RunStarted { .. } => self.started(event.thread.as_ref()),
            EventKind::QuestionDropped { node, question, .. } => {
                self.printer.progress(format_args!("question {question} of `{node}` was dropped"));
            }
            EventKind::Checkpoint { checkpoint, next, .. } if event.namespace.is_root() => {
                self.saved = Some(checkpoint.clone());
                let next = if next.is_empty() { "nothing".to_owned() } else { next.join(", ") };
                self.printer.detail(format_args!("checkpoint {checkpoint}  next: {next}"));
            }
            EventKind::TaskRetried { node, part, attempt, error, wait_ms, .. } => {
                let part = part.as_ref().map(|part| format!(" ({})", part.trim_end_matches('.')));
                self.printer.progress(format_args!(
                    "`{node}`{} failed (attempt {attempt}), again in {wait_ms} ms: {error}",
                    part.unwrap_or_default()
                ));
            }
            EventKind::TaskCaught { node, error, attempts, handler, .. } => {
                let tries =
                    if *attempts == 1 { String::new() } else { format!(" after {attempts} attempts") };
                let kind = handler.as_ref().map(|kind| format!(" `{kind}`")).unwrap_or_default();
                self.printer.progress(format_args!(
                    "`{}{node}` failed{tries}: {error}; its error handler{kind} takes over",
                    event.namespace.path()
                ));
            }
            _ => {
                if let Some(line) = self.workflow.line(event) {
                    self.printer.progress(line);
                }
            }
        }
    }

    fn started(&mut self, thread: Option<&ThreadId>) {
        let Some(thread) = thread else { return };
        if self.thread.as_ref() != Some(thread) {
            self.printer.progress(format_args!("thread {thread}"));
            self.thread = Some(thread.clone());
        }
    }
}
