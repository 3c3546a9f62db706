//! The state of a debate (ARD-2 to ARD-7). Holds no key and no handle: everything in it is in the checkpoints.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::exchange::{Clarification, Condensed, Draft, Review};
use super::input::Idea;
use super::input::settings::Settings;
use super::services::Agent;
use crate::engine::State;
use crate::llm::{Money, RefusedAnswer, Reply, Usage, UsageSource};

/// A debate as it stands.
#[derive(State, Debug, Clone, Serialize, Deserialize)]
pub struct Debate {
    /// The idea. Never changes after the start (ARD-3).
    pub rough_idea: Idea,
    /// What the debate was set up with. A resume uses these whatever the file says by then, but for the models, which it may correct.
    pub settings: Settings,
    /// The latest draft (ARD-4).
    pub current_draft: Option<Draft>,
    /// All reviews, in order (ARD-5, ARD-15).
    #[state(append)]
    pub challenge_history: Vec<Review>,
    /// What the architect said to each review, in the order of the reviews; `None` where its revision was refused and the
    /// earlier draft stayed (ARD-41).
    #[state(append)]
    pub rationales: Vec<Option<String>>,
    /// What the user decided, in order (ARD-72).
    #[state(append)]
    pub clarifications: Vec<Clarification>,
    /// The paragraph that stands for earlier rounds in prompts, once there is one (ARD-53).
    pub condensed: Option<Condensed>,
    /// How often the debate went back to the architect; starts at 0 (ARD-6).
    pub iteration: u32,
    /// Whether it goes on (ARD-7).
    pub status: DebateStatus,
    /// What the architect's model took (ARD-73).
    #[state(reduce = Spent::add)]
    pub architect: Spent,
    /// What the reviewer's model took (ARD-73).
    #[state(reduce = Spent::add)]
    pub reviewer: Spent,
    /// Where the specification was written, once it is; a relative path is one from the folder of that run.
    pub written_to: Option<PathBuf>,
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
    /// Who counted the tokens.
    pub source: UsageSource,
    /// What they cost; `None` as soon as the price of one call is not known.
    pub cost: Option<Money>,
}

impl Spent {
    /// Adds what other calls took.
    pub fn add(&mut self, more: Self) {
        self.cost = match (self.calls, self.cost, more.cost) {
            (0, _, cost) => cost,
            (_, Some(mut sum), Some(cost)) => {
                sum += cost;
                Some(sum)
            }
            _ => None,
        };
        self.calls = self.calls.saturating_add(more.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(more.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(more.completion_tokens);
        self.source = self.source.max(more.source);
    }

    /// What an accepted answer took, refused ones before it included.
    pub(super) fn of<T>(reply: &Reply<T>) -> Self {
        Self::new(reply.attempts, reply.usage, reply.cost)
    }

    /// What answers took that were all refused.
    pub(super) fn of_refused(refused: &RefusedAnswer) -> Self {
        Self::new(refused.attempts, refused.usage, refused.cost)
    }

    fn new(calls: u32, usage: Usage, cost: Option<Money>) -> Self {
        let Usage { prompt_tokens, completion_tokens, source } = usage;
        Self { calls, prompt_tokens, completion_tokens, source, cost }
    }
}

impl DebateUpdate {
    /// Adds what an agent's calls took.
    #[must_use]
    pub(super) fn spend(self, agent: Agent, spent: Spent) -> Self {
        match agent {
            Agent::Architect => self.architect(spent),
            Agent::Reviewer => self.reviewer(spent),
        }
    }
}

impl Debate {
    /// A debate that has not begun (ARD-6, ARD-7).
    pub fn new(rough_idea: Idea, settings: Settings) -> Self {
        Self {
            rough_idea,
            settings,
            current_draft: None,
            challenge_history: Vec::new(),
            rationales: Vec::new(),
            clarifications: Vec::new(),
            condensed: None,
            iteration: 0,
            status: DebateStatus::InProgress,
            architect: Spent::default(),
            reviewer: Spent::default(),
            written_to: None,
        }
    }

    /// The number of the review under way, from 1.
    pub fn round(&self) -> u32 {
        u32::try_from(self.challenge_history.len()).map_or(u32::MAX, |held| held.saturating_add(1))
    }

    /// What an agent's model took.
    pub fn spent(&self, agent: Agent) -> Spent {
        match agent {
            Agent::Architect => self.architect,
            Agent::Reviewer => self.reviewer,
        }
    }
}
