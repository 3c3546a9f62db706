//! Context of a round, and the middleware around it: limits, context window and progress events.

mod answer_limits;
mod context_window;
mod digest;
mod reporter;
mod review;

use serde_json::{Value, json};

use super::explore::Exploration;
use crate::engine::Cx;
use crate::workflows::doc_phases::input::Mode;
use crate::workflows::doc_phases::memory::EntryAuthor;
use crate::workflows::doc_phases::phase::{Operation, Phase, RoundQuestion};
use crate::workflows::doc_phases::services::{DocServices, RunResources};
use crate::workflows::doc_phases::state::Documentation;
use crate::workflows::doc_phases::tools::{ToolAnswerForm, ToolContext};

pub(super) use answer_limits::AnswerLimits;
pub(super) use context_window::ContextWindow;
pub(super) use reporter::ProgressReporter;

/// Context that the functions of a round share: the run's state, the explored subject, its resources, and the
/// node's context.
#[derive(Clone, Copy)]
pub(super) struct RoundContext<'a> {
    pub(super) run: &'a Documentation,
    pub(super) exploration: &'a Exploration<'a>,
    pub(super) resources: &'a RunResources,
    pub(super) cx: &'a Cx<DocServices>,
}

impl RoundContext<'_> {
    /// Returns a label of the exploration: the phase, in phase B with the component (`component_deep_dive of
    /// core`).
    pub(super) fn name(&self) -> String {
        match self.exploration.component {
            Some(component) => format!("{} of {}", self.exploration.phase, component.id),
            None => self.exploration.phase.to_string(),
        }
    }

    /// Returns the context of the tools of this round. `was_returned` is true if a completion of the phase
    /// was sent back to the model before.
    pub(super) fn tool_context(&self, question: &RoundQuestion, was_returned: bool) -> ToolContext {
        ToolContext {
            code: self.resources.code.clone(),
            memory: self.resources.memory.clone(),
            embeddings: self.resources.embeddings.clone(),
            phase: question.phase,
            author: self.entry_author(),
            phase_context: phase_context(question),
            model: self.resources.model.name().clone(),
            tape: self.resources.tape.clone(),
            is_update: self.run.mode == Mode::Update,
            was_returned,
            answers: if self.resources.is_rules() { ToolAnswerForm::Data } else { ToolAnswerForm::Text },
        }
    }

    /// Returns the author of the entries that this exploration stores: its phase and, in phase B, its
    /// component.
    pub(super) fn entry_author(&self) -> EntryAuthor {
        let phase = match self.exploration.phase {
            Phase::ArchitectureDiscovery => 0,
            Phase::ComponentDeepDive => 1,
            Phase::CrossCutting => 2,
            Phase::DocumentationGeneration => 3,
        };
        match self.exploration.component {
            Some(component) => EntryAuthor::component(phase, &component.id),
            None => EntryAuthor::phase(phase),
        }
    }
}

/// Returns the answer of the tool `get_phase_context` as JSON: phase, component, round and budget at the
/// start of the round (DOC-62).
fn phase_context(question: &RoundQuestion) -> Value {
    let budget = Operation::ALL.into_iter().filter_map(|operation| {
        let limit = question.budget.limit(operation)?;
        let (used, left) = (question.used.of(operation), question.left(operation));
        Some(json!({ "operation": operation.plural(), "used": used, "limit": limit, "left": left }))
    });
    json!({
        "phase": question.phase,
        "component": question.component.as_ref().map(|component| &component.id),
        "round": question.number,
        "rounds": question.limit,
        "budget": budget.collect::<Vec<_>>(),
    })
}
