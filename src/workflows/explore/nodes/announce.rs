//! Announces the events of calls and children, and writes notes to the notepad. Outside the journal: a
//! resumed run, which has the results from the journal, announces them again, and the log drops those
//! that it knows. So a kill between a result and its events loses none.

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

/// Middleware that announces the start and the end of each call and makes its result visible to other
/// agents.
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
    /// Announces the calls of an answer that were refused before any middleware ran. All calls are
    /// passed, because their positions are part of the keys of events; the log drops those already
    /// announced. `at` is the number of messages before the calls.
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

    /// Writes all notes of this answer to the notepad, as far as there is room.
    fn write_planned_notes(&self) -> NodeResult<()> {
        let notes = self.plan.notes();
        let fits = |note: &&NotepadEntry| self.resources.notepad.check_room(note).is_ok();
        notes.iter().filter(fits).try_for_each(|note| self.resources.write_note(self.cx, note))
    }

    fn tell_end(&self, key: &str, name: &str, output: &ToolOutput) -> NodeResult<()> {
        let told = (output.is_success(), output.content.as_str());
        self.tell(ExplorationEvent::tool_end(&self.agent.agent_id, key, name, told))
    }

    /// Makes the effect of a result visible: writes its notes to the notepad and announces ended
    /// agents.
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

/// Returns the events for start and end of an agent.
pub(super) fn record_events(record: &AgentRecord) -> [ExplorationEvent; 2] {
    [ExplorationEvent::spawned(&record.id, &record.purpose, &record.scope), ExplorationEvent::ended(record)]
}

/// Returns the key of a call: number of messages before the answer, and position in the answer.
fn call_key(at: usize, index: usize) -> String {
    format!("{at}.{index}")
}
