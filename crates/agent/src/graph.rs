//! The loop as a graph of two nodes, `model` and `tools`: alone, or as a sub-graph of another. The same loop in one node is
//! [`Agent::converse`]; both go through the same two steps of `turn`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::around::Journal;
use super::call::{CallPolicy, CallResult};
use super::conversation::Ended;
use super::limit::ROUNDS;
use super::middleware::{Halt, Round, Stack};
use super::spent::Spent;
use super::tool_node::HasMessages;
use super::toolbox::Toolbox;
use super::turn::{Agent, ModelTurn, ToolTurn};
use super::words::StreamedAnswer;
use stategraph_core::{Cx, END, NodeResult, START, State, StateGraph};
use stategraph_llm::{Message, MessageChange, Messages, Prices, SharedModel};

/// The state of an agent graph; see [`agent_graph`].
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentState {
    /// All messages. After each superstep of `tools`, every tool call among them has its result.
    #[state(reduce = Messages::change, delta = MessageChange)]
    pub messages: Messages,
    /// Number of requests to the model since the last message of the user.
    pub rounds: u32,
    /// Tokens, money and tool calls spent in the whole conversation.
    pub spent: Spent,
    /// The reason why the run ended; `None` while it goes on.
    pub ended: Option<Ended>,
}

impl AgentState {
    /// Makes a state of a system message and a first message of the user.
    pub fn new(system: impl Into<String>, task: impl Into<String>) -> Self {
        let messages = [Message::system(system), Message::user(task)].into_iter().collect();
        Self { messages, ..Self::default() }
    }

    /// Returns the update that appends a message of the user and lets the agent continue, as input of a
    /// stored thread.
    pub fn say(task: impl Into<String>) -> AgentStateUpdate {
        Self::update().messages(Message::user(task)).rounds(0).ended(None)
    }
}

impl HasMessages for AgentState {
    fn messages(&self) -> &Messages {
        &self.messages
    }

    fn change_messages(changes: impl IntoIterator<Item = MessageChange>) -> AgentStateUpdate {
        changes.into_iter().fold(Self::update(), AgentStateUpdate::messages)
    }
}

/// The configuration of an agent graph: model, tools, limits and middleware. The graph is compiled with it,
/// and its nodes read it.
#[derive(Clone)]
pub struct AgentParts {
    label: String,
    model: SharedModel,
    toolbox: Toolbox,
    rounds: u32,
    calls: CallPolicy,
    prices: Option<Prices>,
    stack: Arc<MakeStack>,
}

/// A function that makes the middleware of a node from the node's context.
type MakeStack = dyn for<'a> Fn(&'a Cx<AgentParts>) -> Stack<'a> + Send + Sync;

impl AgentParts {
    /// Makes the configuration of an agent without further middleware. `label` is the name under which
    /// requests and their cost are counted. The journal is always added.
    pub fn new(label: impl Into<String>, model: SharedModel, toolbox: Toolbox) -> Self {
        Self {
            label: label.into(),
            model,
            toolbox,
            rounds: ROUNDS,
            calls: CallPolicy::default(),
            prices: None,
            stack: Arc::new(|_| Stack::new()),
        }
    }

    /// Sets the function that makes the middleware of each node run. The journal is added inside of it.
    pub fn stack(
        mut self,
        stack: impl for<'a> Fn(&'a Cx<Self>) -> Stack<'a> + Send + Sync + 'static,
    ) -> Self {
        self.stack = Arc::new(stack);
        self
    }

    /// Sets the maximum number of requests to the model per task.
    pub fn rounds(mut self, limit: u32) -> Self {
        self.rounds = limit;
        self
    }

    /// Sets the limits for running calls.
    pub fn calls(mut self, policy: CallPolicy) -> Self {
        self.calls = policy;
        self
    }

    /// Sets the prices for answers that do not state their cost.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Returns the tools.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Makes the agent of a node: with this configuration, the middleware and the journal.
    fn agent<'a>(&'a self, cx: &'a Cx<Self>) -> Agent<'a> {
        let stack = (self.stack)(cx).with(Journal::new(cx, "agent"));
        let agent = Agent::new(&self.label, &self.model, &self.toolbox).stack(stack).calls(self.calls);
        match self.prices {
            Some(prices) => agent.prices(prices),
            None => agent,
        }
    }
}

/// Builds the graph `name` (LangGraph's `create_react_agent`). Its node `model` asks the model and its node
/// `tools` runs the calls, until an answer has no calls, middleware ends the run, or the limit of rounds is
/// reached. Compile it with [`AgentParts`]; inside another graph it is a
/// [`Subgraph`](stategraph_core::Subgraph).
///
/// ```
/// use std::sync::Arc;
///
/// use serde_json::json;
/// use stategraph_agent::{AgentParts, AgentState, Ended, Toolbox, agent_graph, function_tool};
/// use stategraph_llm::Scripted;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Pair { a: i64, b: i64 }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let add = async |Pair { a, b }: Pair| (a + b).to_string();
/// let tools = Toolbox::new().with(function_tool("add", "Adds two numbers.", add))?;
/// let model = Scripted::new("test/model").call("add", &json!({ "a": 2, "b": 2 })).answer("It is 4.");
/// let graph = agent_graph("calculator").compile_with(AgentParts::new("calculator", Arc::new(model), tools))?;
/// let done = graph.run(AgentState::new("You calculate.", "2 + 2?")).await?;
/// assert_eq!(done.state.ended, Some(Ended::Answered("It is 4.".into())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub fn agent_graph(name: impl Into<String>) -> StateGraph<AgentState, AgentParts> {
    StateGraph::new(name)
        .node("model", model)
        .node("tools", tools)
        .edge(START, "model")
        .branch("model", goes_on, [(true, "tools"), (false, END)])
        .branch("tools", goes_on, [(true, "model"), (false, END)])
}

/// Returns true while the run has not ended: the condition of both branches.
fn goes_on(state: &AgentState) -> bool {
    state.ended.is_none()
}

/// Returns the description of round `number` for middleware.
fn round(state: &AgentState, parts: &AgentParts, number: u32) -> Round {
    Round { number, limit: parts.rounds, at: state.messages.len(), spent: state.spent.clone() }
}

/// Asks the model once: the node `model`. Ends the run if the limit of rounds is reached, middleware halts
/// it, or the answer has no calls.
async fn model(state: &AgentState, cx: &Cx<AgentParts>) -> NodeResult<AgentStateUpdate> {
    let parts = cx.services();
    if state.rounds >= parts.rounds {
        let ended = Ended::RoundsUsedUp { limit: parts.rounds };
        return Ok(AgentState::update().ended(Some(ended)));
    }
    let words = StreamedAnswer::new(cx, "answer");
    let agent = parts.agent(cx).sink(&words);
    let mut round = round(state, parts, state.rounds + 1);
    let ModelTurn { answer, halt } = match agent.ask(&state.messages.to_request(), &mut round).await? {
        Ok(heard) => heard,
        Err(halt) => return Ok(AgentState::update().ended(Some(Ended::Halted(halt)))),
    };
    let mut update = AgentState::update().messages(words.whole(&answer)).rounds(round.number);
    let ended = match (halt, answer.tool_calls.is_empty()) {
        (Some(halt), _) => {
            let ToolTurn { results, halt, .. } = agent.run(&mut round, answer.tool_calls, Some(halt)).await?;
            update = with_results(update, &results);
            halt.map(Ended::Halted)
        }
        (None, true) => Some(Ended::Answered(answer.text)),
        (None, false) => None,
    };
    Ok(update.spent(round.spent).ended(ended))
}

/// Runs the calls of the newest message and appends their results: the node `tools`. Arguments that
/// middleware changed are changed in the stored message as well.
async fn tools(state: &AgentState, cx: &Cx<AgentParts>) -> NodeResult<AgentStateUpdate> {
    let parts = cx.services();
    let mut round = round(state, parts, state.rounds);
    let called = state.waiting_calls().to_vec();
    let ToolTurn { calls, results, halt } = parts.agent(cx).run(&mut round, called, None).await?;
    let mut update = AgentState::update();
    if let Some(last) = state.messages.last().filter(|last| last.message.tool_calls != calls) {
        let edited = Message { tool_calls: calls, ..last.message.clone() };
        let change = MessageChange::put(&last.id, edited);
        update = update.messages(last.usage.map_or(change.clone(), |usage| change.cost(usage)));
    }
    Ok(with_results(update, &results).spent(round.spent).ended(halt.map(Ended::from)))
}

/// Adds the results to an update, as messages.
fn with_results(update: AgentStateUpdate, results: &[CallResult]) -> AgentStateUpdate {
    results.iter().fold(update, |update, result| update.messages(result.message()))
}

impl From<Halt> for Ended {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}
