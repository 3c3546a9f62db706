//! The tools that a node can use: built-in ones, and those that its file declares. The latter are done by the node itself, which has the
//! state and the journal: a call comes to its desk, and the answer goes back, within the limits that hold for every tool.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use schemars::Schema;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::services::Services;
use super::tools::TOOLS;
use super::work::{Place, result};
use stategraph_agent::around::Taped;
use stategraph_agent::limit::CALL_TIMEOUT;
use stategraph_agent::{
    CallPolicy, CallResult, Middleware, Next, PlannedCall, Stack, Tool, ToolFailure, ToolOutput, Toolbox,
    run_planned,
};
use stategraph_core::{Cx, NodeError, NodePolicy, NodeResult, RetryPolicy, with_causes};
use stategraph_files::DeclaredTool;
use stategraph_files::expression::Scope;
use stategraph_llm::{Redactor, ToolCall, ToolSpec};

/// The tools of one node while it runs.
pub(super) struct Desk<'a> {
    toolbox: Toolbox,
    reader: Reader,
    declared: Vec<&'a (String, DeclaredTool)>,
    orders: mpsc::UnboundedReceiver<Order>,
}

/// The reader of what declared tools answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The node itself: an answer is a value, and what fails is tried again as the node says.
    Node,
    /// A model: an answer is text, and what fails and passes by itself is tried again here, since no policy of the node's comes
    /// after it.
    Model,
}

/// Attempts of one call whose failures pass by themselves, for a model.
const ATTEMPTS: u32 = 3;

tokio::task_local! {
    /// Which call of the answer is run: a name in the journal that is the same after a resume.
    static CALL: usize;
}

/// Says which call is run, and takes secrets out of what it answers before that is stored: a tool may have read them in a file.
struct Numbered<'r> {
    redactor: &'r Redactor,
}

impl Middleware for Numbered<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let mut output = CALL.scope(next.place().index, next.run(call)).await?;
            output.content = self.redactor.text(&output.content).into_owned();
            if let Some(data) = &mut output.data {
                self.redactor.value(data);
            }
            Ok(output)
        }
        .boxed()
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
    pub(super) fn open(
        names: &[String],
        reader: Reader,
        place: &Place<'a>,
        cx: &Cx<Services>,
    ) -> NodeResult<Self> {
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
        Ok(Self { toolbox, reader, declared, orders: taken })
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
        // Inside of the tape, which is written to a file.
        let stack = stack.with(taped).with(Numbered { redactor: cx.services().secrets.redactor() });
        let mut running = std::pin::pin!(run_planned(&self.toolbox, calls, &stack, &policy));
        let mut at_work: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                results = &mut running => return results,
                Some(order) = self.orders.recv() => {
                    let at = order.call;
                    let tool = self.declared.iter().find(|(name, _)| *name == order.tool);
                    let (_, tool) = tool.expect("only declared tools give orders");
                    let place = place.within(at);
                    at_work.push(order.done(tool, self.reader, scope.state_alone(), place, cx).boxed());
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
    async fn done(
        self,
        tool: &DeclaredTool,
        reader: Reader,
        scope: Scope<'_>,
        place: Place<'_>,
        cx: &Cx<Services>,
    ) {
        let Self { tool: name, arguments, mut answer, .. } = self;
        let scope = scope.with("arguments", arguments);
        let work = tokio::time::timeout(limit(tool), worked(tool, reader, &scope, &place, cx));
        let output = tokio::select! {
            done = work => if let Ok(done) = done { output(done, reader) } else {
                let reason = format!("`{name}` did not answer within {:?}", limit(tool));
                ToolOutput::failure(ToolFailure::TimedOut, reason)
            },
            () = answer.closed() => return,
        };
        // Who asked may be gone by now.
        let _ = answer.send(output);
    }
}

/// Does what the tool does; for a model, again where a failure passes by itself.
async fn worked(
    tool: &DeclaredTool,
    reader: Reader,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let attempts = if reader == Reader::Model { ATTEMPTS } else { 1 };
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(attempts).only_if(NodeError::is_passing));
    cx.retried(&place.key(""), &policy, || result(&tool.body, scope, place, cx)).await
}

/// What a tool answers. A value goes to a node as it is, to a model as text.
fn output(done: NodeResult<Value>, reader: Reader) -> ToolOutput {
    match done {
        Ok(Value::String(text)) => ToolOutput::ok(text),
        Ok(value) if reader == Reader::Node => ToolOutput::ok(value.to_string()).data(&value),
        Ok(value) => ToolOutput::ok(value.to_string()),
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            ToolOutput::failed(with_causes(error.source())).again(error.retryable().into()).hint(hint)
        }
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
