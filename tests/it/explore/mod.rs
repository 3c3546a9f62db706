//! The workflow `explore`.

mod agents;
mod document;
mod kit;
mod rules;
