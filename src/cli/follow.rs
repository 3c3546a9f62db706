//! From a request to an exit code: runs a graph while showing what happens, and says how it ended and what to type next. New and
//! resumed runs both come through here.

use futures_util::StreamExt;
use serde_json::value::RawValue;

use super::exit::Exit;
use super::failure::Failure;
use super::next_command::Continuation;
use super::options::Output;
use super::progress::Watcher;
use super::question;
use super::session::Session;
use super::signals::stop_on_signals;
use crate::engine::{
    Breakpoint, CheckpointId, Host, HostRequest, Outcome, Question, RunError, Status, Stop, StoreError,
};
use crate::workflows::{Acceptance, Workflow};

/// A run to be followed.
pub(super) struct Follow<'a> {
    pub(super) session: &'a Session,
    pub(super) workflow: &'a dyn Workflow,
    pub(super) output: Output,
    pub(super) next: Continuation,
    /// Stops it; signals are connected to it once.
    pub(super) stop: Stop,
}

/// How a run that was followed ended.
pub(super) struct Followed {
    outcome: Result<Outcome<Box<RawValue>>, RunError>,
    saved: Option<CheckpointId>,
}

impl Followed {
    /// Why it failed, if it did.
    pub(super) fn error(&self) -> Option<&RunError> {
        self.outcome.as_ref().err()
    }
}

impl<'a> Follow<'a> {
    /// Connects the signals; from here on Ctrl-C stops the run, not the program.
    pub(super) fn new(
        session: &'a Session,
        workflow: &'a dyn Workflow,
        output: Output,
        next: Continuation,
    ) -> Result<Self, Failure> {
        let stop = Stop::new();
        stop_on_signals(&stop).map_err(|error| {
            Failure::new(
                format!("cannot listen for Ctrl-C: {error}"),
                "the system allows no more open files; close something",
            )
        })?;
        Ok(Self { session, workflow, output, next, stop })
    }

    /// Runs to the end. `saved` is the checkpoint that the run starts from, if it starts from one.
    pub(super) async fn run(
        &self,
        host: &dyn Host,
        mut request: HostRequest,
        saved: Option<CheckpointId>,
    ) -> Result<Followed, Failure> {
        let mut watcher = Watcher::new(&self.session.printer, self.workflow, self.output);
        request.events = watcher.kinds();
        request.stop = self.stop.clone();
        let mut stream = match host.stream(request).await {
            Ok(stream) => stream,
            Err(error) => return Ok(Followed { outcome: Err(error), saved }),
        };
        while let Some(event) = stream.next().await {
            watcher.see(&event);
        }
        let saved = watcher.saved().cloned().or(saved);
        let outcome = stream.outcome().expect("a stream that has ended has an outcome");
        Ok(Followed { outcome, saved })
    }

    /// Says how it ended.
    pub(super) fn end(&self, followed: Followed) -> Result<Exit, Failure> {
        let Followed { outcome, saved } = followed;
        let resume = saved.as_ref().map(|checkpoint| self.next.resume(&checkpoint.thread));
        match outcome {
            Ok(Outcome { status: Status::Done, state, .. }) => self.done(&state),
            Ok(Outcome { status: Status::Waiting(questions), .. }) => {
                self.waiting(&questions, resume.as_deref().unwrap_or_default());
                Ok(Exit::Waiting)
            }
            Ok(Outcome { status: Status::Paused(at), .. }) => {
                self.paused(&at, saved.as_ref(), resume.as_deref());
                Ok(Exit::Waiting)
            }
            // Drained. Any other end that a later engine may have is one to resume from, too.
            Ok(Outcome { steps, .. }) | Err(RunError::Cancelled { step: steps, .. }) => {
                self.stopped(steps, saved.as_ref(), resume.as_deref());
                Ok(Exit::Stopped)
            }
            // Whoever writes to the thread now continues it.
            Err(error @ RunError::Store(StoreError::Busy { .. })) => Err(error.into()),
            Err(error) => Err(Failure::from(error).resumed_by(resume)),
        }
    }

    fn done(&self, state: &RawValue) -> Result<Exit, Failure> {
        let printer = &self.session.printer;
        let report = self.workflow.report(state)?;
        report.lines.iter().for_each(|line| printer.progress(line));
        if self.output == Output::Paths {
            for path in &report.outputs {
                printer.data(path.strip_prefix(&self.session.folder).unwrap_or(path).display());
            }
        }
        if let (Output::Paths, Some(result)) = (self.output, &report.result) {
            printer.data(serde_json::to_string_pretty(result).expect("a result is JSON"));
        }
        Ok(match report.acceptance {
            Acceptance::Accepted => Exit::Done,
            Acceptance::NotAccepted => Exit::NotAccepted,
        })
    }

    /// Says which questions wait for an answer, and the command that answers each.
    pub(super) fn waiting(&self, questions: &[Question], resume: &str) {
        let printer = &self.session.printer;
        let count = questions.len();
        printer.say(format_args!("waiting for {count} answer{}", if count == 1 { "" } else { "s" }));
        for Question { id, node, payload, .. } in questions {
            match question::lines(payload).as_slice() {
                [line] => printer.say(format_args!("question {id} of `{node}`: {line}")),
                lines => printer.say(format_args!("question {id} of `{node}`:\n{}", lines.join("\n"))),
            }
            printer.command("to answer", &format!("{resume} --answer '{id}=JSON'"));
        }
    }

    fn paused(&self, at: &Breakpoint, saved: Option<&CheckpointId>, resume: Option<&str>) {
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

    fn stopped(&self, step: u64, saved: Option<&CheckpointId>, resume: Option<&str>) {
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
