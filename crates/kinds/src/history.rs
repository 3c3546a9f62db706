//! The conversation that a node goes on with: what was said before, read from its channel, and what is said now, kept for it. Asks nobody.

use serde_json::Value;

use super::node::permanent;
use super::work::Place;
use stategraph_core::{NodeError, NodeResult};
use stategraph_files::expression::{Scope, Template};
use stategraph_llm::{ChatRequest, Message, Usage};

/// What a node says to its model, and where the conversation is.
pub(super) struct Spoken<'a> {
    pub(super) system: Option<&'a Template>,
    pub(super) prompt: Option<&'a Template>,
    pub(super) history: Option<&'a str>,
}

impl Spoken<'_> {
    /// The request: standing instructions, what was said before, what is asked now.
    pub(super) fn request(&self, scope: &Scope<'_>, place: &Place<'_>) -> NodeResult<ChatRequest> {
        let mut messages = Vec::new();
        if let Some(system) = self.system {
            messages.push(Message::system(system.render(scope).map_err(permanent)?));
        }
        if let Some(channel) = self.history {
            messages.extend(before(channel, scope)?);
        }
        if let Some(prompt) = self.prompt {
            let asked = Message::user(prompt.render(scope).map_err(permanent)?);
            place.say([kept(&asked)?]);
            messages.push(asked);
        }
        if messages.len() == usize::from(self.system.is_some()) {
            let channel = self.history.unwrap_or_default();
            let error = NodeError::msg(format!("nothing was said in `{channel}` yet")).permanent();
            return Err(error.with_hint("write a message to it before, or say something with the node"));
        }
        Ok(ChatRequest::new(place.path(), messages))
    }
}

/// What was said before. Ids and costs are not for the model.
fn before(channel: &str, scope: &Scope<'_>) -> NodeResult<Vec<Message>> {
    let value = scope.state().get(channel).cloned().unwrap_or_default();
    Ok(serde_json::from_value(value)?)
}

/// A message as a conversation keeps it.
pub(super) fn kept(message: &Message) -> NodeResult<Value> {
    Ok(serde_json::to_value(message)?)
}

/// The same with what it cost.
pub(super) fn answered(message: &Message, usage: Usage) -> NodeResult<Value> {
    let mut value = kept(message)?;
    value["usage"] = serde_json::to_value(usage)?;
    Ok(value)
}
