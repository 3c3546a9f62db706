//! The phased documentation agent: explores a code base in four phases under hard budgets, stores its findings in memory, and
//! writes documentation from that memory alone.
//!
//! Reading order: [`input`] (settings, validated once), [`phase`] (the phases, their budgets, the typed question of a round),
//! [`state`], [`choices`] (the conditional edges), the nodes, [`services`] (dependencies of the nodes), [`tools`] (the tools of the
//! model), [`memory`] (stored findings), [`selection`] (facts of the repository for the documents), [`writer`] (memory to documents), [`session`] (session files for the user), `offline` and
//! [`rules`] (exploration without a model), `progress` (progress lines and the report), `arguments` and `entry` (from the command
//! line to a compiled graph). `graphs/doc-phases.yaml` holds the order of the nodes.

mod arguments;
pub mod choices;
mod entry;
pub mod input;
pub mod memory;
mod nodes;
mod offline;
pub mod phase;
mod progress;
pub mod rules;
pub mod selection;
pub mod services;
pub mod session;
pub mod state;
pub mod tools;
pub mod writer;

pub use entry::{DocPhases, GRAPH, registry};
pub use progress::status_line;
