//! How much the result of a tool is worth keeping, and what a call of it costs. Cuts and asks nothing; see `around`.

use serde::{Deserialize, Serialize};

/// How much the results of a tool are worth keeping when a conversation must shrink (CTX-79 to 83). Of a tool that does not say,
/// and of an unknown one, [`Medium`](Self::Medium).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Goes first, and is cut to half the length: a whole file, which can be read again.
    Low,
    /// Goes next: a part of a file.
    #[default]
    Medium,
    /// Goes last: outlines and findings, which say where everything is.
    High,
}

/// What a call of a tool costs, beside the tokens of its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCost {
    /// Next to nothing.
    #[default]
    Low,
    /// Time or money, or it cannot be taken back: worth a question before (CTX-93).
    High,
}
