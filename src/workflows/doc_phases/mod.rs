//! The phased documentation agent: explores a code base in four phases under hard budgets, keeps what it finds in memory, and
//! writes documentation from that memory alone.
//!
//! Read on in this order: [`input`] (what the user gives, checked once), [`phase`] (the phases, their budgets, a round's typed
//! question), [`state`], [`choices`] (what is decided), the nodes, [`services`] (what they use), [`tools`] (what the model may call),
//! [`memory`] (what was found), [`writer`] (from memory to documents), [`session`] (files for people), `offline` and [`rules`] (what
//! explores without a model), `progress` (what a watcher reads), `given` and `entry` (from what was typed to a graph that is ready).
//! The order of the nodes is in `graphs/doc-phases.yaml`.

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
pub mod services;
pub mod session;
pub mod state;
pub mod tools;
pub mod writer;

pub use entry::{DocPhases, GRAPH, registry};
pub use progress::status_line;
