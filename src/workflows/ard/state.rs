//! The state of a debate (ARD-2 to ARD-7). Holds neither keys nor handles, because checkpoints store all of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::exchange::{Clarification, CondensedHistory, DesignDraft, Review};
use super::input::Idea;
use super::input::settings::DebateSettings;
use super::services::DebateAgent;
use crate::engine::State;
use crate::llm::{Money, RefusedAnswer, Reply, Usage, UsageSource};

/// State of a debate between architect and reviewer: idea, settings, drafts, reviews, usage and result.
#[derive(State, Debug, Clone, Serialize, Deserialize)]
pub struct Debate {
    /// The idea. Never changes after the start (ARD-3).
    pub rough_idea: Idea,
    /// The settings at the start. A resume keeps them, except for the models, which the user may correct.
    pub settings: DebateSettings,
    /// The latest draft (ARD-4).
    pub current_draft: Option<DesignDraft>,
    /// All reviews, in order (ARD-5, ARD-15).
    #[state(append)]
    pub challenge_history: Vec<Review>,
    /// The architect's answer to each review, in the order of the reviews; `None` for a revision that was refused, so
    /// that the earlier draft stayed (ARD-41).
    #[state(append)]
    pub rationales: Vec<Option<String>>,
    /// Decisions of the user, in order (ARD-72).
    #[state(append)]
    pub clarifications: Vec<Clarification>,
    /// The paragraph that replaces earlier rounds in prompts; `None` until the history exceeds its token limit
    /// (ARD-53).
    pub condensed: Option<CondensedHistory>,
    /// Number of times that the debate returned to the architect (ARD-6).
    pub iteration: u32,
    /// Progress of the debate (ARD-7).
    pub status: DebateStatus,
    /// Reason why the debate ended; `None` before its end, and in threads of older versions.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// All drafts, in order. A revision that repeats one is refused.
    #[serde(default)]
    #[state(append)]
    pub drafts: Vec<DesignDraft>,
    /// Remarks of the program about irregular events, such as merged components, in order.
    #[serde(default)]
    #[state(append)]
    pub remarks: Vec<DebateRemark>,
    /// The replacement for an agent whose answers were refused; `None` in a debate without one.
    #[serde(default)]
    pub fallback: Option<Fallback>,
    /// Usage of the architect's model (ARD-73).
    #[state(reduce = AgentUsage::add)]
    pub architect: AgentUsage,
    /// Usage of the reviewer's model (ARD-73).
    #[state(reduce = AgentUsage::add)]
    pub reviewer: AgentUsage,
    /// Path of the written specification; a relative path starts in the folder of that run. `None` until it is
    /// written.
    pub written_to: Option<PathBuf>,
    /// The specification itself if it goes to standard output.
    #[serde(default)]
    pub document: Option<String>,
}

/// Progress of a debate (ARD-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateStatus {
    /// The debate continues.
    #[default]
    InProgress,
    /// The reviewer has no challenge left.
    Verified,
    /// The debate ended at the limit of iterations, unverified.
    MaxIterationsReached,
}

/// Reason why a debate ended. It decides the verdict of the document and the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The model has no challenge left, and no gate has a finding.
    Verified,
    /// The limit of rounds is reached with challenges left.
    Limit,
    /// The architect repeats an earlier draft.
    Circle,
    /// The reviewer by rules has challenges left at the limit of rounds.
    Refused,
    /// An agent gave no valid answer; an earlier draft or an answer by rules replaced it.
    Fallback,
    /// No fault was found, but the meaning was not judged: the reviewer works by rules, or the idea
    /// contradicts itself, was not read in full, or says too little for a draft.
    NotJudged,
}

impl Ending {
    /// Returns the word for the ending in documents and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Limit => "limit",
            Self::Circle => "circle",
            Self::Refused => "refused",
            Self::Fallback => "fallback",
            Self::NotJudged => "not_judged",
        }
    }
}

/// Remark of the program about an irregular event in a round, shown in the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateRemark {
    /// Number of the round, from 1.
    pub round: u32,
    /// The remark.
    pub text: String,
}

/// Record of an agent whose answers were refused, and of the answer that replaced them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallback {
    /// The agent.
    pub agent: DebateAgent,
    /// The source of the answer that took its place.
    pub source: FallbackSource,
    /// The objections to the last refused answer.
    pub problems: Vec<String>,
}

/// Source of the answer that replaced a refused one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FallbackSource {
    /// The last accepted draft.
    LastDraft,
    /// The rules.
    Rules,
}

/// Usage of one agent's model: calls, tokens and cost (ENG-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentUsage {
    /// Requests made.
    pub calls: u32,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers.
    pub completion_tokens: u64,
    /// Origin of the token counts: reported by the endpoint, or estimated.
    pub source: UsageSource,
    /// Cost of all calls; `None` if the price of a call is unknown.
    pub cost: Option<Money>,
}

impl AgentUsage {
    /// Adds the usage of further calls. The cost becomes unknown with the first call of unknown price.
    pub fn add(&mut self, more: Self) {
        self.cost = match (self.calls, self.cost, more.cost) {
            (0, _, cost) => cost,
            // No call costs nothing.
            (_, cost, _) if more.calls == 0 => cost,
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

    /// Returns the usage of an accepted answer, including the refused answers before it.
    pub(super) fn from_reply<T>(reply: &Reply<T>) -> Self {
        Self::new(reply.attempts, reply.usage, reply.cost)
    }

    /// Returns the usage of answers that were all refused.
    pub(super) fn from_refused(refused: &RefusedAnswer) -> Self {
        Self::new(refused.attempts, refused.usage, refused.cost)
    }

    fn new(calls: u32, usage: Usage, cost: Option<Money>) -> Self {
        let Usage { prompt_tokens, completion_tokens, source } = usage;
        Self { calls, prompt_tokens, completion_tokens, source, cost }
    }
}

impl DebateUpdate {
    /// Adds the usage to the channel of the agent.
    #[must_use]
    pub(super) fn add_usage(self, agent: DebateAgent, spent: AgentUsage) -> Self {
        match agent {
            DebateAgent::Architect => self.architect(spent),
            DebateAgent::Reviewer => self.reviewer(spent),
        }
    }
}

impl Debate {
    /// Makes the state of a debate at its start (ARD-6, ARD-7).
    pub fn new(rough_idea: Idea, settings: DebateSettings) -> Self {
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
            ending: None,
            drafts: Vec::new(),
            remarks: Vec::new(),
            fallback: None,
            architect: AgentUsage::default(),
            reviewer: AgentUsage::default(),
            written_to: None,
            document: None,
        }
    }

    /// Returns the reason why the debate ended. For a thread of an older version it follows from the
    /// status.
    pub fn ending(&self) -> Ending {
        let by_status = || match self.status {
            DebateStatus::Verified => Ending::Verified,
            DebateStatus::MaxIterationsReached => Ending::Limit,
            DebateStatus::InProgress => Ending::NotJudged,
        };
        self.ending.unwrap_or_else(by_status)
    }

    /// Returns the number of the next review, from 1: the number of stored reviews plus one.
    pub fn round(&self) -> u32 {
        u32::try_from(self.challenge_history.len()).map_or(u32::MAX, |held| held.saturating_add(1))
    }

    /// Returns the usage of an agent's model.
    pub fn usage(&self, agent: DebateAgent) -> AgentUsage {
        match agent {
            DebateAgent::Architect => self.architect,
            DebateAgent::Reviewer => self.reviewer,
        }
    }
}
