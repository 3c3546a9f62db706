//! Nodes: `open` and `save` of the exploration, those of the document, and `agent` and `tools` of the
//! graph that all agents run. Every answer of a model and every result of a call is journaled, so that
//! a resumed run repeats none of them.
//!
//! Reading order: `open`, `agent` (ask the model), `tools` (run the calls), and its parts `plan`
//! (decide all calls of an answer before the first one runs), `target` (check a delegation), `packet`
//! (the knowledge for a child), `actions` (run a call), `announce` (events, and the notepad), `effect`
//! (results as data); `document`; `save`.

mod actions;
mod agent;
mod announce;
mod by_rules;
mod document;
mod effect;
mod open;
mod packet;
mod plan;
mod save;
mod target;
mod tokens;
mod tools;

pub(super) use agent::ask;
pub(super) use document::{agents, enrich, explore, merge, plan, reduce, render, scan};
pub(super) use open::open;
pub(super) use save::save;
pub(super) use tools::run_tools;
