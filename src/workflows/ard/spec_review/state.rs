//! State of `ard-review`, and its request to the model.

use serde::{Deserialize, Serialize};

use crate::engine::State;
use crate::workflows::ard::exchange::{Review, SchemaLimits};
use crate::workflows::ard::input::Idea;
use crate::workflows::ard::input::settings::DebateSettings;
use crate::workflows::ard::state::AgentUsage;

/// State of the workflow `ard-review`, which reviews a specification that a person wrote.
#[derive(State, Debug, Clone, Serialize, Deserialize)]
pub struct SpecReview {
    /// Name of the file, as the user typed it.
    pub file: String,
    /// Text of the specification.
    pub text: String,
    /// Idea that the specification is compared with, if given.
    pub rough_idea: Option<Idea>,
    /// Settings with model and limits, as for a debate.
    pub settings: DebateSettings,
    /// Result; `None` until the review is made.
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

/// Values of the prompts for the review of a specification.
#[derive(Debug, Serialize)]
pub(in super::super) struct JudgeRequest<'a> {
    pub(in super::super) rough_idea: Option<&'a str>,
    pub(in super::super) text: &'a str,
    /// Descriptions of the challenges that the rules found.
    pub(in super::super) findings: Vec<&'a str>,
    pub(in super::super) limits: SchemaLimits,
}
