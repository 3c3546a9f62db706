//! The names that nearly every program with a graph uses: `use stategraph::prelude::*;`.

pub use serde::{Deserialize, Serialize};

pub use crate::engine::{
    Choice, Command, CompiledGraph, Cx, Draw, Durability, END, EventKinds, Frozen, Node, NodeError,
    NodePolicy, NodeResult, RetryPolicy, RunError, START, State, StateGraph, Status, Stop, ThreadId,
};
