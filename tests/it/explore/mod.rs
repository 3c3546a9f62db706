//! The workflow `explore`.

mod agents;
mod kills;
mod kit;
mod tree;
