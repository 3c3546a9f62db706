//! Tells subscribers of the run the tokens of every answer that a node gets from a model. Counts nothing; see `spent` and the meter of the
//! model layer.

use serde::Serialize;

use stategraph_core::{Cx, NodeResult};
use stategraph_llm::{ChatAnswer, ModelName, UsageSource};

/// The event `usage` for subscribers of the run: the tokens of one answer of a model.
///
/// It is emitted when the answer arrives, and not again when a retry or a resume takes the answer from the
/// journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsageEvent<'a> {
    /// The model that was asked: `provider/model`.
    pub model: &'a ModelName,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Origin of the counts: stated by the endpoint, or estimated.
    pub source: UsageSource,
    /// Price of the answer in US dollars; left out if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
}

impl<'a> UsageEvent<'a> {
    /// The name of the event.
    pub const NAME: &'static str = "usage";

    /// Returns the event of an answer.
    pub fn of(model: &'a ModelName, answer: &ChatAnswer) -> Self {
        Self {
            model,
            prompt_tokens: answer.usage.prompt_tokens,
            completion_tokens: answer.usage.completion_tokens,
            source: answer.usage.source,
            dollars: answer.cost.map(stategraph_llm::Money::in_dollars),
        }
    }

    /// Emits the event to the subscribers of the run. Does nothing if the answer took no tokens, as answers
    /// of rules.
    pub fn tell<D>(&self, cx: &Cx<D>) -> NodeResult<()> {
        if self.prompt_tokens == 0 && self.completion_tokens == 0 {
            return Ok(());
        }
        cx.emit(Self::NAME, self)
    }
}
