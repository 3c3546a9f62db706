//! The priority of the results of a tool, and the cost of a call. Plain data; the middleware in `around` uses it.

use serde::{Deserialize, Serialize};

/// The priority of the results of a tool when a conversation must shrink (CTX-79 to 83). [`Medium`](Self::Medium) by default, and for
/// unknown tools.
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

/// The cost of a call of a tool, besides the tokens of its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCost {
    /// Next to nothing.
    #[default]
    Low,
    /// Time or money, or it cannot be taken back: worth a question before (CTX-93).
    High,
}
