//! Tells the events of calls and of children, and puts notes into the notepad. Stands outside the journal: a resumed run, which has results
//! from the journal, tells them again, and the stream leaves out what it has. So a kill between a result and its events loses none.

use futures_util::future::{BoxFuture, FutureExt};

use super::effect::ActionEffect;
use super::plan::{AgentAction, RoundPlan};
use crate::agent::{CallResult, Middleware, Next, ToolOutput};
use crate::engine::{Cx, NodeResult};
use crate::llm::ToolCall;
use crate::workflows::explore::agents::{AgentRecord, AgentRun};
use crate::workflows::explore::events::ExplorationEvent;
use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::explore::services::{ExploreResources, ExploreServices};

/// Middleware that tells the events of calls.
pub(super) struct Announcer<'a> {
    pub(super) agent: &'a AgentRun,
    pub(super) plan: &'a RoundPlan,
    pub(super) resources: &'a ExploreResources,
    pub(super) cx: &'a Cx<ExploreServices>,
}

impl Middleware for Announcer<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let (place, name) = (next.place(), call.name.clone());
            let key = call_key(place.at, place.index);
            self.tell(ExplorationEvent::tool_start(&self.agent.agent_id, &key, &name, &call.arguments))?;
            if let Some(AgentAction::Delegate(child)) = self.plan.action(place.index) {
                // The child reads the notes of the answer that delegates to it, wherever they stand in the answer.
                self.write_planned_notes()?;
                self.tell(ExplorationEvent::spawned(&child.agent_id, &child.purpose, &child.scope()))?;
            }
            let output = next.run(call).await?;
            self.apply(&output)?;
            self.tell_end(&key, &name, &output)?;
            Ok(output)
        }
        .boxed()
    }
}

impl Announcer<'_> {
    /// Tells start and end of the calls that were refused, around which nothing ran. Takes all calls of the answer, because their positions
    /// are part of the keys of events; those already told are skipped. `at` is the number of messages before the calls.
    pub(super) fn tell_refused(
        &self,
        at: usize,
        calls: &[ToolCall],
        results: &[CallResult],
    ) -> NodeResult<()> {
        for (index, (call, result)) in calls.iter().zip(results).enumerate() {
            let key = call_key(at, index);
            self.tell(ExplorationEvent::tool_start(&self.agent.agent_id, &key, &call.name, &call.arguments))?;
            self.tell_end(&key, &call.name, &result.output)?;
        }
        Ok(())
    }

    fn write_planned_notes(&self) -> NodeResult<()> {
        let notes = self.plan.notes();
        let fits = |note: &&NotepadEntry| self.resources.notepad.check_room(note).is_ok();
        notes.iter().filter(fits).try_for_each(|note| self.resources.write_note(self.cx, note))
    }

    fn tell_end(&self, key: &str, name: &str, output: &ToolOutput) -> NodeResult<()> {
        let told = (output.is_success(), output.content.as_str());
        self.tell(ExplorationEvent::tool_end(&self.agent.agent_id, key, name, told))
    }

    /// Makes a result visible to other agents and to readers of the stream.
    fn apply(&self, output: &ToolOutput) -> NodeResult<()> {
        match ActionEffect::of(output) {
            Some(ActionEffect::Noted { note, .. }) => self.resources.write_note(self.cx, &note),
            Some(ActionEffect::Explored(child)) => {
                child.notes.iter().try_for_each(|note| self.resources.write_note(self.cx, note))?;
                // The deepest first, as they ended.
                child.agents.iter().rev().try_for_each(|record| self.tell_all(record_events(record)))
            }
            Some(ActionEffect::Finished { .. }) | None => Ok(()),
        }
    }

    fn tell(&self, event: ExplorationEvent) -> NodeResult<()> {
        self.resources.tell(self.cx, event)
    }

    fn tell_all(&self, events: [ExplorationEvent; 2]) -> NodeResult<()> {
        self.resources.tell_all(self.cx, events)
    }
}

/// Returns the events of an agent that ended.
pub(super) fn record_events(record: &AgentRecord) -> [ExplorationEvent; 2] {
    [ExplorationEvent::spawned(&record.id, &record.purpose, &record.scope), ExplorationEvent::ended(record)]
}

fn call_key(at: usize, index: usize) -> String {
    format!("{at}.{index}")
}
