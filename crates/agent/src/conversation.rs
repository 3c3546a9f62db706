//! The conversation of an agent and its user, as plain data. Calls no model; see `turn`.

use serde::{Deserialize, Serialize};

use super::middleware::{Halt, Round};
use super::spent::Spent;
use stategraph_llm::Message;

/// The messages of a conversation, and the budget that it has spent. Plain data, so that it can be part of a graph's state.
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
    /// Everything said, in order. Every call in it has its result.
    pub messages: Vec<Message>,
    /// Times the model was asked since the last task.
    pub rounds: u32,
    /// Tokens, money and calls, over everything.
    #[serde(default)]
    pub spent: Spent,
}

impl Conversation {
    /// Makes a conversation of standing instructions and a first task.
    pub fn new(system: impl Into<String>, task: impl Into<String>) -> Self {
        let mut conversation = Self { messages: vec![Message::system(system)], ..Self::default() };
        conversation.say(task);
        conversation
    }

    /// Adds the next task. The count of rounds restarts.
    pub fn say(&mut self, task: impl Into<String>) {
        self.messages.push(Message::user(task));
        self.rounds = 0;
    }

    /// Returns the next round, of at most `limit`.
    pub(super) fn round(&self, limit: u32) -> Round {
        let number = self.rounds.saturating_add(1);
        Round { number, limit, at: self.messages.len(), spent: self.spent.clone() }
    }
}

/// The end of a run. In each case the conversation is complete and can be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With the model's text.
    Answered(String),
    /// With calls still being made when the model had been asked as often as it may.
    RoundsUsedUp {
        /// The limit, in rounds.
        limit: u32,
    },
    /// By middleware.
    Halted(Halt),
}
