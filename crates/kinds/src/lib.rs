//! What the nodes of graph files without Rust do: models, tools, HTTP, questions, maps. What they say in a file is in
//! [`stategraph_files::kind`]; this layer knows no workflow and no command line.
//!
//! Read in this order: `node` (a kind as a node: result and write), `work` (which kind is done where), then a file a kind, with `history` (conversations), `desk`
//! (tools of the file) and `limits` (what an agent may take); `services` (what
//! they use), `tools` (which there are), `gate` (which hosts may be asked); `start` (inputs), `family`, `inside` (files that
//! include files), `trial` (the cases of a test file).
//!
//! Everything that has an effect outside, or costs something, goes through `cx.once`: it is not done again on a retry or a resume.

mod node;
mod work;

mod agent;
mod ask;
mod desk;
mod history;
mod http;
mod limits;
mod map;
mod model;
mod sleep;
mod subgraph;
mod tool;

mod family;
mod gate;
mod inside;
mod secrets;
mod services;
mod spent;
mod start;
mod tools;

pub mod trial;

pub use gate::{Gate, GateError};
pub use node::{graph, origin};
pub use secrets::Secrets;
pub use services::{ModelUse, Models, Pace, Services};
pub use spent::{Spent, spent_lines};
pub use start::{InputError, continued, example, start};
pub use tools::{TOOLS, toolbox};

/// A graph file and the files that it includes, each once, itself first; without those that cannot be used.
pub fn files(definition: &stategraph_files::Definition) -> Vec<stategraph_files::Definition> {
    family::Family::all(definition)
}

/// The rule by which `offline` answers nodes of graph files: with what their key `offline` says.
pub use model::{OFFLINE_RULE, rules};
