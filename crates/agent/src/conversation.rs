//! What an agent and its user said, as plain data. Asks nobody; see `turn`.

use serde::{Deserialize, Serialize};

use super::middleware::{Halt, Round};
use super::spent::Spent;
use stategraph_llm::Message;

/// What was said, and what it took. Plain data, so that it can be a graph's state.
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
    /// Standing instructions, and a first task.
    pub fn new(system: impl Into<String>, task: impl Into<String>) -> Self {
        let mut conversation = Self { messages: vec![Message::system(system)], ..Self::default() };
        conversation.say(task);
        conversation
    }

    /// The next task; the count of rounds begins anew.
    pub fn say(&mut self, task: impl Into<String>) {
        self.messages.push(Message::user(task));
        self.rounds = 0;
    }

    /// The round that comes next, of `limit` at most.
    pub(super) fn round(&self, limit: u32) -> Round {
        let number = self.rounds.saturating_add(1);
        Round { number, limit, at: self.messages.len(), spent: self.spent.clone() }
    }
}

/// How a run ended. The conversation is whole in each case and can go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With the model's text.
    Answered(String),
    /// With calls still being made when the model had been asked as often as it may.
    RoundsUsedUp {
        /// How often that is.
        limit: u32,
    },
    /// By middleware.
    Halted(Halt),
}
