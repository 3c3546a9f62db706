//! The nodes of graph files without Rust: models, tools, HTTP, questions, maps. Their keys in a file are in
//! [`stategraph_files::kind`]. This crate knows no workflow and no command line.
//!
//! Reading order: `node` (a kind as a node: it writes the result), `route` (the next nodes), `work` (dispatch to the kinds), then a file for
//! each kind, with `history` (conversations), `dispatcher` (declared tools) and `agent_limits` (budgets of an agent);
//! `services` (dependencies of nodes), `tools` (built-in tools), `hosts` (allowed hosts); `start` (inputs), `context` (values that no checkpoint holds),
//! `includes` and `inner_graph` (files that include files), `cases` (test files).
//!
//! Every effect outside the run, and everything that costs something, goes through `cx.once`, so that a retry or a
//! resume does not repeat it.

mod node;
mod route;
mod work;

mod agent;
mod agent_limits;
mod dispatcher;
mod history;
mod http;
mod interrupt;
mod map;
mod model;
mod sleep;
mod store;
mod subgraph;
mod tool;

mod context;
mod hosts;
mod includes;
mod inner_graph;
mod secrets;
mod services;
mod spending;
mod start;
mod tools;

pub mod cases;

pub use context::{ContextError, run_context};
pub use hosts::{HostPolicy, HostPolicyError};
pub use node::{graph, origin};
pub use secrets::Secrets;
pub use services::{ModelUse, Models, Services, SleepMode};
pub use spending::{ModelSpending, format_spending};
pub use start::{InputError, continuation_update, example_option, initial_state};
pub use tools::{TOOLS, toolbox};

/// Returns a graph file and the files that it includes, each once, itself first. Included files with defects
/// are left out.
pub fn files(definition: &stategraph_files::Definition) -> Vec<stategraph_files::Definition> {
    includes::IncludeResolver::list_definitions(definition)
}

/// The rule of the model `offline` for nodes of graph files: it answers with the value of the node's key
/// `offline`.
pub use model::{OFFLINE_RULE, rules};
