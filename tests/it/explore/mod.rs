//! The workflow `explore`.

mod agents;
mod kit;
