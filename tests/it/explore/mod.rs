//! The workflow `explore`.

mod agents;
mod delegation;
mod events;
mod kills;
mod kit;
mod limits;
mod notes;
mod prompts;
mod records;
mod tools;
mod tree;
