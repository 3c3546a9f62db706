//! Asks a person before a tool is run (CTX-93, CTX-143). The run is interrupted, and its checkpoint keeps the
//! question until there is an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::{FutureExt, try_join_all};
use serde::Serialize;
use serde_json::Value;

use super::approval_answer::ApprovalAnswer;
use crate::{Hook, Middleware, PlannedCall, Round, ToolOutput};
use stategraph_core::{Cx, NodeResult};
use stategraph_llm::{ToolCall, ToolSpec};

/// Middleware that asks a person before the calls of some tools. It asks all questions of an answer at once,
/// before any of its calls is run. Each question is an interrupt of the run: `graph resume` and the server
/// answer it like others.
pub struct Approval<'a, D> {
    cx: &'a Cx<D>,
    tools: BTreeSet<String>,
    /// Schemas of the arguments of tools, by name.
    schemas: BTreeMap<String, Arc<Value>>,
}

/// The question to the person about one call (CTX-95).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovalQuestion<'a> {
    /// The type of question: always `approve_tool_call`.
    pub action: &'static str,
    /// The name of the tool.
    pub tool: &'a str,
    /// The question as a sentence.
    pub message: String,
    /// The arguments of the call; a string if they are not JSON.
    pub args: Value,
    /// The forms of an answer; see [`ApprovalAnswer`].
    pub answers: [&'static str; 4],
}

impl<'a, D> Approval<'a, D> {
    /// Makes the middleware that asks before calls of `tools`. [`Toolbox::costing`](crate::Toolbox::costing) lists the expensive ones.
    pub fn new(cx: &'a Cx<D>, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { cx, tools: tools.into_iter().map(Into::into).collect(), schemas: BTreeMap::new() }
    }

    /// Sets the argument schemas of tools. Arguments that a person edits are then validated when the answer
    /// is given, not only when the call is run.
    pub fn schemas(mut self, specs: &[ToolSpec]) -> Self {
        self.schemas = specs.iter().map(|spec| (spec.name.clone(), spec.parameters.clone())).collect();
        self
    }
}

impl<'a> ApprovalQuestion<'a> {
    /// Makes the question about a call.
    fn about(call: &'a ToolCall) -> Self {
        let args = serde_json::from_str(&call.arguments);
        Self {
            action: "approve_tool_call",
            tool: &call.name,
            message: format!("The agent wants to call `{}`. Approve, edit or reject?", call.name),
            args: args.unwrap_or_else(|_| Value::String(call.arguments.clone())),
            answers: ApprovalAnswer::FORMS,
        }
    }
}

impl<D: Send + Sync> Approval<'_, D> {
    /// Interrupts the run with the question about one call and applies the answer: edits or refuses the call,
    /// or leaves it.
    async fn ask(&self, call: &mut PlannedCall) -> NodeResult<()> {
        let question = ApprovalQuestion::about(call.call());
        let schema = ApprovalAnswer::schema(self.schemas.get(&call.call().name).map(Arc::as_ref));
        match self.cx.interrupt_with(&question, &schema).await? {
            ApprovalAnswer::Approve => {}
            ApprovalAnswer::Edit { args } => call.edit(Value::Object(args).to_string()),
            ApprovalAnswer::Reject { reason } => {
                let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                call.refuse(ToolOutput::refused(format!("a person rejected the call{why}")));
            }
        }
        Ok(())
    }
}

impl<D: Send + Sync> Middleware for Approval<'_, D> {
    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        async move {
            let gated = |call: &&mut PlannedCall| call.is_open() && self.tools.contains(&call.call().name);
            try_join_all(calls.iter_mut().filter(gated).map(|call| self.ask(call))).await?;
            Ok(())
        }
        .boxed()
    }
}
