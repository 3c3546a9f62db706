//! The state of graphs without Rust: channels declared in the graph file, with JSON as values. Runs nothing; the engine folds it as
//! any state.
//!
//! Read in this order: `shape` (what a value can be), `reducer` (how writes become a value), `channel`, `messages` (conversations), `schema` (all of them), `state`,
//! `update`, `limits` (how much values may take), `origin` (the file behind a thread).

mod channel;
mod compose;
mod effort;
mod limits;
mod messages;
mod origin;
mod reducer;
mod schema;
mod shape;
mod state;
mod update;

pub use channel::ChannelSpec;
pub use limits::{Exceeded, Lease, Limits, weight, weight_of_json};
pub use origin::Origin;
pub use reducer::Reducer;
pub use schema::Schema;
pub use shape::{Basic, Shape};
pub use state::{JsonState, ORIGIN_KEY, SPENT_KEY, add_spent};
pub use update::JsonUpdate;
