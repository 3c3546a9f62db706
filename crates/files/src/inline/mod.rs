//! The state of graphs without Rust: channels that a graph file declares, with JSON values. Runs nothing; the engine
//! folds it like any
//! other state.
//!
//! Reading order: `value_type` (types of values), `reducer` and `messages` (writes to values), `channel`, `schema`
//! (all channels), `state`,
//! `update`, `limits` (bounds of memory), `origin` (the file of a thread).

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
