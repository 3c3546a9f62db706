//! Conditional edges of the three graphs. Pure: no model, no file, no clock.

use super::input::RunMode;
use super::state::{ContextGeneration, ContextScope};
use crate::engine::Choice;

/// Decision behind the node `open` of `generate`: fixed steps or an agent.
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

/// Decides by the settings between fixed steps and an agent (CTX-2).
pub fn generation_mode(run: &ContextGeneration) -> WorkingMode {
    run.input.settings.mode.into()
}

/// Decision behind a round of exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterExploration {
    /// Another round.
    Explore,
    /// The text.
    Synthesise,
}

/// Decides on another round, unless the exploration is over or the limit of rounds is reached (CTX-22,
/// CTX-23).
pub fn after_exploration(run: &ContextScope) -> AfterExploration {
    // The first review, and the rounds after it.
    let limit = run.input.settings.exploration.rounds as usize + 1;
    let is_over = run.is_explored || run.explorations.len() >= limit;
    if is_over { AfterExploration::Synthesise } else { AfterExploration::Explore }
}

/// Decision behind the ranking of files by rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterDiscovery {
    /// The first round of exploration.
    Explore,
    /// The text, by rules.
    Synthesise,
    /// A model selects tools.
    Agent,
}

/// Decides between the agent, a round of exploration, and the text by rules (CTX-2).
pub fn after_discovery(run: &ContextScope) -> AfterDiscovery {
    match (run.input.settings.mode, after_exploration(run)) {
        (RunMode::Agent, _) => AfterDiscovery::Agent,
        (RunMode::Pipeline, AfterExploration::Explore) => AfterDiscovery::Explore,
        (RunMode::Pipeline, AfterExploration::Synthesise) => AfterDiscovery::Synthesise,
    }
}
