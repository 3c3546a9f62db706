//! The priority of the results of a tool, and the cost of a call. Plain data; the middleware in `around` uses it.

use serde::{Deserialize, Serialize};

/// The importance of the results of a tool when a conversation must shrink (CTX-79 to 83): low ones are
/// removed first. [`Medium`](Self::Medium) by default, and for unknown tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Removed first, and cut to half the usual length: for example a whole file, which can be read again.
    Low,
    /// Removed after all low ones: for example a part of a file.
    #[default]
    Medium,
    /// Removed last: outlines and findings, which say where to look.
    High,
}

/// The cost of calling a tool, besides the tokens of its result. It decides whether a person is asked first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCost {
    /// Negligible.
    #[default]
    Low,
    /// High: the call takes time or money or cannot be undone, so a person may be asked before it (CTX-93).
    High,
}
