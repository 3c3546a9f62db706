//! Wrappers of a model that implement the model trait. One file per layer; `provider` stacks them in this order:
//!
//! trace ▸ meter ▸ budget ▸ record ▸ retry ▸ rate ▸ timeout ▸ the model.

mod budget;
mod effects;
mod meter;
mod rate;
mod record;
mod replay;
mod retry;
mod tape;
mod timeout;
mod trace;
mod trace_content;

pub use budget::{BudgetLimits, Budgeted};
pub use effects::Tape;
pub use meter::{Meter, MeterKey, Metered, UsageTally};
pub use rate::{RateLimit, RateLimited, RatePolicy};
pub use record::{Recorded, Recorder};
pub use replay::{Replay, ReplayOrder, Replayed};
pub use retry::{ModelRetryPolicy, Retrying, WallClock};
pub use timeout::Deadline;
pub use trace::{AnswerSource, Traced};
