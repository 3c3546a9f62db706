//! The workflow `contextualize`.

mod arguments;
mod context_file;
mod environment;
mod git_server;
mod kit;
mod source;
