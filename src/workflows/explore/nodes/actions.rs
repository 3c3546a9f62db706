//! Runs the calls that change the agent: a note, a delegation, the end. Inside the journal, so that
//! none of them happens twice.

use std::fmt::Write as _;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use super::effect::{ActionEffect, ChildResult};
use super::plan::{AgentAction, RoundPlan};
use super::target::scope_name;
use crate::agent::{Middleware, Next, ToolOutput};
use crate::engine::{Cx, NodeResult, with_causes};
use crate::llm::ToolCall;
use crate::repo::cut;
use crate::trace::run_agent;
use crate::workflows::explore::agents::{AgentEnd, AgentRecord, AgentRun};
use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::explore::services::{ExploreResources, ExploreServices, ExploredRepository};
use crate::workflows::node_errors::ends_the_run;

/// Maximum length of a child's summary in the result of `delegate`, in characters (EXP-23).
const CHILD_SUMMARY_CHARS: usize = 600;

/// Middleware that runs the calls that a plan has an action for, and passes on all others.
pub(super) struct Actions<'a> {
    pub(super) plan: &'a RoundPlan,
    pub(super) resources: &'a ExploreResources,
    pub(super) cx: &'a Cx<ExploreServices>,
}

impl Middleware for Actions<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        match self.plan.action(next.place().index) {
            Some(AgentAction::Write { note, is_cut }) => self.write(note, is_cut).boxed(),
            Some(AgentAction::Delegate(child)) => self.delegate(child).boxed(),
            Some(AgentAction::Finish(summary)) => self.finish(summary).boxed(),
            None => next.run(call),
        }
    }
}

impl Actions<'_> {
    /// Checks the room on the notepad and the cited paths, and returns the note as the effect of the
    /// call. `Announcer` writes it.
    async fn write(&self, note: NotepadEntry, is_cut: bool) -> NodeResult<ToolOutput> {
        if let Err(full) = self.resources.notepad.check_room(&note) {
            return Ok(ToolOutput::refused(full.to_string()));
        }
        let unknown_citations = self.unknown_citations(&note.content).await?;
        let mut told = format!("note {} on `{}` was written", note.number, note.topic);
        if is_cut {
            told.push_str("; its content was too long and was cut");
        }
        if !unknown_citations.is_empty() {
            let _ = write!(told, "; no file is called {}", unknown_citations.join(", "));
        }
        Ok(ToolOutput::ok(told).data(&ActionEffect::Noted { note, unknown_citations }))
    }

    /// Checks the cited paths of a summary and returns it as the effect of the call.
    async fn finish(&self, summary: String) -> NodeResult<ToolOutput> {
        let unknown_citations = self.unknown_citations(&summary).await?;
        Ok(ToolOutput::ok("finished").data(&ActionEffect::Finished { summary, unknown_citations }))
    }

    /// Runs a child inside this task (EXP-5) and returns its summary as the result of the call. A child
    /// that fails is a failed result and does not end the run (EXP-25).
    async fn delegate(&self, child: Box<AgentRun>) -> NodeResult<ToolOutput> {
        let agents = self.cx.services().agents()?;
        let key = format!("agent {}", child.agent_id);
        let exploring = self.cx.subgraph(&key, &agents, (*child).clone());
        let result = match run_agent(&key, exploring).await {
            Ok(ended) => ChildResult::of(ended),
            Err(error) if ends_the_run(&error) => return Err(error),
            Err(error) => {
                let known = self.resources.recall(&child);
                ChildResult::of(AgentRun {
                    end: Some(AgentEnd::Failed(with_causes(error.source()))),
                    ..known
                })
            }
        };
        self.resources.forget(&child.agent_id);
        Ok(format_child(&result.agents[0]).data(&ActionEffect::Explored(Box::new(result))))
    }

    /// Returns the paths that a text cites but that do not exist in the repository (EXP-72).
    async fn unknown_citations(&self, text: &str) -> NodeResult<Vec<String>> {
        let (input, text) = (json!({ "text": text }), text.to_owned());
        let is_rules = self.resources.is_rules();
        let find = move |repository: &ExploredRepository| {
            if is_rules { repository.unknown_places(&text) } else { repository.unknown_citations(&text) }
        };
        self.resources.read("citations", input, find).await
    }
}

/// Formats the result of a delegation for the model.
fn format_child(child: &AgentRecord) -> ToolOutput {
    let notes = match child.notes {
        0 => "no note".to_owned(),
        1 => "1 note".to_owned(),
        notes => format!("{notes} notes"),
    };
    let (id, scope) = (&child.id, scope_name(&child.scope.path));
    if let AgentEnd::Failed(reason) = &child.end {
        let reason = cut(reason, CHILD_SUMMARY_CHARS).kept;
        let mut told = format!("agent {id} for `{scope}` failed, with {notes}: {reason}");
        if !child.summary.is_empty() {
            let _ = write!(told, "\nIts last text: {}", cut(&child.summary, CHILD_SUMMARY_CHARS));
        }
        return ToolOutput::failed(told);
    }
    let mut told = format!("agent {id} explored `{scope}` and wrote {notes}.");
    if child.end == AgentEnd::Stopped {
        told.push_str(" It stopped without `finish`; this is its last text.");
    }
    let _ = write!(told, "\n{}", cut(&child.summary, CHILD_SUMMARY_CHARS));
    if !child.unknown_citations.is_empty() {
        let _ = write!(told, "\n[no file is called {}]", child.unknown_citations.join(", "));
    }
    ToolOutput::ok(told)
}
