//! Questions to the user about ambiguities, and their answers (ARD-72). The node `clarify` asks them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::review::{Challenge, Proposal};

/// Question to the user about an ambiguity; payload of the interrupt by which the node `clarify` asks
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClarificationQuestion {
    /// Number of the review that raised the challenge, from 1; 0 for a contradiction in the idea.
    pub round: u32,
    /// Id of the challenge in that review.
    pub challenge: u32,
    /// The reviewer's description of the ambiguity.
    pub question: String,
    /// Possible meanings: 2 to 4 options, one of them recommended.
    pub options: Vec<Proposal>,
    /// Instruction for the answer; after an invalid answer, the objection to it.
    pub answer_with: String,
}

impl ClarificationQuestion {
    /// Makes the question for a challenge of review `round`.
    pub fn from_challenge(challenge: &Challenge, round: u32) -> Self {
        Self {
            round,
            challenge: challenge.id,
            question: challenge.description.clone(),
            options: challenge.options.clone(),
            answer_with: "the number of an option, counted from 1, or a text of your own in quotes"
                .to_owned(),
        }
    }

    /// Returns the same question with an objection to an answer that names no option.
    #[must_use]
    pub fn with_objection(&self, answer: &ClarificationAnswer) -> Self {
        let ClarificationAnswer::Option(number) = answer else { return self.clone() };
        let count = self.options.len();
        Self {
            answer_with: format!(
                "there is no option {number}: a number from 1 to {count}, or a text of your own in quotes"
            ),
            ..self.clone()
        }
    }

    /// Returns the JSON Schema of an answer: the number of an option, or a text. The engine checks an
    /// answer against it when the user gives it.
    pub fn answer_schema(&self) -> Value {
        json!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": self.options.len(),
            "pattern": r"\S",
        })
    }

    /// Returns the decision that an answer makes; `None` if it names an option that does not exist.
    /// `iteration` is stored in the decision.
    pub fn resolve(&self, answer: &ClarificationAnswer, iteration: u32) -> Option<Clarification> {
        let (option, text) = match answer {
            ClarificationAnswer::Option(number) => {
                let index = usize::try_from(*number).ok()?.checked_sub(1)?;
                (Some(*number), &self.options.get(index)?.text)
            }
            ClarificationAnswer::Text(text) => {
                let same = (1..).zip(&self.options).find(|(_, option)| option.text == *text);
                (same.map(|(number, _)| number), text)
            }
        };
        let Self { round, challenge, question, .. } = self.clone();
        Some(Clarification { iteration, round, challenge, question, option, answer: text.clone() })
    }
}

/// The user's answer: the number of an option, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawAnswer")]
pub enum ClarificationAnswer {
    /// An option, counted from 1.
    Option(u32),
    /// A text that is not blank.
    Text(String),
}

/// Answer as deserialized, before its validation.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the number of an option, counted from 1, or a text in quotes")]
enum RawAnswer {
    Option(u32),
    Text(String),
}

/// The reason why an answer is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClarificationAnswerError {
    /// The number is 0; options are counted from 1.
    #[error("options are counted from 1")]
    Zero,
    /// The text is blank.
    #[error("the text is blank")]
    Blank,
}

impl TryFrom<RawAnswer> for ClarificationAnswer {
    type Error = ClarificationAnswerError;

    fn try_from(raw: RawAnswer) -> Result<Self, ClarificationAnswerError> {
        match raw {
            RawAnswer::Option(0) => Err(ClarificationAnswerError::Zero),
            RawAnswer::Option(number) => Ok(Self::Option(number)),
            RawAnswer::Text(text) if text.trim().is_empty() => Err(ClarificationAnswerError::Blank),
            RawAnswer::Text(text) => Ok(Self::Text(text.trim().to_owned())),
        }
    }
}

/// Decision of the user about an ambiguity. Stored in the state, and part of every later prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// Iteration in which the challenge was raised, from 0.
    pub iteration: u32,
    /// Number of the review that raised it, from 1.
    pub round: u32,
    /// Id of the challenge in that review.
    pub challenge: u32,
    /// The question.
    pub question: String,
    /// The chosen option, from 1; `None` for a text of the user.
    pub option: Option<u32>,
    /// The decision: the text of the option, or that of the user.
    pub answer: String,
}
