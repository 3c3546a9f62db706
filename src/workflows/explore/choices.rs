//! Conditional edges of the two graphs of `explore`. Pure: no model, no file, no clock.

use super::agents::AgentRun;
use super::input::ExploreOutput;
use super::state::ExploreRun;
use crate::engine::Choice;

/// Next step of an agent after an answer of the model (EXP-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterAnswer {
    /// The calls of the answer run.
    Tools,
    /// The model is asked again: it was reminded to call `finish`.
    Agent,
    /// The agent ended.
    End,
}

/// Returns the next step after an answer: the end, the calls if it has any, else the model again.
pub fn after_answer(agent: &AgentRun) -> AfterAnswer {
    let has_calls = agent.messages.last().is_some_and(|last| !last.message.tool_calls.is_empty());
    match (&agent.end, has_calls) {
        (Some(_), _) => AfterAnswer::End,
        (None, true) => AfterAnswer::Tools,
        (None, false) => AfterAnswer::Agent,
    }
}

/// Next step of an agent after the tool calls of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterTools {
    /// The model is asked again.
    Agent,
    /// The agent called `finish` (EXP-7).
    End,
}

/// Returns the next step after the calls of an answer: the end if `finish` was called, else the model
/// again.
pub fn after_tools(agent: &AgentRun) -> AfterTools {
    if agent.end.is_some() { AfterTools::End } else { AfterTools::Agent }
}

/// Kind of the result; arms of the branch after `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum OutputKind {
    /// The notes of agents.
    Notes,
    /// A document.
    Document,
}

/// Chooses the branch after `open`: the settings ask for the notes of agents, or for a document.
pub fn output_kind(run: &ExploreRun) -> OutputKind {
    match run.settings.output {
        ExploreOutput::Notes => OutputKind::Notes,
        ExploreOutput::Document | ExploreOutput::DocumentWithAgents => OutputKind::Document,
    }
}
