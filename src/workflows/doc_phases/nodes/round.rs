//! What stands around a round: where it is, what the model is sent of what was said, and who is told.

mod bounded;
mod tell;
mod window;

use serde_json::{Value, json};

use super::explore::Errand;
use crate::engine::Cx;
use crate::workflows::doc_phases::memory::Author;
use crate::workflows::doc_phases::phase::{Operation, Phase, Round};
use crate::workflows::doc_phases::services::{Services, Work};
use crate::workflows::doc_phases::state::Documentation;
use crate::workflows::doc_phases::tools::{Answers, Desk};

pub(super) use bounded::Bounded;
pub(super) use tell::Tell;
pub(super) use window::Window;

/// Where a round is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) run: &'a Documentation,
    pub(super) errand: &'a Errand<'a>,
    pub(super) work: &'a Work,
    pub(super) cx: &'a Cx<Services>,
}

impl Place<'_> {
    /// The phase, and the component where there is one.
    pub(super) fn name(&self) -> String {
        match self.errand.component {
            Some(component) => format!("{} of {}", self.errand.phase, component.id),
            None => self.errand.phase.to_string(),
        }
    }

    /// What the tools work on.
    pub(super) fn desk(&self, question: &Round) -> Desk {
        Desk {
            code: self.work.code.clone(),
            memory: self.work.memory.clone(),
            embeddings: self.work.embeddings.clone(),
            phase: question.phase,
            author: self.author(),
            context: context(question),
            answers: if self.work.is_rules() { Answers::Data } else { Answers::Text },
        }
    }

    /// In whose name discoveries are stored.
    fn author(&self) -> Author {
        let phase = match self.errand.phase {
            Phase::ArchitectureDiscovery => 0,
            Phase::ComponentDeepDive => 1,
            Phase::CrossCutting => 2,
            Phase::DocumentationGeneration => 3,
        };
        match self.errand.component {
            Some(component) => Author::component(phase, &component.id),
            None => Author::phase(phase),
        }
    }
}

/// Phase and budget before the round (DOC-62).
fn context(question: &Round) -> Value {
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
