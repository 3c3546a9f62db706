//! The tools that a node can use: built-in tools, tools that its file declares, and foreign tools. The
//! toolbox runs tools without the state and the journal of the node, so a declared tool sends each call to
//! the dispatcher of its node, which runs the body and sends the answer back. The limits of every tool apply.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use schemars::Schema;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::services::Services;
use super::tools::TOOLS;
use super::work::{WorkContext, run_kind};
use stategraph_agent::around::{Taped, off_the_tape};
use stategraph_agent::limit::CALL_TIMEOUT;
use stategraph_agent::{
    CallPolicy, CallResult, ForeignTool, Middleware, Next, PlannedCall, Stack, Tool, ToolFailure, ToolOutput,
    Toolbox, is_foreign, run_planned, selects,
};
use stategraph_core::{Cx, NodeError, NodePolicy, NodeResult, RetryPolicy, with_causes};
use stategraph_files::DeclaredTool;
use stategraph_files::expression::EvalScope;
use stategraph_llm::{Redactor, ToolCall, ToolSpec};

/// The tools of one node while it runs. It receives the calls of tools that the file declares, and runs their
/// bodies with the state of the node.
pub(super) struct ToolDispatcher<'a> {
    toolbox: Toolbox,
    consumer: AnswerConsumer,
    declared: Vec<&'a (String, DeclaredTool)>,
    foreign: Vec<ForeignTool>,
    requests: mpsc::UnboundedReceiver<ToolCallRequest>,
}

/// The consumer of the answers of tools, which decides on their form and on retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerConsumer {
    /// The node itself. An answer is a value, and failures are retried by the policy of the node.
    Node,
    /// A model. An answer is text, and transient failures are retried here, because the policy of the node does not
    /// see them.
    Model,
}

/// Maximum number of attempts of one call for a model, if the failures are transient.
const MODEL_ATTEMPTS: u32 = 3;

tokio::task_local! {
    /// Index of the running call in its answer, from 0. It is the same after a resume, so journal keys
    /// contain it.
    static CALL_INDEX: usize;
}

/// Middleware that sets [`CALL_INDEX`] and redacts secrets in the output before it is stored; a tool may have
/// read them in a file.
struct CallIndexLayer<'r> {
    redactor: &'r Redactor,
}

impl Middleware for CallIndexLayer<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let mut output = CALL_INDEX.scope(next.place().index, next.run(call)).await?;
            output.content = self.redactor.text(&output.content).into_owned();
            if let Some(data) = &mut output.data {
                self.redactor.value(data);
            }
            Ok(output)
        }
        .boxed()
    }
}

/// A call of a declared tool, sent by its proxy to the dispatcher.
struct ToolCallRequest {
    call: usize,
    tool: String,
    arguments: Value,
    answer: oneshot::Sender<ToolOutput>,
}

/// The entry of a declared tool in the toolbox. It checks the arguments and forwards its calls to the
/// dispatcher.
struct DeclaredToolProxy {
    name: String,
    tool: DeclaredTool,
    requests: mpsc::UnboundedSender<ToolCallRequest>,
}

impl<'a> ToolDispatcher<'a> {
    /// Makes the dispatcher of a node with the tools of these names. The list of foreign tools is journaled,
    /// so that a resumed node offers the same tools without asking their servers. Fails if a foreign tool
    /// needs the approval of a person and the work is a part of a node, such as an item of a `map`.
    pub(super) async fn new(
        names: &[String],
        consumer: AnswerConsumer,
        work: &WorkContext<'a>,
        cx: &Cx<Services>,
    ) -> NodeResult<Self> {
        let (requests, received) = mpsc::unbounded_channel();
        let mut toolbox = cx.services().toolbox.only(names);
        let declared: Vec<_> = work.file.tools.iter().filter(|(name, _)| names.contains(name)).collect();
        for (name, tool) in &declared {
            let proxy =
                DeclaredToolProxy { name: name.clone(), tool: tool.clone(), requests: requests.clone() };
            toolbox = toolbox.with(proxy).map_err(|error| {
                let hint = error.hint();
                NodeError::from(error).permanent().with_hint(hint)
            })?;
        }

        let foreign: Vec<String> = names.iter().filter(|name| is_foreign(name)).cloned().collect();
        let foreign = if foreign.is_empty() { Vec::new() } else { list_foreign(&foreign, work, cx).await? };
        if let (Some(source), false) = (&cx.services().foreign, foreign.is_empty()) {
            toolbox = source.add_to(toolbox, &foreign).map_err(|error| {
                let hint = error.hint();
                NodeError::from(error).permanent().with_hint(hint)
            })?;
        }
        if let Some(tool) = foreign.iter().find(|tool| tool.needs_approval && work.is_part()) {
            let name = &tool.spec.name;
            let error = NodeError::msg(format!(
                "a person must approve calls of `{name}`, and a part of a node cannot ask"
            ));
            let hint = "call it from a node of its own, or remove it from `approve` of its server";
            return Err(error.permanent().with_hint(hint));
        }
        Ok(Self { toolbox, consumer, declared, foreign, requests: received })
    }

    /// Returns the specifications of the tools, for a model request.
    pub(super) fn tool_specs(&self) -> Vec<ToolSpec> {
        self.toolbox.specs().to_vec()
    }

    /// Returns the names of the tools that need approval: those in `asked`, whose patterns are resolved to
    /// foreign tools, and foreign tools whose source demands it.
    pub(super) fn to_approve(&self, asked: &[String]) -> Vec<String> {
        let is_asked = |name: &str| asked.iter().any(|pattern| selects(pattern, name));
        let foreign = self.foreign.iter().filter(|tool| tool.needs_approval || is_asked(&tool.spec.name));
        let foreign = foreign.map(|tool| tool.spec.name.clone());
        asked.iter().filter(|name| !is_foreign(name)).cloned().chain(foreign).collect()
    }

    /// Runs the calls of one answer through the middleware `stack`, and the bodies of declared tools inside
    /// the node. Returns one result per call, in their order.
    pub(super) async fn run_calls(
        &mut self,
        calls: &[PlannedCall],
        stack: Stack<'_>,
        scope: &EvalScope<'_>,
        work: &WorkContext<'_>,
        cx: &Cx<Services>,
    ) -> NodeResult<Vec<CallResult>> {
        let longest = self.declared.iter().map(|(_, tool)| call_timeout(tool)).max().unwrap_or_default();
        let longest = longest.max(CALL_TIMEOUT).max(ForeignTool::longest_call(&self.foreign));
        let defaults = CallPolicy::default();
        let at_once = defaults.at_once.min(cx.services().tasks_at_once);
        let policy = CallPolicy { timeout: longest, at_once, ..defaults };
        // The body of a declared tool records its own effects on the tape.
        let foreign = self.foreign.iter().map(|tool| tool.spec.name.as_str());
        let taped = Taped::new(&cx.services().tape, TOOLS.iter().copied().chain(foreign));
        // Inside the tape, because the tape is written to a file.
        let stack = stack.with(taped).with(CallIndexLayer { redactor: cx.services().secrets.redactor() });
        let mut running = std::pin::pin!(run_planned(&self.toolbox, calls, &stack, &policy));
        let mut executing: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                results = &mut running => return results,
                Some(request) = self.requests.recv() => {
                    let at = request.call;
                    let tool = self.declared.iter().find(|(name, _)| *name == request.tool);
                    let (_, tool) = tool.expect("only declared tools send requests");
                    let work = work.nested(at);
                    executing.push(request.execute(tool, self.consumer, scope.without_locals(), work, cx).boxed());
                }
                Some(()) = executing.next(), if !executing.is_empty() => {}
            }
        }
    }
}

/// Returns the foreign tools that `names` select. The list is journaled and recorded on the tape, so that
/// neither a resume nor a replay starts a server.
async fn list_foreign(
    names: &[String],
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Vec<ForeignTool>> {
    let list = async {
        if let Some(source) = &cx.services().foreign {
            return source.list(names).await;
        }
        let error = NodeError::msg(format!("no server has the tool `{}`", names[0])).permanent();
        Err(error.with_hint("give the run a file of servers: `mcp.json`"))
    };
    let effect = cx.services().tape.effect("foreign tools", json!(names), off_the_tape, list);
    cx.once(&work.journal_key("foreign_tools"), effect).await
}

/// Returns the maximum time of one call: that of the file, or the default.
fn call_timeout(tool: &DeclaredTool) -> Duration {
    tool.timeout.unwrap_or(CALL_TIMEOUT)
}

impl ToolCallRequest {
    /// Runs the body of the tool within its time limit and sends the output to the proxy. Stops early if the
    /// proxy no longer waits.
    async fn execute(
        self,
        tool: &DeclaredTool,
        consumer: AnswerConsumer,
        scope: EvalScope<'_>,
        work: WorkContext<'_>,
        cx: &Cx<Services>,
    ) {
        let Self { tool: name, arguments, mut answer, .. } = self;
        let scope = scope.with_local("arguments", arguments);
        let work =
            tokio::time::timeout(call_timeout(tool), run_with_retries(tool, consumer, &scope, &work, cx));
        let output = tokio::select! {
            done = work => if let Ok(done) = done { to_output(done, consumer) } else {
                let reason = format!("`{name}` did not answer within {:?}", call_timeout(tool));
                ToolOutput::failure(ToolFailure::TimedOut, reason)
            },
            () = answer.closed() => return,
        };
        // The caller may have timed out.
        let _ = answer.send(output);
    }
}

/// Runs the body of the tool. Transient failures are retried if the consumer is a model.
async fn run_with_retries(
    tool: &DeclaredTool,
    consumer: AnswerConsumer,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let attempts = if consumer == AnswerConsumer::Model { MODEL_ATTEMPTS } else { 1 };
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(attempts).only_if(NodeError::is_temporary));
    cx.retried(&work.journal_key(""), &policy, || run_kind(&tool.body, scope, work, cx)).await
}

/// Converts the result of a body to a tool output. A node gets the value as data, a model gets it as text.
fn to_output(done: NodeResult<Value>, consumer: AnswerConsumer) -> ToolOutput {
    match done {
        Ok(Value::String(text)) => ToolOutput::ok(text),
        Ok(value) if consumer == AnswerConsumer::Node => ToolOutput::ok(value.to_string()).data(&value),
        Ok(value) => ToolOutput::ok(value.to_string()),
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            ToolOutput::failed(with_causes(error.source())).again(error.retryable().into()).hint(hint)
        }
    }
}

impl Tool for DeclaredToolProxy {
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
        let call = CALL_INDEX
            .try_with(|call| *call)
            .expect("only `ToolDispatcher::run_calls` runs these tools, and it numbers the calls");
        let request = ToolCallRequest { call, tool: self.name.clone(), arguments, answer };
        let gone = || ToolOutput::failed("the node has ended");
        if self.requests.send(request).is_err() {
            return gone();
        }
        answered.await.unwrap_or_else(|_| gone())
    }
}
