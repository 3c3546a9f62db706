//! Conditional edges of the three graphs. Pure: no model, no file, no clock.

use super::input::RunMode;
use super::state::{ContextGeneration, ContextScope};
use crate::engine::Choice;

/// The way of working; the arms of the branch behind `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum WorkingMode {
    /// Fixed steps.
    Pipeline,
    /// A model selects tools.
    Agent,
}

impl From<RunMode> for WorkingMode {
    fn from(mode: RunMode) -> Self {
        match mode {
            RunMode::Pipeline => Self::Pipeline,
            RunMode::Agent => Self::Agent,
        }
    }
}

/// Returns the way of working of a description (CTX-2).
pub fn generation_mode(run: &ContextGeneration) -> WorkingMode {
    run.input.settings.mode.into()
}

/// The step after a round of exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterExploration {
    /// Another round.
    Explore,
    /// The text.
    Synthesise,
}

/// Returns the next step: another round if the last one asked for files that are not shown yet (CTX-22, CTX-23).
pub fn after_exploration(run: &ContextScope) -> AfterExploration {
    // The first review, and the rounds after it.
    let limit = run.input.settings.exploration.rounds as usize + 1;
    let is_over = run.is_explored || run.explorations.len() >= limit;
    if is_over { AfterExploration::Synthesise } else { AfterExploration::Explore }
}

/// The step after the search by rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterDiscovery {
    /// The first round of exploration.
    Explore,
    /// The text, by rules.
    Synthesise,
    /// A model selects tools.
    Agent,
}

/// Returns the next step after the search by rules (CTX-2).
pub fn after_discovery(run: &ContextScope) -> AfterDiscovery {
    match (run.input.settings.mode, after_exploration(run)) {
        (RunMode::Agent, _) => AfterDiscovery::Agent,
        (RunMode::Pipeline, AfterExploration::Explore) => AfterDiscovery::Explore,
        (RunMode::Pipeline, AfterExploration::Synthesise) => AfterDiscovery::Synthesise,
    }
}
