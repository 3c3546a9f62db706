//! The state of a review, and the request to the model.

use serde::{Deserialize, Serialize};

use crate::engine::State;
use crate::workflows::ard::exchange::{Review, SchemaLimits};
use crate::workflows::ard::input::Idea;
use crate::workflows::ard::input::settings::DebateSettings;
use crate::workflows::ard::state::AgentUsage;

/// The state of a review of a specification that a person wrote.
#[derive(State, Debug, Clone, Serialize, Deserialize)]
pub struct SpecReview {
    /// Name of the file, as the user typed it.
    pub file: String,
    /// Text of the specification.
    pub text: String,
    /// The idea that the specification is held against.
    pub rough_idea: Option<Idea>,
    /// Models and limits; those of a debate.
    pub settings: DebateSettings,
    /// The findings; `None` until the review is made.
    pub review: Option<Review>,
    /// Questions to the author that the rules ask.
    pub questions: Vec<String>,
    /// True if a model has read the specification.
    pub is_by_model: bool,
    /// Usage of the model.
    #[state(reduce = AgentUsage::add)]
    pub usage: AgentUsage,
}

impl SpecReview {
    /// Makes the state of a review that has not begun.
    pub fn new(file: String, text: String, rough_idea: Option<Idea>, settings: DebateSettings) -> Self {
        Self {
            file,
            text,
            rough_idea,
            settings,
            review: None,
            questions: Vec::new(),
            is_by_model: false,
            usage: AgentUsage::default(),
        }
    }
}

/// The request to the model. Its prompts are rendered from it.
#[derive(Debug, Serialize)]
pub(in super::super) struct JudgeRequest<'a> {
    pub(in super::super) rough_idea: Option<&'a str>,
    pub(in super::super) text: &'a str,
    /// Challenges of the rules.
    pub(in super::super) findings: Vec<&'a str>,
    pub(in super::super) limits: SchemaLimits,
}
