//! What of the history goes into a prompt (ARD-52 to ARD-54): all of it while it fits, else one paragraph for the
//! earlier rounds and the last three verbatim. Pure: asking a model for the paragraph is up to the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::review::Review;

/// Rounds that always stay verbatim (ARD-52).
pub const VERBATIM_ROUNDS: usize = 3;
/// Characters taken for a token when no tokeniser is at hand.
const CHARS_PER_TOKEN: usize = 4;

/// The earlier rounds in one paragraph. Kept in the state, so that no round is summarised twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condensed {
    /// The paragraph.
    pub paragraph: String,
    /// How many rounds it stands for, counted from the first.
    pub rounds_covered: usize,
}

/// The history as a prompt has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recalled {
    /// The earlier rounds in a paragraph.
    pub earlier: Option<Condensed>,
    /// The rounds that follow it, verbatim and in order.
    pub rounds: Vec<Review>,
}

impl Recalled {
    /// The whole history, verbatim.
    pub fn verbatim(history: &[Review]) -> Self {
        Self { earlier: None, rounds: history.to_vec() }
    }

    /// The latest review.
    pub fn latest(&self) -> Option<&Review> {
        self.rounds.last()
    }
}

/// Asks for a paragraph that stands for an earlier paragraph and the rounds after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// What stands for the rounds before `rounds`.
    pub earlier: Option<Condensed>,
    /// The rounds to be added, in order.
    pub rounds: Vec<Review>,
}

impl SummaryRequest {
    /// The number of the first round in `rounds`, from 1.
    pub fn first_round(&self) -> usize {
        self.earlier.as_ref().map_or(0, |earlier| earlier.rounds_covered) + 1
    }

    /// Makes the value to keep from the answer; line breaks go, since it has to be one paragraph (ARD-53).
    pub fn answered(&self, summary: &Summary) -> Condensed {
        let paragraph = summary.paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        Condensed { paragraph, rounds_covered: self.first_round() - 1 + self.rounds.len() }
    }
}

/// The answer to a [`SummaryRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// One paragraph.
    pub paragraph: String,
}

/// What to do before a prompt can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recall {
    /// This goes into the prompt.
    Ready(Recalled),
    /// The earlier rounds have to be summarised first; call [`recall`] again with the answer.
    Summarise(SummaryRequest),
}

/// Decides what a model with room for `limit` tokens of history is sent. `kept` is the paragraph made before.
///
/// Three rounds or fewer are never condensed, whatever their length. A paragraph that covers more rounds than may be
/// condensed (after a fork into the past) is not used.
pub fn recall(history: &[Review], kept: Option<&Condensed>, limit: u32) -> Recall {
    if history.len() <= VERBATIM_ROUNDS || tokens(history) <= limit as usize {
        return Recall::Ready(Recalled::verbatim(history));
    }
    let to_cover = history.len() - VERBATIM_ROUNDS;
    let kept = kept.filter(|kept| kept.rounds_covered <= to_cover).cloned();
    let covered = kept.as_ref().map_or(0, |kept| kept.rounds_covered);
    if covered == to_cover {
        return Recall::Ready(Recalled { earlier: kept, rounds: history[to_cover..].to_vec() });
    }
    Recall::Summarise(SummaryRequest { earlier: kept, rounds: history[covered..to_cover].to_vec() })
}

/// Tokens that a history takes in a prompt, estimated: characters of its JSON by four, rounded up.
pub fn tokens(history: &[Review]) -> usize {
    let characters =
        |review: &Review| serde_json::to_string(review).expect("a review is plain data").chars().count();
    history.iter().map(characters).sum::<usize>().div_ceil(CHARS_PER_TOKEN)
}
