//! The workflow `contextualize`: context files for coding agents. `generate` describes a repository, `scope` answers a question about it,
//! `refine` changes a context file. Each runs as a pipeline of fixed steps or as an agent that selects tools.
//!
//! Reading order: `input` and `arguments` (what the user asks for), `environment` (settings of the environment and of `.env`), `source` (a
//! local folder or a clone), `context_file` (front matter, paths, writing), `content` (a context file by rules), `search` (a question by
//! rules).

pub mod arguments;
pub mod content;
pub mod context_file;
pub mod environment;
pub mod input;
pub mod search;
pub mod source;
