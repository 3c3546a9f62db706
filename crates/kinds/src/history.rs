//! The conversation that a node continues: earlier messages from its channel, and new messages for it. Calls no
//! model.

use serde_json::Value;

use super::node::expression_error;
use super::work::WorkContext;
use stategraph_core::{NodeError, NodeResult};
use stategraph_files::expression::{EvalScope, Template};
use stategraph_llm::{ChatRequest, Message, Usage};

/// The prompts of a `model` or `agent` node, and the channel with its earlier messages.
pub(super) struct PromptParts<'a> {
    /// System prompt.
    pub(super) system: Option<&'a Template>,
    /// Prompt of the user role.
    pub(super) prompt: Option<&'a Template>,
    /// Name of the channel of the conversation.
    pub(super) history: Option<&'a str>,
}

impl PromptParts<'_> {
    /// Builds the request: system prompt, earlier messages, prompt. The prompt is also recorded in `work`,
    /// which adds it to the conversation later. Fails if there is no message but the system prompt.
    pub(super) fn build_request(
        &self,
        scope: &EvalScope<'_>,
        work: &WorkContext<'_>,
    ) -> NodeResult<ChatRequest> {
        let mut messages = Vec::new();
        if let Some(system) = self.system {
            messages.push(Message::system(system.render(scope).map_err(expression_error)?));
        }
        if let Some(channel) = self.history {
            messages.extend(load_history(channel, scope)?);
        }
        if let Some(prompt) = self.prompt {
            let question = Message::user(prompt.render(scope).map_err(expression_error)?);
            work.record_messages([message_json(&question)?]);
            messages.push(question);
        }
        if messages.len() == usize::from(self.system.is_some()) {
            let channel = self.history.unwrap_or_default();
            let error = NodeError::msg(format!("`{channel}` has no messages yet")).permanent();
            return Err(error.with_hint("write a message to it before, or say something with the node"));
        }
        Ok(ChatRequest::new(work.node_path(), messages))
    }
}

/// Returns the messages of a channel. Their ids and costs are dropped, because the model does not get them.
fn load_history(channel: &str, scope: &EvalScope<'_>) -> NodeResult<Vec<Message>> {
    let value = scope.state().get(channel).cloned().unwrap_or_default();
    Ok(serde_json::from_value(value)?)
}

/// Converts a message to the JSON that a conversation stores.
pub(super) fn message_json(message: &Message) -> NodeResult<Value> {
    Ok(serde_json::to_value(message)?)
}

/// Converts an answer to the JSON that a conversation stores, with its token usage.
pub(super) fn answer_json(message: &Message, usage: Usage) -> NodeResult<Value> {
    let mut value = message_json(message)?;
    value["usage"] = serde_json::to_value(usage)?;
    Ok(value)
}
