//! The state of graphs without Rust: channels that a graph file declares, with JSON values. Runs nothing; the engine
//! folds it like any other state.
//!
//! Reading order: `value_type` (types of values), `lookup` (their fields), `example` (examples of them), `reducer`, `custom` and `messages` (writes to values), `channel`, `schema`
//! (all channels), `state`, `update`, `limits` (bounds of memory), `origin` (the file of a thread).

mod channel;
mod compose;
mod custom;
mod effort;
mod limits;
mod lookup;
mod message_schema;
mod messages;
mod origin;
mod reducer;
mod schema;
mod spent;
mod state;
mod update;
mod value_type;

pub use channel::ChannelSpec;
pub use custom::{CustomFold, FoldRule};
pub use limits::{Lease, LimitExceeded, ValueLimits, json_size, json_text_size};
pub(crate) use lookup::{Lookup, allowed_values, element, field};
pub use origin::FileOrigin;
pub use reducer::Reducer;
pub use schema::StateSchema;
pub use spent::SPENT_KEY;
pub use state::{JsonState, ORIGIN_KEY};
pub use update::JsonUpdate;
pub use value_type::{BasicType, ValueType};
