//! Models that use tools: the tools, the calls, and the loop around them. Knows no particular workflow.
//!
//! Reading order: `limit` (every bound), `tool` (what a tool is and answers), `toolbox` (a set of them, on offer),
//! `middleware` (what stands around model and calls), `call` (an answer's calls → one result each), `turn` (ask, call,
//! ask again); `tools` are ready-made.

pub mod limit;

mod tool;
mod toolbox;
mod unwind;
mod words;

mod middleware;

mod call;
mod turn;

pub mod tools;

pub use call::{CallPolicy, CallResult, run_calls, with_distinct_ids};
pub use middleware::{Halt, Middleware, Next, Round, Stack};
pub use tool::{NoArguments, Tool, ToolFailure, ToolOutput, blocking};
pub use toolbox::{Toolbox, ToolboxError};
pub use turn::{Agent, Conversation, Ended, Step};
pub use words::Words;
