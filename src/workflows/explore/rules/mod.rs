//! The answers of an agent without a model: notes from the facts of its scope, delegations by structure, a summary.

use serde_json::json;

use super::agents::AgentView;
use crate::llm::ToolCall;

/// An answer by rules: what a model would have answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RulesAnswer {
    /// Text beside the calls; usually empty.
    pub text: String,
    /// Calls of the tools `write_notepad`, `delegate` and `finish`.
    pub calls: Vec<ToolCall>,
}

/// Returns the next answer of an agent. Equal views give equal answers.
pub fn next_answer(view: &AgentView<'_>) -> RulesAnswer {
    let arguments = json!({ "summary": format!("{} source files", view.scope.files.len()) });
    let finish = ToolCall { id: "1".into(), name: "finish".into(), arguments: arguments.to_string() };
    RulesAnswer { text: String::new(), calls: vec![finish] }
}
