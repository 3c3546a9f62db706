//! The workflow `contextualize`.

mod agent;
mod arguments;
mod by_hand;
mod calls;
mod claims;
mod code_map;
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
