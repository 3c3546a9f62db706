//! Limits for the number of tool calls (DOC-39 to 52). Counts nothing; the round has the calls so far, so that a resumed run continues
//! exactly.

use std::collections::BTreeSet;

use futures_util::future::{self, FutureExt};
use serde::{Deserialize, Serialize};

use crate::{Hook, Middleware, PlannedCall, Round, Spent, ToolOutput};

/// A limit for the number of calls of a group of tools, which share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Name of one such call in messages, singular: `file read`.
    pub what: String,
    /// Names of the tools.
    pub tools: BTreeSet<String>,
    /// Maximum number of calls, all tools together.
    pub limit: u32,
    /// Number of remaining calls from which on each result carries a warning.
    pub warn_at: u32,
}

impl Allowance {
    /// Makes a limit of `limit` calls of `tools` together. `what` names one call in messages (`file read`).
    /// The model is warned when 2 calls remain (DOC-46).
    pub fn new(
        what: impl Into<String>,
        limit: u32,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self { what: what.into(), tools: tools.into_iter().map(Into::into).collect(), limit, warn_at: 2 }
    }

    /// Sets the number of remaining calls from which on the model is warned.
    pub fn warn_at(mut self, remaining: u32) -> Self {
        self.warn_at = remaining;
        self
    }

    /// Returns the number of counted calls of these tools so far.
    pub fn used(&self, spent: &Spent) -> u32 {
        self.tools.iter().fold(0, |sum, tool| sum.saturating_add(spent.calls(tool)))
    }

    /// Returns the text that the model gets for a refused call (DOC-44).
    pub fn refusal(&self) -> String {
        let mut letters = self.what.chars();
        let capital = letters.next().map(|first| first.to_ascii_uppercase());
        let what: String = capital.into_iter().chain(letters).collect();
        format!(
            "BUDGET_EXHAUSTED: {what} limit ({}) reached. Summarize findings and store to memory.",
            self.limit
        )
    }

    /// Returns the text of the warning for the number of remaining calls (DOC-46); `None` above [`warn_at`](Self::warn_at).
    pub fn warning(&self, remaining: u32) -> Option<String> {
        if remaining > self.warn_at {
            return None;
        }
        let what = match self.what.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{}s", self.what),
        };
        Some(format!("WARNING: Only {remaining} {what} remaining. Consider summarizing."))
    }
}

/// Middleware that refuses calls of tools whose limit is reached. A refused call is not counted (DOC-45).
/// Tools without an allowance are unlimited.
///
/// Of the calls of one answer, the first ones are allowed, each counted as if it succeeds. A call that fails
/// is not counted in the end, so another is possible in the next round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolBudget(Vec<Allowance>);

impl ToolBudget {
    /// Makes a budget without limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a limit.
    pub fn with(mut self, allowance: Allowance) -> Self {
        self.0.push(allowance);
        self
    }

    /// Returns the limits, in order.
    pub fn allowances(&self) -> &[Allowance] {
        &self.0
    }
}

impl Middleware for ToolBudget {
    fn before_calls<'a>(&'a self, round: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        for allowance in &self.0 {
            let mut used = allowance.used(&round.spent);
            let mine =
                |call: &&mut PlannedCall| call.is_open() && allowance.tools.contains(&call.call().name);
            for call in calls.iter_mut().filter(mine) {
                if used >= allowance.limit {
                    call.refuse(ToolOutput::refused(allowance.refusal()));
                    continue;
                }
                used += 1;
                if let Some(warning) = allowance.warning(allowance.limit - used) {
                    call.warn(warning);
                }
            }
        }
        future::ready(Ok(())).boxed()
    }
}
