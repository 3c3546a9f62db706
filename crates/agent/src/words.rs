//! Passes the text of a model on to subscribers of the run, as messages with ids. The node decides on the use of the whole answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use stategraph_core::{Cx, MessageStream};
use stategraph_llm::{Appetite, ChatAnswer, Message, MessageChange, MessageId, Restart, TokenSink};

/// Takes the pieces of an answer, if the run has subscribers, and sends them as a message of the node; each answer that
/// [begins](TokenSink::begin) is another message.
///
/// An answer that is requested again restarts its message, under the same id.
pub struct Words<'a, D> {
    cx: &'a Cx<D>,
    key: String,
    now: Mutex<Now<'a, D>>,
}

/// The message under way.
struct Now<'a, D> {
    message: MessageStream<'a, D>,
    /// Number of answers that have begun.
    begun: u32,
}

impl<'a, D> Words<'a, D> {
    /// Makes a sink. `key` distinguishes the message from others of the task; the key of the journaled call will do.
    pub fn new(cx: &'a Cx<D>, key: impl Into<String>) -> Self {
        let key = key.into();
        let now = Now { message: cx.message(&key), begun: 0 };
        Self { cx, key, now: Mutex::new(now) }
    }

    /// Returns the id of the message, also after a resume that takes its answer from the journal.
    pub fn id(&self) -> MessageId {
        self.now().message.id().to_owned()
    }

    /// Returns the whole answer as a change of a [`Messages`](stategraph_llm::Messages) channel, under the id of its pieces.
    pub fn whole(&self, answer: &ChatAnswer) -> MessageChange {
        let message = Message::calling(&answer.text, answer.tool_calls.clone());
        MessageChange::put(self.id(), message).cost(answer.usage)
    }

    fn now(&self) -> MutexGuard<'_, Now<'a, D>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Send + Sync> TokenSink for Words<'_, D> {
    fn appetite(&self) -> Appetite {
        if self.cx.wants_messages() { Appetite::Tokens } else { Appetite::Nothing }
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
