//! Workflow `explore`: agents of one kind, used recursively, explore a repository. Each agent explores
//! a part, writes findings on a notepad that all share, and delegates folders to children.
//!
//! Reading order: `input` and `arguments` (settings), `agents` (ids, scopes, states, records),
//! `notepad` (the shared notes), `events` (the stream of events and its log), `state` (the exploration
//! and its result), `tools`, `services` (dependencies of the nodes), `nodes`, `choices` (the
//! conditional edges), `rules` and `offline` (the answers of an agent without a model), `results` (the
//! written files), `progress` (progress lines and the report), `entry` (from the command line to
//! compiled graphs).

pub mod agents;
mod arguments;
pub mod choices;
pub mod document;
mod entry;
pub mod events;
pub mod input;
mod nodes;
pub mod notepad;
pub mod offline;
mod progress;
pub mod results;
pub mod rules;
pub mod services;
pub mod state;
pub mod tools;

pub use entry::{ExplorationGraph, Explore, GRAPH, agent_graph, exploration_graph, explore, registry};
pub use progress::format_event;
