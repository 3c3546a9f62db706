//! The agent without a model: rules that explore a code base through the same tools, under the same budgets, and state nothing but
//! facts. One pure function from the answers of the tools to the next calls; it has no state.
//!
//! Reading order: `plan` (wishes against answers), then a file a phase: `architecture`, `component`, `cross_cutting`, `generation`. Beside
//! them what these know: `project` (manifests), `parts` (where components are), `abstractions`; `sight` (a file as it was seen) and `tidy_outline`,
//! `interfaces`, `models`, `roles`, `patterns`, `edges`; `flows` and `reach` (what calls lead to); `concerns` (a table); `words`.

mod plan;

mod architecture;
mod component;
mod cross_cutting;
mod generation;

mod abstractions;
mod parts;
mod project;

mod edges;
mod flows;
mod interfaces;
mod models;
mod patterns;
mod reach;
mod roles;
mod sight;
mod tidy_outline;

mod concerns;
mod words;

use super::phase::{Phase, RoundDecision, RoundQuestion};

/// Returns the decision of the rules for a round of any phase: the next tool calls, or the completion of the
/// phase. Pure: it depends on the question alone, which has the answers of all earlier calls.
///
/// ```
/// use stategraph::workflows::doc_phases::phase::{BudgetUsage, Phase, PhaseBudget, RoundDecision, RoundQuestion};
/// use stategraph::workflows::doc_phases::rules;
///
/// let round = RoundQuestion {
///     phase: Phase::ArchitectureDiscovery,
///     repository: "demo".into(),
///     component: None,
///     number: 1,
///     limit: 30,
///     calls_per_round: 5,
///     budget: PhaseBudget::of(Phase::ArchitectureDiscovery),
///     used: BudgetUsage::default(),
///     answered: Vec::new(),
/// };
/// assert!(matches!(rules::next(&round), RoundDecision::Call(calls) if calls.iter().all(|call| call.tool == "list_files")));
/// ```
pub fn next(round: &RoundQuestion) -> RoundDecision {
    match round.phase {
        Phase::ArchitectureDiscovery => architecture::next(round),
        Phase::ComponentDeepDive => component::next(round),
        Phase::CrossCutting => cross_cutting::next(round),
        Phase::DocumentationGeneration => generation::next(round),
    }
}
