//! What the user is asked about an ambiguity, and what was decided (ARD-72). Asks nobody; see the node `clarify`.

use serde::{Deserialize, Serialize};

use super::review::{Challenge, Proposal};

/// A question to the user, as the interrupt hands it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The review that raised the challenge, from 1.
    pub round: u32,
    /// The id of the challenge in that review.
    pub challenge: u32,
    /// What the reviewer finds ambiguous.
    pub question: String,
    /// What could be meant: 2 to 4 options, one of them recommended.
    pub options: Vec<Proposal>,
    /// What an answer looks like; after one that did not fit, why it did not.
    pub answer_with: String,
}

impl Question {
    /// The question that a challenge of a review puts.
    pub fn of(challenge: &Challenge, round: u32) -> Self {
        Self {
            round,
            challenge: challenge.id,
            question: challenge.description.clone(),
            options: challenge.options.clone(),
            answer_with: "the number of an option, counted from 1, or a text of your own in quotes"
                .to_owned(),
        }
    }

    /// The same question after an answer that names no option.
    #[must_use]
    pub fn again(&self, answer: &Answer) -> Self {
        let Answer::Option(number) = answer else { return self.clone() };
        let count = self.options.len();
        Self {
            answer_with: format!(
                "there is no option {number}: a number from 1 to {count}, or a text of your own in quotes"
            ),
            ..self.clone()
        }
    }

    /// What an answer decides; `None` when it names an option that there is not.
    pub fn decided(&self, answer: &Answer, iteration: u32) -> Option<Clarification> {
        let (option, text) = match answer {
            Answer::Option(number) => {
                let index = usize::try_from(*number).ok()?.checked_sub(1)?;
                (Some(*number), &self.options.get(index)?.text)
            }
            Answer::Text(text) => {
                let same = (1..).zip(&self.options).find(|(_, option)| option.text == *text);
                (same.map(|(number, _)| number), text)
            }
        };
        let Self { round, challenge, question, .. } = self.clone();
        Some(Clarification { iteration, round, challenge, question, option, answer: text.clone() })
    }
}

/// The user's answer: the number of an option, or a text of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawAnswer", into = "RawAnswer")]
pub enum Answer {
    /// An option, counted from 1.
    Option(u32),
    /// A text that is not blank.
    Text(String),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected the number of an option, counted from 1, or a text in quotes")]
enum RawAnswer {
    Option(u32),
    Text(String),
}

/// An answer that says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// Options are counted from 1.
    #[error("options are counted from 1")]
    Zero,
    /// The text is blank.
    #[error("the text is blank")]
    Blank,
}

impl TryFrom<RawAnswer> for Answer {
    type Error = NoAnswer;

    fn try_from(raw: RawAnswer) -> Result<Self, NoAnswer> {
        match raw {
            RawAnswer::Option(0) => Err(NoAnswer::Zero),
            RawAnswer::Option(number) => Ok(Self::Option(number)),
            RawAnswer::Text(text) if text.trim().is_empty() => Err(NoAnswer::Blank),
            RawAnswer::Text(text) => Ok(Self::Text(text.trim().to_owned())),
        }
    }
}

impl From<Answer> for RawAnswer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Option(number) => Self::Option(number),
            Answer::Text(text) => Self::Text(text),
        }
    }
}

/// A decision of the user. Kept in the state, and part of every later prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// The iteration in which the challenge was raised, from 0.
    pub iteration: u32,
    /// The review that raised it, from 1.
    pub round: u32,
    /// The id of the challenge in that review.
    pub challenge: u32,
    /// What was asked.
    pub question: String,
    /// The option chosen, from 1; none for a text of the user's own.
    pub option: Option<u32>,
    /// What was decided: the text of the option, or the user's own.
    pub answer: String,
}
