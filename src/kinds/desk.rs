//! The tools that a node can use: built-in ones, and those that its file declares. The latter are done by the node itself, which has the
//! state and the journal: a call comes to its desk, and the answer goes back, within the limits that hold for every tool.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use schemars::Schema;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::node::whole;
use super::services::Services;
use super::tools::TOOLS;
use super::work::{Place, result};
use crate::agent::around::Taped;
use crate::agent::limit::CALL_TIMEOUT;
use crate::agent::{
    CallPolicy, CallResult, Middleware, Next, PlannedCall, Stack, Tool, ToolFailure, ToolOutput, Toolbox,
    run_planned,
};
use crate::definition::DeclaredTool;
use crate::definition::expression::Scope;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{ToolCall, ToolSpec};

/// The tools of one node while it runs.
pub(super) struct Desk<'a> {
    toolbox: Toolbox,
    declared: Vec<&'a (String, DeclaredTool)>,
    orders: mpsc::UnboundedReceiver<Order>,
}

tokio::task_local! {
    /// Which call of the answer is run: a name in the journal that is the same after a resume.
    static CALL: usize;
}

/// Says which call is run.
struct Numbered;

impl Middleware for Numbered {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        CALL.scope(next.place().index, next.run(call)).boxed()
    }
}

/// A call of a declared tool.
struct Order {
    call: usize,
    tool: String,
    arguments: Value,
    answer: oneshot::Sender<ToolOutput>,
}

/// A declared tool, as the toolbox has it.
struct Counter {
    name: String,
    tool: DeclaredTool,
    orders: mpsc::UnboundedSender<Order>,
}

impl<'a> Desk<'a> {
    /// With the tools of these names.
    pub(super) fn open(names: &[String], place: &Place<'a>, cx: &Cx<Services>) -> NodeResult<Self> {
        let (orders, taken) = mpsc::unbounded_channel();
        let mut toolbox = cx.services().toolbox.only(names);
        let declared: Vec<_> = place.parts.tools.iter().filter(|(name, _)| names.contains(name)).collect();
        for (name, tool) in &declared {
            let counter = Counter { name: name.clone(), tool: tool.clone(), orders: orders.clone() };
            toolbox = toolbox.with(counter).map_err(|error| {
                let hint = error.hint();
                NodeError::from(error).permanent().with_hint(hint)
            })?;
        }
        Ok(Self { toolbox, declared, orders: taken })
    }

    /// What is offered to a model.
    pub(super) fn offered(&self) -> Vec<ToolSpec> {
        self.toolbox.specs().to_vec()
    }

    /// Runs the calls of one answer through `stack`; one result each, in their order.
    pub(super) async fn run(
        &mut self,
        calls: &[PlannedCall],
        stack: Stack<'_>,
        scope: &Scope<'_>,
        place: &Place<'_>,
        cx: &Cx<Services>,
    ) -> NodeResult<Vec<CallResult>> {
        let longest = self.declared.iter().map(|(_, tool)| limit(tool)).max().unwrap_or_default();
        let policy = CallPolicy { timeout: longest.max(CALL_TIMEOUT), ..CallPolicy::default() };
        // What a declared tool takes from outside is recorded where its own work takes it.
        let taped = Taped::new(&cx.services().tape, TOOLS);
        let stack = stack.with(Numbered).with(taped);
        let mut running = std::pin::pin!(run_planned(&self.toolbox, calls, &stack, &policy));
        let mut at_work: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                results = &mut running => return results,
                Some(order) = self.orders.recv() => {
                    let at = order.call;
                    let tool = self.declared.iter().find(|(name, _)| *name == order.tool);
                    let (_, tool) = tool.expect("only declared tools give orders");
                    at_work.push(order.done(tool, scope.state_alone(), place.within(at), cx).boxed());
                }
                Some(()) = at_work.next(), if !at_work.is_empty() => {}
            }
        }
    }
}

/// How long one call may take.
fn limit(tool: &DeclaredTool) -> Duration {
    tool.timeout.unwrap_or(CALL_TIMEOUT)
}

impl Order {
    /// Does what the tool does, unless nobody waits for it any more.
    async fn done(self, tool: &DeclaredTool, scope: Scope<'_>, place: Place<'_>, cx: &Cx<Services>) {
        let Self { tool: name, arguments, mut answer, .. } = self;
        let scope = scope.with("arguments", arguments);
        let work = tokio::time::timeout(limit(tool), result(&tool.body, &scope, &place, cx));
        let output = tokio::select! {
            done = work => match done {
                Ok(Ok(Value::String(text))) => ToolOutput::ok(text),
                Ok(Ok(value)) => ToolOutput::ok(value.to_string()),
                Ok(Err(error)) => ToolOutput::failed(whole(error.source())),
                Err(_) => {
                    let reason = format!("`{name}` did not answer within {:?}", limit(tool));
                    ToolOutput::failure(ToolFailure::TimedOut, reason)
                }
            },
            () = answer.closed() => return,
        };
        // Who asked may be gone by now.
        let _ = answer.send(output);
    }
}

impl Tool for Counter {
    type Arguments = Value;

    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.tool.description
    }

    fn parameters(&self) -> Schema {
        let none = || json!({ "type": "object", "properties": {} });
        let schema = self.tool.parameters.as_ref().map_or_else(none, |shape| shape.schema().clone());
        Schema::try_from(schema).expect("the schema of an object is a map")
    }

    async fn run(&self, arguments: Value) -> ToolOutput {
        if let Some(Err(reason)) = self.tool.parameters.as_ref().map(|shape| shape.check(&arguments)) {
            let reason = format!("the arguments of `{}` do not fit: {reason}", self.name);
            return ToolOutput::failure(ToolFailure::BadArguments, reason);
        }
        let (answer, answered) = oneshot::channel();
        let call =
            CALL.try_with(|call| *call).expect("only `Desk::run` runs these tools, and it numbers the calls");
        let order = Order { call, tool: self.name.clone(), arguments, answer };
        let gone = || ToolOutput::failed("the node has ended");
        if self.orders.send(order).is_err() {
            return gone();
        }
        answered.await.unwrap_or_else(|_| gone())
    }
}
