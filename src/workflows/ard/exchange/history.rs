//! History of reviews in a prompt (ARD-52 to ARD-54): all reviews verbatim while they fit, else one
//! paragraph for earlier rounds and the last three verbatim. Pure: the caller asks a model for the
//! paragraph.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::review::Review;

/// Number of latest rounds that are always sent verbatim (ARD-52).
pub const VERBATIM_ROUNDS: usize = 3;
/// Characters per token, as an estimate, because the model's tokenizer is not available.
const CHARS_PER_TOKEN: usize = 4;

/// Earlier rounds in one paragraph. Stored in the state, so that no round is condensed twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CondensedHistory {
    /// The paragraph.
    pub paragraph: String,
    /// Number of rounds that it covers, counted from the first.
    pub rounds_covered: usize,
}

/// History of reviews as a prompt shows it. The node `load_history` makes it from a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptHistory {
    /// The paragraph for earlier rounds; `None` if all rounds are verbatim.
    pub earlier: Option<CondensedHistory>,
    /// The rounds after it, verbatim and in order.
    pub rounds: Vec<Review>,
}

impl PromptHistory {
    /// Returns the whole history verbatim, with no paragraph that condenses earlier rounds.
    pub fn verbatim(history: &[Review]) -> Self {
        Self { earlier: None, rounds: history.to_vec() }
    }

    /// Returns the latest review.
    pub fn latest(&self) -> Option<&Review> {
        self.rounds.last()
    }
}

/// Request to a model for a paragraph about earlier rounds. It extends an earlier paragraph by further
/// rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// The paragraph for the rounds before `rounds`.
    pub earlier: Option<CondensedHistory>,
    /// The rounds to add, in order.
    pub rounds: Vec<Review>,
}

impl SummaryRequest {
    /// Returns the number of the first round in `rounds`, from 1.
    pub fn first_round(&self) -> usize {
        self.earlier.as_ref().map_or(0, |earlier| earlier.rounds_covered) + 1
    }

    /// Makes the value to store from the answer. Line breaks become spaces, because it must be one
    /// paragraph (ARD-53).
    pub fn condense(&self, summary: &Summary) -> CondensedHistory {
        let paragraph = summary.paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        CondensedHistory { paragraph, rounds_covered: self.first_round() - 1 + self.rounds.len() }
    }
}

/// The answer to a [`SummaryRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// One paragraph.
    pub paragraph: String,
}

/// Result of `plan_history`: a history that is ready, or a request that has to be answered first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryPlan {
    /// The history is ready for the prompt.
    Ready(PromptHistory),
    /// The earlier rounds have to be condensed first, by a model that answers this request.
    Summarise(SummaryRequest),
}

/// Decides if the history fits a model with a limit of `limit` tokens, or earlier rounds have to be
/// condensed first. `kept` is the stored paragraph.
///
/// Three rounds or fewer are never condensed, whatever their length. A paragraph that covers more
/// rounds than may be condensed (possible after a fork from an earlier checkpoint) is ignored.
pub fn plan_history(history: &[Review], kept: Option<&CondensedHistory>, limit: u32) -> HistoryPlan {
    if history.len() <= VERBATIM_ROUNDS || estimate_tokens(history) <= limit as usize {
        return HistoryPlan::Ready(PromptHistory::verbatim(history));
    }
    let to_cover = history.len() - VERBATIM_ROUNDS;
    let kept = kept.filter(|kept| kept.rounds_covered <= to_cover).cloned();
    let covered = kept.as_ref().map_or(0, |kept| kept.rounds_covered);
    if covered == to_cover {
        return HistoryPlan::Ready(PromptHistory { earlier: kept, rounds: history[to_cover..].to_vec() });
    }
    HistoryPlan::Summarise(SummaryRequest { earlier: kept, rounds: history[covered..to_cover].to_vec() })
}

/// Estimates the tokens of a history: the characters of its JSON divided by four, rounded up.
pub fn estimate_tokens(history: &[Review]) -> usize {
    let characters =
        |review: &Review| serde_json::to_string(review).expect("a review is plain data").chars().count();
    history.iter().map(characters).sum::<usize>().div_ceil(CHARS_PER_TOKEN)
}
