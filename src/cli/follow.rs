//! Runs a graph, prints its events, its end and the command to type next, and returns the exit code. Used
//! for new and for resumed runs.

use futures_util::StreamExt;
use serde_json::value::RawValue;

use super::answer::AnswerForm;
use super::converse::TypedLines;
use super::exit::Exit;
use super::failure::Failure;
use super::next_command::ResumeCommand;
use super::options::OutputMode;
use super::progress::Watcher;
use super::question;
use super::session::Session;
use super::signals::stop_on_signals;
use crate::engine::{
    Breakpoint, CheckpointId, Host, HostRequest, Outcome, Question, RunError, Status, Stop, StoreError,
};
use crate::workflows::{Acceptance, Workflow};
use stategraph_base::quote_for_shell;
use tokio::sync::Mutex;

/// The runner of a command: it runs a graph, prints events as progress, and prints the end of the run.
pub(super) struct RunFollower<'a> {
    pub(super) session: &'a Session,
    pub(super) workflow: &'a dyn Workflow,
    pub(super) output: OutputMode,
    /// Builds the command that continues the thread.
    pub(super) next: ResumeCommand,
    /// Handle that stops the run at a signal.
    pub(super) stop: Stop,
    /// Lines of the terminal, once a question was asked.
    pub(super) typed: Mutex<Option<TypedLines>>,
}

/// A run that has ended: its outcome, not printed yet. Made by [`RunFollower::run`], printed by `finish`.
pub(super) struct FinishedRun {
    outcome: Result<Outcome<Box<RawValue>>, RunError>,
    /// Newest checkpoint that the run wrote, else the checkpoint that it was resumed from.
    saved: Option<CheckpointId>,
}

impl FinishedRun {
    /// Returns the error of a failed run; `None` for a run that ended otherwise.
    pub(super) fn error(&self) -> Option<&RunError> {
        self.outcome.as_ref().err()
    }
}

impl FinishedRun {
    /// Returns the newest checkpoint and the open questions of a run that waits for answers; `None` for any
    /// other run.
    pub(super) fn open_questions(&self) -> Option<(&CheckpointId, &[Question])> {
        match (&self.outcome, &self.saved) {
            (Ok(Outcome { status: Status::Waiting(questions), .. }), Some(saved)) => Some((saved, questions)),
            _ => None,
        }
    }
}

impl<'a> RunFollower<'a> {
    /// Installs the signal handlers (from here on, Ctrl-C stops the run instead of the program), and fits
    /// the traces to the workflow.
    pub(super) fn new(
        session: &'a Session,
        workflow: &'a dyn Workflow,
        output: OutputMode,
        next: ResumeCommand,
    ) -> Result<Self, Failure> {
        session.traces.fit(workflow);
        let stop = Stop::new();
        stop_on_signals(&stop).map_err(|error| {
            Failure::new(
                format!("cannot listen for Ctrl-C: {error}"),
                "the limit of open files may be reached; end other programs or raise it (`ulimit -n`)",
            )
        })?;
        Ok(Self { session, workflow, output, next, stop, typed: Mutex::default() })
    }

    /// Runs the request until the run ends, and prints its events meanwhile. `saved` is the checkpoint that
    /// the run starts from, if any. An error of the run is part of the result; it is not printed here.
    pub(super) async fn run(
        &self,
        host: &dyn Host,
        mut request: HostRequest,
        saved: Option<CheckpointId>,
    ) -> Result<FinishedRun, Failure> {
        let mut watcher = Watcher::new(&self.session.printer, self.workflow, self.output);
        request.events = watcher.kinds();
        request.stop = self.stop.clone();
        let mut stream = match host.stream(request).await {
            Ok(stream) => stream,
            Err(error) => return Ok(FinishedRun { outcome: Err(error), saved }),
        };
        let mut live = self.session.printer.live().start(self.workflow.live_lines());
        loop {
            tokio::select! {
                // Events first, so that the lines never show finished work.
                biased;
                event = stream.next() => match event {
                    Some(event) => {
                        live.observe(&event);
                        watcher.show(&event);
                    }
                    None => break,
                },
                () = live.tick() => {}
            }
        }
        drop(live);
        let dropped = stream.dropped_events();
        if dropped > 0 {
            let printer = &self.session.printer;
            printer.say(format_args!(
                "{dropped} events were dropped (texts of models, events of nodes): the reader of the events is too slow"
            ));
        }
        let saved = watcher.newest_checkpoint().cloned().or(saved);
        let outcome = stream.outcome().expect("the stream has ended, so it has an outcome");
        Ok(FinishedRun { outcome, saved })
    }

    /// Prints the end of a run (report, questions, breakpoint or stop, with the command to continue), and
    /// returns its exit code. The error of a failed run is returned and not printed.
    pub(super) fn finish(&self, finished: FinishedRun) -> Result<Exit, Failure> {
        self.session.deadline.begin();
        let FinishedRun { outcome, saved } = finished;
        let resume = saved.as_ref().map(|checkpoint| self.next.for_id(&checkpoint.thread));
        match outcome {
            Ok(Outcome { status: Status::Done, state, .. }) => self.print_report(&state),
            Ok(Outcome { status: Status::Waiting(questions), .. }) => {
                self.print_questions(&questions, resume.as_deref().unwrap_or_default());
                Ok(Exit::Waiting)
            }
            Ok(Outcome { status: Status::Paused(at), .. }) => {
                self.print_breakpoint(&at, saved.as_ref(), resume.as_deref());
                Ok(Exit::Waiting)
            }
            // A drained or cancelled run. `Status` is non-exhaustive: a status that the engine adds later is treated as resumable too.
            Ok(Outcome { steps, .. }) | Err(RunError::Cancelled { step: steps, .. }) => {
                self.print_stop(steps, saved.as_ref(), resume.as_deref());
                Ok(Exit::Stopped)
            }
            // No resume command is printed, because another process runs the thread now.
            Err(error @ RunError::Store(StoreError::Busy { .. })) => Err(error.into()),
            Err(error) => Err(Failure::from(error).with_resume(resume)),
        }
    }

    /// Prints the report of a finished run, and its results on standard output unless that shows events.
    fn print_report(&self, state: &RawValue) -> Result<Exit, Failure> {
        let printer = &self.session.printer;
        let report = self.workflow.report(state)?;
        report.lines.iter().for_each(|line| printer.progress(line));
        if self.output == OutputMode::Result {
            for path in &report.outputs {
                printer.data(path.strip_prefix(&self.session.folder).unwrap_or(path).display());
            }
        }
        if let (OutputMode::Result, Some(document)) = (self.output, &report.document) {
            printer.raw(document.as_bytes());
        }
        if let (OutputMode::Result, Some(result)) = (self.output, &report.result) {
            printer.data(serde_json::to_string_pretty(result).expect("a result is JSON"));
        }
        Ok(match report.acceptance {
            Acceptance::Accepted => Exit::Done,
            Acceptance::NotAccepted => Exit::NotAccepted,
        })
    }

    /// Prints the open questions of a waiting run, each with the command that answers it. `resume` is the
    /// command line that continues the thread.
    pub(super) fn print_questions(&self, questions: &[Question], resume: &str) {
        let printer = &self.session.printer;
        let count = questions.len();
        printer.say(format_args!("waiting for {count} answer{}", if count == 1 { "" } else { "s" }));
        for asked @ Question { id, node, payload, .. } in questions {
            match question::format_payload(payload).as_slice() {
                [line] => printer.say(format_args!("question {id} of `{node}`: {line}")),
                lines => printer.say(format_args!("question {id} of `{node}`:\n{}", lines.join("\n"))),
            }
            let answer = match AnswerForm::of(asked).example() {
                Some(example) => quote_for_shell(format!("{id}={example}").as_ref()).into_owned(),
                None => format!("'{id}=JSON'"),
            };
            printer.command("to answer", &format!("{resume} --answer {answer}"));
        }
    }

    /// Prints the breakpoint at which a run paused, its newest checkpoint, and the command line `resume` to
    /// continue.
    fn print_breakpoint(&self, at: &Breakpoint, saved: Option<&CheckpointId>, resume: Option<&str>) {
        let printer = &self.session.printer;
        let places = [("after", &at.after), ("before", &at.before)].map(|(word, nodes)| {
            let nodes: Vec<String> = nodes.iter().map(|node| format!("`{node}`")).collect();
            (!nodes.is_empty()).then(|| format!("{word} {}", nodes.join(", ")))
        });
        let places: Vec<String> = places.into_iter().flatten().collect();
        let saved = saved.map(|checkpoint| format!("; saved up to checkpoint {checkpoint}"));
        printer.say(format_args!("breakpoint {}{}", places.join(", "), saved.unwrap_or_default()));
        if let Some(resume) = resume {
            printer.command("to continue", resume);
        }
    }

    /// Prints the step in which a run was stopped, and how to continue it if a checkpoint was saved.
    fn print_stop(&self, step: u64, saved: Option<&CheckpointId>, resume: Option<&str>) {
        let printer = &self.session.printer;
        match (saved, resume) {
            (Some(checkpoint), Some(resume)) => {
                printer.say(format_args!("stopped in step {step}; saved up to checkpoint {checkpoint}"));
                printer.command("to continue", resume);
            }
            _ => printer.say("stopped before anything was saved"),
        }
    }
}
