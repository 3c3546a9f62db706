//! The workflow `explore`.

mod agents;
mod by_hand;
mod delegation;
mod document;
mod events;
mod kills;
mod kit;
mod limits;
mod losses;
mod notes;
mod prompts;
mod records;
mod rules;
mod told;
mod tools;
mod tree;
