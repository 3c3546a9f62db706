//! Killed at every call and resumed: nothing is paid twice, and the end is the same. DOC-16, DOC-53, D7, ENG-10.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use stategraph_agent::around::{Allowance, Announce, Journal, ToolBudget};
use stategraph_agent::{
    Agent, AgentParts, AgentState, Conversation, Ended, Spent, Stack, Tool, ToolOutput, Toolbox, agent_graph,
};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CompiledGraph, Cx, Durability, END, NodeResult, RunError, START, State, StateGraph, Subgraph, ThreadId,
};
use stategraph_llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, Message, ModelName, Role, SharedModel,
    TokenSink, Usage, UsageSource,
};
use tokio::sync::Notify;

use super::{Said, echo};

/// Counts what is paid for, and dies at one of them.
#[derive(Default)]
struct World {
    begun: AtomicUsize,
    dies_at: Option<usize>,
    dead: Notify,
    paid: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn pay(&self, what: String) {
        if Some(self.begun.fetch_add(1, Ordering::Relaxed)) == self.dies_at {
            self.dead.notify_one();
            std::future::pending::<()>().await;
        }
        self.paid.lock().unwrap().push(what);
    }
}

/// Calls two tools in each of three rounds, then is done.
struct Worker(ModelName, Arc<World>);

impl ChatModel for Worker {
    fn name(&self) -> &ModelName {
        &self.0
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let round = request.messages.iter().filter(|said| said.role == Role::Assistant).count();
            self.1.pay(format!("answer {round}")).await;
            let is_last = round == 3;
            let calls = || vec![echo("a", &format!("{round}a")), echo("b", &format!("{round}b"))];
            Ok(ChatAnswer {
                text: if is_last { "done".into() } else { String::new() },
                tool_calls: if is_last { Vec::new() } else { calls() },
                usage: Usage { prompt_tokens: 10, completion_tokens: 1, source: UsageSource::Reported },
                cost: None,
                model: "worker".into(),
                finish: Finish::Stop,
            })
        }
        .boxed()
    }
}

struct Paid(Arc<World>);

impl Tool for Paid {
    type Arguments = Said;

    fn name(&self) -> &'static str {
        "echo"
    }

    fn description(&self) -> &'static str {
        "Says it again, for money."
    }

    async fn run(&self, said: Said) -> ToolOutput {
        self.0.pay(format!("call {}", said.text)).await;
        ToolOutput::ok(said.text)
    }
}

fn parts(world: &Arc<World>) -> (SharedModel, Toolbox) {
    let toolbox = Toolbox::new().with(Paid(Arc::clone(world))).unwrap();
    (Arc::new(Worker("test/worker".into(), Arc::clone(world))), toolbox)
}

fn budget() -> ToolBudget {
    ToolBudget::new().with(Allowance::new("call", 5, ["echo"]))
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Work {
    talk: Conversation,
    ended: Option<Ended>,
}

async fn works(_: &Work, cx: &Cx<(SharedModel, Toolbox)>) -> NodeResult<WorkUpdate> {
    let (model, toolbox) = cx.services();
    let stack = Stack::new().with(budget()).with(Journal::new(cx, "work")).with(Announce::new(cx, "root"));
    let mut talk = Conversation::new("You work.", "Go.");
    let ended = Agent::new("worker", model, toolbox).stack(stack).converse(&mut talk).await?;
    Ok(Work::update().talk(talk).ended(Some(ended)))
}

/// What a run came to.
type End = (Vec<Message>, Spent, Option<Ended>);

fn thread() -> ThreadId {
    ThreadId::new("t").unwrap()
}

/// Begins, or goes on; `None` when it died.
async fn run<S, E>(graph: &CompiledGraph<S, E>, start: Option<S>, world: &World) -> Option<S>
where
    S: State,
    E: Send + Sync + 'static,
{
    let run = async {
        let ended = match start {
            Some(start) => graph.run(start).thread(thread()).durability(Durability::Sync).await,
            None => graph.resume(&thread()).await,
        };
        ended.unwrap_or_else(|error: RunError| panic!("{error}")).state
    };
    tokio::select! {
        state = run => Some(state),
        () = world.dead.notified() => None,
    }
}

async fn in_one_node(world: &Arc<World>, store: &Arc<MemoryStore>, first: bool) -> Option<End> {
    let graph = StateGraph::new("work").node("work", works).edge(START, "work").edge("work", END);
    let graph = graph.compile_with(parts(world)).unwrap().with_store(store.clone());
    let work = run(&graph, first.then(Work::default), world).await?;
    Some((work.talk.messages, work.talk.spent, work.ended))
}

fn nodes(world: &Arc<World>) -> CompiledGraph<AgentState, AgentParts> {
    let (model, toolbox) = parts(world);
    let parts = AgentParts::new("worker", model, toolbox).stack(|_| Stack::new().with(budget()));
    agent_graph("loop").compile_with(parts).unwrap()
}

fn end(state: AgentState) -> End {
    (state.messages.to_request(), state.spent, state.ended)
}

async fn as_nodes(world: &Arc<World>, store: &Arc<MemoryStore>, first: bool) -> Option<End> {
    let graph = nodes(world).with_store(store.clone());
    let start = first.then(|| AgentState::new("You work.", "Go."));
    run(&graph, start, world).await.map(end)
}

async fn as_subgraph(world: &Arc<World>, store: &Arc<MemoryStore>, first: bool) -> Option<End> {
    let inside = Subgraph::mapped(
        &nodes(world),
        |_: &Work| AgentState::new("You work.", "Go."),
        |state: &AgentState| {
            let AgentState { messages, rounds, spent, ended } = state.clone();
            let talk = Conversation { messages: messages.to_request(), rounds, spent };
            Work::update().talk(talk).ended(ended)
        },
    );
    let graph =
        StateGraph::<Work>::new("outer").node("inside", inside).edge(START, "inside").edge("inside", END);
    let graph = graph.compile().unwrap().with_store(store.clone());
    let work = run(&graph, first.then(Work::default), world).await?;
    Some((work.talk.messages, work.talk.spent, work.ended))
}

async fn check<F>(form: impl Fn(Arc<World>, Arc<MemoryStore>, bool) -> F)
where
    F: Future<Output = Option<End>>,
{
    let whole = Arc::new(World::default());
    let expected = form(whole.clone(), Arc::default(), true).await.expect("nothing kills it");
    let mut paid = whole.paid.lock().unwrap().clone();
    paid.sort();
    // Four answers, and of six calls the budget allows five.
    assert_eq!(paid.len(), 9);
    assert_eq!((expected.1.calls("echo"), expected.1.total().usage.total()), (5, 44));
    assert_eq!(expected.2, Some(Ended::Answered("done".into())));
    for dies_at in 0..paid.len() {
        let (store, ledger) = (Arc::<MemoryStore>::default(), Arc::default());
        let killed = World { dies_at: Some(dies_at), paid: Arc::clone(&ledger), ..World::default() };
        assert_eq!(form(Arc::new(killed), store.clone(), true).await, None, "it dies at {dies_at}");
        let healthy = World { paid: Arc::clone(&ledger), ..World::default() };
        let ended = form(Arc::new(healthy), store, false).await;
        assert_eq!(ended.as_ref(), Some(&expected), "killed at {dies_at}");
        let mut all = ledger.lock().unwrap().clone();
        all.sort();
        assert_eq!(all, paid, "killed at {dies_at}");
    }
}

#[tokio::test]
async fn a_loop_in_one_node_pays_nothing_twice() {
    check(|world, store, first| async move { in_one_node(&world, &store, first).await }).await;
}

#[tokio::test]
async fn a_loop_of_nodes_pays_nothing_twice() {
    check(|world, store, first| async move { as_nodes(&world, &store, first).await }).await;
}

#[tokio::test]
async fn a_loop_in_a_subgraph_pays_nothing_twice() {
    check(|world, store, first| async move { as_subgraph(&world, &store, first).await }).await;
}
