//! The architect–reviewer debate: a rough idea is argued into a specification (`spec.md`).
//!
//! Read on in this order: [`input`] (what the user gives, checked once), [`state`], [`choices`] (what is decided), the nodes,
//! [`services`] (models and prompts), [`exchange`] (the JSON that the two agents send each other), [`offline`] (the rules that
//! draft and review without a model), [`spec`] (the document), `progress` (what a watcher reads), `given` and `entry` (from what
//! was typed to a graph that is ready). The order of the nodes is in `graphs/ard.yaml`.

pub mod choices;
mod entry;
pub mod exchange;
mod given;
pub mod input;
mod nodes;
pub mod offline;
mod progress;
pub mod services;
pub mod spec;
pub mod state;

pub use entry::{Ard, registry};
