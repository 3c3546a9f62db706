//! The names that nearly every program with a graph uses: `use stategraph::prelude::*;`. With the feature `agent` also the prebuilt tool node,
//! the reducer of messages and the agent loop.

#[cfg(feature = "agent")]
pub use stategraph_agent::{
    AgentParts, AgentState, MessagesState, ToolNode, Toolbox, agent_graph, function_tool,
};
#[cfg(feature = "llm")]
pub use stategraph_llm::{Message, MessageChange, Messages};

pub use serde::{Deserialize, Serialize};

pub use crate::engine::{
    Choice, Command, CompiledGraph, Cx, Defects, Draw, Durability, END, EventKinds, Frozen, Node, NodeError,
    NodePolicy, NodeResult, RetryPolicy, RunError, START, SharedCx, State, StateGraph, Status, Stop,
    ThreadId,
};
