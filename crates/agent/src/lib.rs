//! Models that use tools: the tools, the calls, and the loop around them. Knows no particular workflow.
//!
//! Reading order: `limit` (all bounds), `priority` and `tool` (the interface and the output of a tool), `function` (a
//! function as a tool), `coerce` (arguments converted to their schema), `toolbox` (a set of tools), `source` (tools outside the program), `spent` (spent budgets), `planned`, `middleware` and `next` (hooks around model and calls),
//! `call` (the calls of an answer → one result each), `conversation` and `turn` (ask, call, ask again), `graph` (the same as nodes), `tool_node` (the calls
//! alone as a node), `typed_question` (a typed answer without tools);
//! `usage` (tells subscribers the tokens of answers);
//! [`around`] has ready-made middleware, [`xml`] the form of calls for models without native ones.

pub mod limit;

mod coerce;
mod function;
mod priority;
mod source;
mod tool;
mod toolbox;
mod unwind;
mod usage;
mod words;

mod middleware;
mod next;
mod planned;
mod spent;

mod call;
mod conversation;
mod graph;
mod tool_node;
mod turn;
mod typed_question;

pub mod around;
pub mod xml;

pub use call::{CallPolicy, CallResult, run_calls, run_planned, with_distinct_ids};
pub use conversation::{Conversation, Ended};
pub use function::{FunctionTool, IntoToolOutput, function_tool};
pub use graph::{AgentParts, AgentState, AgentStateUpdate, agent_graph};
pub use middleware::{Halt, Hook, HookError, Middleware, Round, Stack};
pub use next::{CallPlace, Next, NextModel, no_answer};
pub use planned::PlannedCall;
pub use priority::{Priority, ToolCost};
pub use source::{FOREIGN_PREFIX, ForeignTool, ToolSource, is_foreign, selects};
pub use spent::{AnswerTotals, Spent};
pub use tool::{NoArguments, Retryability, Tool, ToolFailure, ToolOutput, blocking};
pub use tool_node::{HasMessages, MessagesState, MessagesStateUpdate, ToolNode};
pub use toolbox::{Toolbox, ToolboxError};
pub use turn::{Agent, ModelTurn, Step, ToolTurn};
pub use typed_question::TypedQuestion;
pub use usage::UsageEvent;
pub use words::StreamedAnswer;
