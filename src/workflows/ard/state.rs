//! The state of a debate (ARD-2 to ARD-7). Holds no key and no handle: everything in it is in the checkpoints.

use serde::{Deserialize, Serialize};

use super::exchange::{Condensed, Draft, Review};
use super::input::Idea;
use super::input::settings::Settings;
use crate::engine::State;
use crate::llm::{Usage, UsageSource};

/// A debate as it stands.
#[derive(State, Debug, Clone, Serialize, Deserialize)]
pub struct Debate {
    /// The idea. Never changes after the start (ARD-3).
    pub rough_idea: Idea,
    /// What the debate was set up with; a resume uses these, whatever the file says by then.
    pub settings: Settings,
    /// The latest draft (ARD-4).
    pub current_draft: Option<Draft>,
    /// All reviews, in order (ARD-5, ARD-15).
    #[state(append)]
    pub challenge_history: Vec<Review>,
    /// What the architect said to each review, in the order of the reviews.
    #[state(append)]
    pub rationales: Vec<String>,
    /// The paragraph that stands for earlier rounds in prompts, once there is one (ARD-53).
    pub condensed: Option<Condensed>,
    /// How often the debate went back to the architect; starts at 0 (ARD-6).
    pub iteration: u32,
    /// Whether it goes on (ARD-7).
    pub status: DebateStatus,
    /// What the architect's model took.
    #[state(reduce = Spent::add)]
    pub architect: Spent,
    /// What the reviewer's model took.
    #[state(reduce = Spent::add)]
    pub reviewer: Spent,
}

/// Whether a debate goes on (ARD-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateStatus {
    /// It does.
    #[default]
    InProgress,
    /// The reviewer has nothing to challenge.
    Verified,
    /// The limit came first.
    MaxIterationsReached,
}

/// What an agent's calls took so far (ENG-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Requests made.
    pub calls: u32,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Whether part of it is an estimate.
    pub estimated: bool,
}

impl Spent {
    /// Adds what another call took.
    pub fn add(&mut self, more: Self) {
        self.calls += more.calls;
        self.prompt_tokens += more.prompt_tokens;
        self.completion_tokens += more.completion_tokens;
        self.estimated |= more.estimated;
    }

    /// What a number of requests took in all.
    pub(crate) fn of(calls: u32, usage: Usage) -> Self {
        Self {
            calls,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            estimated: usage.source == UsageSource::Estimated,
        }
    }
}

impl Debate {
    /// A debate that has not begun.
    pub fn new(rough_idea: Idea, settings: Settings) -> Self {
        Self {
            rough_idea,
            settings,
            current_draft: None,
            challenge_history: Vec::new(),
            rationales: Vec::new(),
            condensed: None,
            iteration: 0,
            status: DebateStatus::InProgress,
            architect: Spent::default(),
            reviewer: Spent::default(),
        }
    }

    /// The number of the review under way, from 1.
    pub fn round(&self) -> u32 {
        u32::try_from(self.challenge_history.len()).map_or(u32::MAX, |held| held.saturating_add(1))
    }
}
