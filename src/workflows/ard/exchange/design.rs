//! The optional parts of a draft: requirements, interfaces, data, relations, flows, states, decisions. A model may leave
//! all of them out; the seed's form has none (ARD-30).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A requirement in the architect's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignRequirement {
    /// One testable sentence.
    pub text: String,
    /// Numbers of the idea's statements that it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<u32>,
    /// An acceptance check: how a tester sees that it holds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub check: String,
}

/// A word that the design uses in a sense of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignTerm {
    /// The word.
    pub term: String,
    /// Its meaning in the design, in one sentence.
    pub meaning: String,
}

/// An interface that a component offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Its name or route.
    pub name: String,
    /// Values that the caller passes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub takes: String,
    /// Values that it returns, errors included.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gives: String,
}

/// A record that a component keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataRecord {
    /// Name of the record.
    pub name: String,
    /// Its fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// How long it is kept, and what removes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kept: String,
}

/// A system outside of the design that a component talks to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExternalSystem {
    /// Its name.
    pub name: String,
    /// Its part in the design.
    pub purpose: String,
}

/// A directed relation between components or external systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Name of the side that calls or sends.
    pub from: String,
    /// Name of the side that is called or receives.
    pub to: String,
    /// A verb with its object.
    pub label: String,
}

/// An interaction of several components, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Its title.
    pub title: String,
    /// Its steps.
    pub steps: Vec<FlowStep>,
}

/// A step of a [`Flow`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowStep {
    /// Name of the acting component, external system or person.
    pub from: String,
    /// Name of the other side; equal to `from` for a step of one side alone.
    pub to: String,
    /// The message or action.
    pub text: String,
}

/// The states of a thing and the transitions between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateMachine {
    /// The thing that has the states.
    pub of: String,
    /// The transitions; the first one starts in the first state.
    pub transitions: Vec<Transition>,
}

/// A transition of a [`StateMachine`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The state before.
    pub from: String,
    /// The state after.
    pub to: String,
    /// The event that causes it.
    pub on: String,
}

/// A decision of the design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignDecision {
    /// The decision.
    pub decision: String,
    /// Its reason.
    pub reason: String,
    /// Rejected alternatives, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

/// A measurable quality, such as a response time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualityGoal {
    /// The quality.
    pub quality: String,
    /// Its number and unit.
    pub measure: String,
    /// Numbers of the idea's statements that it comes from; empty for a proposal of the architect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<u32>,
}

/// A question to the author of the idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuthorQuestion {
    /// The question.
    pub question: String,
    /// The assumption that the design makes until it is answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub assumption: String,
}

/// The architect's answer to a challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChallengeAnswer {
    /// Id of the challenge in the latest review.
    pub challenge: u32,
    /// The effect of the challenge on the draft.
    pub disposition: Disposition,
    /// The answer.
    pub text: String,
}

/// The effect of a challenge on the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// The draft changed.
    Fixed,
    /// The architect disagrees.
    Rejected,
    /// The matter waits for the author or a later version.
    Deferred,
}

impl Disposition {
    /// Returns the word for the disposition in JSON: `fixed`, `rejected`, `deferred`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Rejected => "rejected",
            Self::Deferred => "deferred",
        }
    }
}
