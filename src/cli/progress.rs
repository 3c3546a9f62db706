//! Prints the events of a run, as lines of text or of JSON. Does not influence the run.

use super::option_hints::to_line;
use super::options::OutputMode;
use super::printer::Printer;
use crate::agent::UsageEvent;
use crate::engine::{CheckpointId, Event, EventKind, EventKinds, ThreadId};
use crate::workflows::Workflow;

/// The observer of one run: it prints the run's events, and remembers the newest checkpoint.
pub(super) struct Watcher<'a> {
    printer: &'a Printer,
    workflow: &'a dyn Workflow,
    output: OutputMode,
    /// Thread whose id was printed last.
    thread: Option<ThreadId>,
    saved: Option<CheckpointId>,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(printer: &'a Printer, workflow: &'a dyn Workflow, output: OutputMode) -> Self {
        Self { printer, workflow, output, thread: None, saved: None }
    }

    /// Returns the kinds of events that the run must send. `--json` leaves out the state after each step,
    /// because updates contain the same in less space and `graph state` prints the whole state.
    pub(super) fn kinds(&self) -> EventKinds {
        let few = EventKinds::TASKS | EventKinds::CHECKPOINTS | EventKinds::CUSTOM;
        match self.output {
            OutputMode::Result => few,
            OutputMode::Events => few | EventKinds::UPDATES | EventKinds::MESSAGES,
        }
    }

    /// Returns the newest checkpoint that the run wrote so far.
    pub(super) fn newest_checkpoint(&self) -> Option<&CheckpointId> {
        self.saved.as_ref()
    }

    /// Prints an event: as a line of JSON on standard output with `--json`, and as progress on standard
    /// error if there is a line for it.
    pub(super) fn show(&mut self, event: &Event) {
        if self.output == OutputMode::Events {
            self.printer.data(to_line(event));
        }
        match &event.kind {
            EventKind::RunStarted { .. } => self.print_thread(event.thread.as_ref()),
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
            // The sums are in the report, and the live view counts them as they come.
            EventKind::Custom { name, .. } if name == UsageEvent::NAME => {}
            _ => {
                if let Some(line) = self.workflow.line(event) {
                    self.printer.progress(line);
                }
                self.workflow.details(event).iter().for_each(|line| self.printer.excerpt(line));
            }
        }
    }

    /// Prints the thread id, unless it was printed last.
    fn print_thread(&mut self, thread: Option<&ThreadId>) {
        let Some(thread) = thread else { return };
        if self.thread.as_ref() != Some(thread) {
            self.printer.progress(format_args!("thread {thread}"));
            self.thread = Some(thread.clone());
        }
    }
}
