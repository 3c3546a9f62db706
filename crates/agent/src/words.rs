//! Streams the text of a model's answers to subscribers of the run, as messages with ids.

use std::sync::{Mutex, MutexGuard, PoisonError};

use stategraph_core::{Cx, MessageStream};
use stategraph_llm::{ChatAnswer, Message, MessageChange, MessageId, Restart, TokenDemand, TokenSink};

/// A token sink that sends the pieces of an answer to the subscribers of the run, as a message of the node.
/// Each answer that [begins](TokenSink::begin) is a separate message.
///
/// An answer that is requested again restarts its message, under the same id.
pub struct StreamedAnswer<'a, D> {
    cx: &'a Cx<D>,
    key: String,
    now: Mutex<CurrentMessage<'a, D>>,
}

/// The message that is being sent.
struct CurrentMessage<'a, D> {
    message: MessageStream<'a, D>,
    /// Number of answers that have begun.
    begun: u32,
}

impl<'a, D> StreamedAnswer<'a, D> {
    /// Makes a sink for the answers of one task. `key` distinguishes its message from other messages of the
    /// task; use the key under which the call is journaled.
    pub fn new(cx: &'a Cx<D>, key: impl Into<String>) -> Self {
        let key = key.into();
        let now = CurrentMessage { message: cx.message(&key), begun: 0 };
        Self { cx, key, now: Mutex::new(now) }
    }

    /// Returns the id of the current message. It is the same after a resume that takes the answer from the
    /// journal.
    pub fn id(&self) -> MessageId {
        self.now().message.id().to_owned()
    }

    /// Returns the complete answer as a change of a [`Messages`](stategraph_llm::Messages) channel, under the
    /// id of the streamed message, so that subscribers can replace the pieces by it.
    pub fn whole(&self, answer: &ChatAnswer) -> MessageChange {
        let message = Message::calling(&answer.text, answer.tool_calls.clone());
        MessageChange::put(self.id(), message).cost(answer.usage)
    }

    fn now(&self) -> MutexGuard<'_, CurrentMessage<'a, D>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Send + Sync> TokenSink for StreamedAnswer<'_, D> {
    fn token_demand(&self) -> TokenDemand {
        if self.cx.wants_messages() { TokenDemand::Tokens } else { TokenDemand::Nothing }
    }

    fn begin(&self) {
        let mut now = self.now();
        now.begun += 1;
        if now.begun > 1 {
            now.message = self.cx.message(&format!("{}.{}", self.key, now.begun));
        }
    }

    fn token(&self, text: &str) {
        self.now().message.push(text);
    }

    fn restart(&self) -> Restart {
        self.now().message.restart();
        Restart::Accepted
    }
}
