//! Requests to the agents; the prompts are rendered from them, and the offline rules read them.

use serde::{Deserialize, Serialize};

use super::{Clarification, ComponentKind, DesignDraft, MinutesRound, PromptHistory, SchemaLimits};
use crate::workflows::ard::input::settings::{OnAmbiguity, SeverityRule};
use schemars::JsonSchema;

/// Request to the architect: the idea, the reviews and decisions so far, and the draft to revise.
/// Prompts are rendered from it; offline rules read it directly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftRequest {
    /// The idea, unchanged.
    pub rough_idea: String,
    /// The reviews so far.
    pub history: PromptHistory,
    /// Decisions of the user so far.
    pub clarifications: Vec<Clarification>,
    /// Draft that the latest review challenged; `None` on the first pass.
    pub previous: Option<DesignDraft>,
    /// Maximum number of components that the prompt asks for; offline rules ignore it.
    pub max_components: Option<u32>,
    /// Material that only the prompts show.
    #[serde(default)]
    pub material: PromptMaterial,
}

/// Parts of a request that only the prompts show. Offline rules compute such values themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptMaterial {
    /// The statements of the idea.
    pub statements: Vec<PromptStatement>,
    /// The rounds so far with their answers.
    pub minutes: Vec<MinutesRound>,
    /// The draft without the answers, which the minutes have; `None` if there is no draft.
    #[serde(default)]
    pub draft: Option<DesignDraft>,
    /// Differences between the draft and the one before.
    pub changes: Vec<String>,
    /// Faults of the draft that the gates found.
    pub findings: Vec<String>,
    /// The limits of the schema.
    pub limits: SchemaLimits,
}

impl PromptMaterial {
    /// Makes material with the statements and limits alone.
    pub fn new(statements: Vec<PromptStatement>, limits: SchemaLimits) -> Self {
        Self { statements, limits, ..Self::default() }
    }
}

/// Statement of the idea with its number, as prompts show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptStatement {
    /// Number, from 1.
    pub number: usize,
    /// The author's words.
    pub text: String,
    /// True if it rules something out, so that no component covers it.
    pub is_excluded: bool,
}

/// Request to the reviewer: the idea, the draft, earlier reviews and decisions, and the settings of the
/// review. Prompts are rendered from it; offline rules read it directly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// The idea, which completeness is judged against (ARD-42).
    pub rough_idea: String,
    /// The draft to review.
    pub draft: DesignDraft,
    /// The reviews of earlier drafts (ARD-16).
    pub history: PromptHistory,
    /// Decisions of the user so far.
    pub clarifications: Vec<Clarification>,
    /// Number of this review, from 1.
    pub round: u32,
    /// Challenges get a severity under [`SeverityRule::CriticalOnly`].
    pub severity: SeverityRule,
    /// Ambiguities get options for the user under [`OnAmbiguity::Ask`].
    pub on_ambiguity: OnAmbiguity,
    /// Maximum number of challenges that the prompt asks for; offline rules ignore it.
    pub max_challenges: Option<u32>,
    /// Material that only the prompts show.
    #[serde(default)]
    pub material: PromptMaterial,
}

impl ReviewRequest {
    /// Makes a request with an empty history and default settings.
    pub fn new(rough_idea: impl Into<String>, draft: DesignDraft, round: u32) -> Self {
        Self {
            rough_idea: rough_idea.into(),
            draft,
            history: PromptHistory::default(),
            clarifications: Vec::new(),
            round,
            severity: SeverityRule::default(),
            on_ambiguity: OnAmbiguity::default(),
            max_challenges: None,
            material: PromptMaterial::default(),
        }
    }
}

/// Request for the purpose of one component. The prompts are rendered from it; no offline rule reads
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentRequest {
    /// Name of the component.
    pub name: String,
    /// Its type.
    pub kind: ComponentKind,
    /// The statements that it answers for.
    pub statements: Vec<PromptStatement>,
    /// Names of the other components.
    pub others: Vec<String>,
    /// Descriptions of the challenges about it.
    pub challenges: Vec<String>,
}

/// The answer to a [`ComponentRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PurposeAnswer {
    /// The purpose, in one sentence.
    pub purpose: String,
}

/// Number of bytes of an idea that offline rules read, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Bytes read.
    pub read: usize,
    /// Size of the idea in bytes.
    pub total: usize,
}
