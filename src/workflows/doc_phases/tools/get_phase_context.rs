//! `get_phase_context` (DOC-62): returns the phase, the used and the remaining budget. Free.

use std::sync::Arc;

use super::ToolContext;
use crate::agent::{NoArguments, Priority, Tool, ToolOutput};
use crate::workflows::doc_phases::phase::ToolObservation;

pub(super) struct GetPhaseContext(pub(super) Arc<ToolContext>);

impl Tool for GetPhaseContext {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "get_phase_context"
    }

    fn description(&self) -> &'static str {
        "Says which phase is under way, what is used and left of its budget, and what memory holds. Free."
    }

    fn priority(&self) -> Priority {
        Priority::Low
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let text = serde_json::to_string_pretty(&self.0.phase_context).expect("JSON is text");
        self.0.output(text, || ToolObservation::Nothing)
    }
}
