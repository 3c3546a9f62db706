//! The budgets file: overrides of the default limits (DOC-47, DOC-48). Reads one file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::{Debugging, DocSettings};
use crate::llm::Money;
use crate::workflows::doc_phases::phase::{BudgetScale, Phase};
use stategraph_base::regular::read_text;

/// Largest call limit that a file may set.
const LIMIT_MAX: u32 = 100_000;

/// Maximum size of the file, in bytes: 1 MiB.
const FILE_MAX: usize = 1024 * 1024;

/// Largest number of rounds in a phase that a file may set.
const ROUNDS_MAX: u32 = 1_000;

/// Largest number of calls for one answer that a file may set.
const CALLS_MAX: u32 = 100;

/// A parsed budgets file. Every key is optional; an absent key keeps the value of the settings.
///
/// ```
/// use stategraph::workflows::doc_phases::input::{BudgetsFile, DocSettings};
/// use stategraph::workflows::doc_phases::phase::Phase;
///
/// let file = BudgetsFile::parse("phases:\n  architecture_discovery: { max_files_read: 20 }\n").unwrap();
/// let settings = file.apply_to(DocSettings::default());
/// assert_eq!(settings.budgets.of(Phase::ArchitectureDiscovery).max_files_read, 20);
/// assert_eq!(settings.budgets.of(Phase::ArchitectureDiscovery).max_grep_calls, 15);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetsFile {
    /// Growth of the limits with the code base: `fixed` or `adaptive`.
    scale: Option<BudgetScale>,
    /// Maximum of tokens that the whole run uses, prompts and answers together.
    max_tokens: Option<u64>,
    /// Maximum cost of the whole run, in US dollars.
    max_cost: Option<f64>,
    /// Maximum of rounds in a phase.
    max_rounds_per_phase: Option<u32>,
    /// Maximum of tool calls that run for one answer.
    max_tool_calls_per_round: Option<u32>,
    /// `false` switches the debug files off.
    debug_logging: Option<bool>,
    /// Overridden limits, by phase.
    phases: BTreeMap<Phase, PhaseLimits>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "the keys of the file are those of the seed")]
struct PhaseLimits {
    max_files_read: Option<u32>,
    max_grep_calls: Option<u32>,
    max_symbols_calls: Option<u32>,
    max_memory_queries: Option<u32>,
    max_cross_component_queries: Option<u32>,
}

/// Error of a budgets file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BudgetsFileError {
    /// The file cannot be read.
    #[error("cannot read the budgets file {}: {reason}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error text of the operating system.
        reason: String,
    },
    /// The text is not YAML, or has an unknown key or a wrong type.
    #[error("the budgets file is wrong: {reason}")]
    Malformed {
        /// Defect and its position.
        reason: String,
    },
    /// The limit of tokens is zero, or that of money is no amount above zero.
    #[error("the budgets file sets `{key}` to {value}, and it must be above 0")]
    NoAmount {
        /// Key of the number.
        key: &'static str,
        /// Value in the file.
        value: String,
    },
    /// A number is out of its range.
    #[error("the budgets file sets `{key}` to {value}, and it may be {least} to {most}")]
    OutOfRange {
        /// Key of the number.
        key: &'static str,
        /// Value in the file.
        value: u32,
        /// Smallest allowed value.
        least: u32,
        /// Largest allowed value.
        most: u32,
    },
}

impl BudgetsFileError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the path and its permissions, or write `--budgets adaptive`",
            Self::Malformed { .. } => {
                "its keys are scale, max_tokens, max_cost, max_rounds_per_phase, max_tool_calls_per_round, debug_logging and phases; \
                 below phases stand architecture_discovery, component_deep_dive, cross_cutting and documentation_generation, \
                 each with max_files_read, max_grep_calls, max_symbols_calls, max_memory_queries, max_cross_component_queries"
            }
            Self::NoAmount { .. } => "leave it out for no limit",
            Self::OutOfRange { .. } => "write a number of that range",
        }
    }
}

impl BudgetsFile {
    /// Returns a budgets file that only sets the scale to adaptive, for `--budgets adaptive`.
    pub fn adaptive() -> Self {
        Self { scale: Some(BudgetScale::Adaptive), ..Self::default() }
    }

    /// Reads and parses the file at `path`, of at most 1 MiB.
    pub fn read(path: &Path) -> Result<Self, BudgetsFileError> {
        let text = read_text(path, FILE_MAX).map_err(|error| BudgetsFileError::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Self::parse(&text)
    }

    /// Parses the text of a budgets file. An empty text overrides nothing.
    pub fn parse(text: &str) -> Result<Self, BudgetsFileError> {
        let read: Option<Self> = serde_saphyr::from_str(text)
            .map_err(|error| BudgetsFileError::Malformed { reason: first_line(&error.to_string()) })?;
        let read = read.unwrap_or_default();
        read.check()?;
        Ok(read)
    }

    fn check(&self) -> Result<(), BudgetsFileError> {
        if self.max_tokens == Some(0) {
            return Err(BudgetsFileError::NoAmount { key: "max_tokens", value: "0".to_owned() });
        }
        if let Some(cost) = self.max_cost.filter(|cost| !(cost.is_finite() && *cost > 0.0)) {
            return Err(BudgetsFileError::NoAmount { key: "max_cost", value: cost.to_string() });
        }
        check_range("max_rounds_per_phase", self.max_rounds_per_phase, 1, ROUNDS_MAX)?;
        check_range("max_tool_calls_per_round", self.max_tool_calls_per_round, 1, CALLS_MAX)?;
        for limits in self.phases.values() {
            check_range("max_files_read", limits.max_files_read, 0, LIMIT_MAX)?;
            check_range("max_grep_calls", limits.max_grep_calls, 0, LIMIT_MAX)?;
            check_range("max_symbols_calls", limits.max_symbols_calls, 0, LIMIT_MAX)?;
            check_range("max_memory_queries", limits.max_memory_queries, 0, LIMIT_MAX)?;
            check_range("max_cross_component_queries", limits.max_cross_component_queries, 0, LIMIT_MAX)?;
        }
        Ok(())
    }

    /// Returns `settings` with the values that this file sets; all others stay.
    #[must_use]
    pub fn apply_to(&self, mut settings: DocSettings) -> DocSettings {
        let replace = |to: &mut u32, value: Option<u32>| *to = value.unwrap_or(*to);
        replace(&mut settings.max_rounds_per_phase, self.max_rounds_per_phase);
        replace(&mut settings.max_tool_calls_per_round, self.max_tool_calls_per_round);
        match self.debug_logging {
            Some(true) => settings.debug = Debugging::Files,
            Some(false) => settings.debug = Debugging::Off,
            None => {}
        }
        settings.caps.tokens = self.max_tokens.or(settings.caps.tokens);
        settings.caps.money = self.max_cost.map(Money::dollars).or(settings.caps.money);
        settings.budgets.scale = self.scale.unwrap_or(settings.budgets.scale);
        for (phase, limits) in &self.phases {
            let mut budget = settings.budgets.of(*phase);
            replace(&mut budget.max_files_read, limits.max_files_read);
            replace(&mut budget.max_grep_calls, limits.max_grep_calls);
            replace(&mut budget.max_symbols_calls, limits.max_symbols_calls);
            budget.max_memory_queries = limits.max_memory_queries.or(budget.max_memory_queries);
            budget.max_cross_component_queries =
                limits.max_cross_component_queries.or(budget.max_cross_component_queries);
            settings.budgets.phases.insert(*phase, budget);
        }
        settings
    }
}

fn check_range(key: &'static str, value: Option<u32>, least: u32, most: u32) -> Result<(), BudgetsFileError> {
    match value {
        Some(value) if !(least..=most).contains(&value) => {
            Err(BudgetsFileError::OutOfRange { key, value, least, most })
        }
        _ => Ok(()),
    }
}

/// Returns the first line of a parser message without a trailing colon. The parser draws the position in the
/// file on the lines below it.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}
