//! The workflow `contextualize`: context files for coding agents. `generate` describes a repository, `scope` answers a question about it,
//! `refine` changes a context file. Each runs as a pipeline of fixed steps or as an agent that selects tools.
//!
//! Reading order: `input` and `arguments` (what the user asks for), `environment` (settings of the environment and of `.env`), `source` (a
//! local folder or a clone), `context_file` (front matter, paths, writing), `content` (a context file by rules), `search` (a question by
//! rules), `state`, `choices` (the conditional edges), the nodes, `offline` (the steps by rules), `services` (dependencies of the nodes),
//! `progress` (progress lines and the report), `entry` (from the command line to compiled graphs).

pub mod arguments;
pub mod choices;
pub mod content;
pub mod context_file;
mod entry;
pub mod environment;
pub mod input;
mod nodes;
pub mod offline;
mod progress;
pub mod search;
pub mod services;
pub mod source;
pub mod state;

pub use entry::{
    ContextualizeGenerate, ContextualizeRefine, ContextualizeScope, GENERATE_GRAPH, REFINE_GRAPH,
    SCOPE_GRAPH, generation_registry, refinement_registry, scope_registry,
};
