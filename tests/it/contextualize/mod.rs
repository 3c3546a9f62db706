//! The workflow `contextualize`.

mod agent;
mod arguments;
mod calls;
mod content;
mod context_file;
mod environment;
mod git_server;
mod kills;
mod kit;
mod pipeline;
mod runs;
mod search;
mod source;
