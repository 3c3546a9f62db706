//! The conversation of an agent and its user, as plain data. Calls no model; see `turn`.

use serde::{Deserialize, Serialize};

use super::middleware::{Halt, Round};
use super::spent::Spent;
use stategraph_llm::Message;

/// The messages of a conversation and the budget it has spent. It is plain data, so that it can be part of a
/// graph's state. The caller owns it; an [`Agent`](super::Agent) appends to it.
///
/// ```
/// use stategraph_agent::Conversation;
///
/// let mut conversation = Conversation::new("You calculate.", "2 + 2?");
/// conversation.say("And 3 + 3?");
/// assert_eq!((conversation.messages.len(), conversation.rounds), (3, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// All messages, in order. Every tool call among them has its result.
    pub messages: Vec<Message>,
    /// Number of requests to the model since the last message of the user.
    pub rounds: u32,
    /// Tokens, money and tool calls spent in the whole conversation.
    #[serde(default)]
    pub spent: Spent,
}

impl Conversation {
    /// Makes a conversation of a system message and a first message of the user.
    pub fn new(system: impl Into<String>, task: impl Into<String>) -> Self {
        let mut conversation = Self { messages: vec![Message::system(system)], ..Self::default() };
        conversation.say(task);
        conversation
    }

    /// Appends a message of the user, the next task, and resets the count of rounds.
    pub fn say(&mut self, task: impl Into<String>) {
        self.messages.push(Message::user(task));
        self.rounds = 0;
    }

    /// Returns the description of the next round for middleware. `limit` is the maximum number of rounds.
    pub(super) fn round(&self, limit: u32) -> Round {
        let number = self.rounds.saturating_add(1);
        Round { number, limit, at: self.messages.len(), spent: self.spent.clone() }
    }
}

/// The reason why an agent ended its run. In each case the conversation is complete and can be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The model answered without tool calls; the text of its answer.
    Answered(String),
    /// The model still made calls when it had been asked the maximum number of times.
    RoundsUsedUp {
        /// The maximum number of rounds.
        limit: u32,
    },
    /// Middleware ended the run.
    Halted(Halt),
}
