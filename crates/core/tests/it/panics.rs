//! Closures of the user that panic: the error names the closure and its node, and the thread can be read and resumed. ENG-29.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use stategraph_core::{
    ClosurePanic, CompiledGraph, Cx, Durability, END, EventKinds, Frozen, Hooks, Interrupt, NodeError,
    NodePolicy, NodeResult, Outcome, RetryPolicy, RunError, RunInfo, START, State, StateGraph, Subgraph,
};

use super::kit::{line, memory, played, thread};

const ALL: [Durability; 3] = [Durability::Sync, Durability::ASYNC, Durability::Exit];

/// A switch that the closures of a test look at.
#[derive(Clone, Default)]
struct Bad(Arc<AtomicBool>);

impl Bad {
    fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    fn strikes(&self) {
        assert!(!self.0.load(Ordering::SeqCst), "boom");
    }

    fn mended(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[derive(State, Clone, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    #[state(append)]
    log: Vec<String>,
    #[state(reduce = explodes_on_13)]
    fragile: u32,
}

fn explodes_on_13(sum: &mut u32, more: u32) {
    assert!(more != 13, "boom");
    *sum += more;
}

type Builder = StateGraph<Sums>;
type Graph = CompiledGraph<Sums>;

fn says(name: &'static str) -> impl Fn(Frozen<Sums>) -> std::future::Ready<SumsUpdate> {
    move |_| std::future::ready(Sums::update().log(name))
}

fn boom(error: &RunError) -> &ClosurePanic {
    let RunError::ClosurePanic(panic) = error else { panic!("{error}") };
    assert_eq!(panic.message, "boom");
    panic
}

/// Runs a graph whose closure panics, looks at the thread, mends the closure and resumes.
async fn mended(graph: Graph, bad: &Bad, durability: Durability, error: &str) -> Outcome<Sums> {
    let (graph, t) = (graph.with_store(memory()), thread("t"));
    bad.0.store(true, Ordering::SeqCst);
    let run = graph.run(Sums { log: vec!["in".into()], fragile: 0 }).thread(t.clone()).durability(durability);
    let (events, outcome) = played(run.stream(EventKinds::RUN).await.unwrap()).await;
    let failed = outcome.unwrap_err();
    assert_eq!(failed.to_string(), error);
    boom(&failed);
    assert!(line(events.last().unwrap()).ends_with("run failed"));
    bad.mended();
    if durability == Durability::Exit {
        // Nothing is kept of a run that is saved at its end, when that end is a spoiled state.
        graph.state(&t, None).await.unwrap_err();
        return graph.run(Sums { log: vec!["in".into()], fragile: 0 }).thread(t).await.unwrap();
    }
    let seen = graph.state(&t, None).await.unwrap();
    assert!(seen.state.log.contains(&"in".to_owned()));
    graph.resume(&t).durability(durability).await.unwrap()
}

// D10: the branch of the second superstep
#[tokio::test]
async fn a_branch_that_panics_is_named_and_its_superstep_runs_again() {
    for durability in ALL {
        let bad = Bad::new();
        let asked = bad.clone();
        let choose = move |_: &Sums| {
            asked.strikes();
            true
        };
        let graph = Builder::new("g").node("a", says("a")).node("b", says("b")).edge(START, "a");
        let graph = graph.edge("a", "b").branch("b", choose, [(true, END), (false, "a")]).compile().unwrap();
        let end = mended(graph, &bad, durability, "the branch after `b` panicked: boom").await;
        assert_eq!(end.state.log, ["in", "a", "b"]);
    }
}

#[tokio::test]
async fn a_branch_beside_another_node_is_named_when_it_panics() {
    for durability in ALL {
        let bad = Bad::new();
        let asked = bad.clone();
        let choose = move |_: &Sums| {
            asked.strikes();
            true
        };
        let graph = Builder::new("g").node("a", says("a")).node("b", says("b")).edge(START, "a");
        let graph = graph.edge(START, "b").edge("a", END).branch("b", choose, [(true, END), (false, "a")]);
        let error = "the branch after `b` panicked: boom";
        assert_eq!(
            mended(graph.compile().unwrap(), &bad, durability, error).await.state.log,
            ["in", "a", "b"]
        );
    }
}

#[tokio::test]
async fn a_fan_out_that_panics_is_named_with_both_its_ends() {
    async fn each(_: &Sums, cx: &Cx) -> NodeResult<SumsUpdate> {
        Ok(Sums::update().log(cx.item::<String>()?.clone()))
    }
    for durability in ALL {
        let bad = Bad::new();
        let asked = bad.clone();
        let items = move |_: &Sums| {
            asked.strikes();
            vec!["x".to_owned(), "y".to_owned()]
        };
        let graph = Builder::new("g").node("a", says("a")).node("each", each).edge(START, "a");
        let graph = graph.fan_out("a", items, "each").edge("each", END).compile().unwrap();
        let end = mended(graph, &bad, durability, "the fan-out from `a` to `each` panicked: boom").await;
        assert_eq!(end.state.log, ["in", "a", "x", "y"]);
    }
}

#[tokio::test]
async fn a_branch_after_start_that_panics_is_an_error_before_anything_is_written() {
    let choose = |_: &Sums| -> bool { panic!("boom") };
    let graph = Builder::new("g").node("a", says("a")).branch(START, choose, [(true, "a"), (false, END)]);
    let graph = graph.edge("a", END).compile().unwrap().with_store(memory());
    let error = graph.run(Sums::default()).thread(thread("t")).await.unwrap_err();
    assert_eq!(boom(&error).to_string(), "the branch after `START` panicked: boom");
    graph.state(&thread("t"), None).await.unwrap_err();
}

/// A graph in which `b` writes what a reducer cannot take, until the switch is mended; `with` adds a sibling.
fn reducing(bad: &Bad, with: bool) -> Graph {
    let bad = bad.clone();
    let b = move |_: Frozen<Sums>| {
        let written = if bad.0.load(Ordering::SeqCst) { 13 } else { 1 };
        std::future::ready(Sums::update().log("b").fragile(written))
    };
    let graph = Builder::new("g").node("a", says("a")).node("b", b).edge("b", END);
    let graph =
        if with { graph.edge(START, "a").edge(START, "b") } else { graph.edge(START, "a").edge("a", "b") };
    (if with { graph.edge("a", END) } else { graph }).compile().unwrap()
}

#[tokio::test]
async fn a_reducer_that_panics_is_named_with_the_node_that_wrote() {
    for (durability, with) in ALL.into_iter().flat_map(|durability| [(durability, false), (durability, true)])
    {
        let bad = Bad::new();
        let error = "the reducer of `log` or `fragile`, on the update of `b`, panicked: boom";
        let end = mended(reducing(&bad, with), &bad, durability, error).await;
        assert_eq!((end.state.log.join(" "), end.state.fragile), ("in a b".to_owned(), 1));
    }
}

// A resume runs the writer again, not its sibling, and the view of the thread leaves the update out.
#[tokio::test]
async fn an_update_that_makes_a_reducer_panic_counts_as_a_failure_of_its_writer() {
    let bad = Bad::new();
    let (graph, t) = (reducing(&bad, true).with_store(memory()), thread("t"));
    graph.run(Sums::default()).thread(t.clone()).await.unwrap_err();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.state.log.join(" "), seen.next.join(" ")), ("a".into(), "b".into()));
    assert_eq!((seen.errors.len(), seen.errors[0].node.as_str()), (1, "b"));
}

#[tokio::test]
async fn an_update_from_outside_that_makes_a_reducer_panic_is_refused() {
    let (graph, t) = (reducing(&Bad::default(), true).with_store(memory()), thread("t"));
    graph.run(Sums::default()).thread(t.clone()).await.unwrap();
    let bad = || Sums::update().fragile(13);
    for error in [
        graph.update(&t, bad(), None).await.unwrap_err(),
        graph.update(&t, bad(), Some("a")).await.unwrap_err(),
        graph.continue_with(&t, bad()).await.unwrap_err(),
    ] {
        assert!(boom(&error).to_string().starts_with("the reducer of `fragile`"), "{error}");
    }
    assert_eq!(graph.state(&t, None).await.unwrap().state.fragile, 1);
}

#[tokio::test]
async fn an_error_handler_that_panics_is_told_from_its_node() {
    async fn fails(_: &Sums) -> NodeResult<()> {
        Err(NodeError::msg("no"))
    }
    async fn handles(_: &Sums) {
        panic!("boom")
    }
    let graph =
        Builder::new("g").node("a", fails).on_error("a", handles, [END]).edge(START, "a").edge("a", END);
    let graph = graph.compile().unwrap().with_store(memory());
    let error = graph.run(Sums::default()).thread(thread("t")).await.unwrap_err();
    let RunError::Node { node, source, .. } = &error else { panic!("{error}") };
    assert_eq!(node, "a");
    let causes: Vec<String> =
        std::iter::successors(std::error::Error::source(source), |cause| cause.source())
            .map(ToString::to_string)
            .collect();
    assert_eq!(causes, ["the error handler panicked: boom"]);
    graph.resume(&thread("t")).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_retry_filter_that_panics_is_an_error_of_its_node() {
    async fn fails(_: &Sums) -> NodeResult<()> {
        Err(NodeError::msg("no"))
    }
    fn filter(_: &NodeError) -> bool {
        panic!("boom")
    }
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(3).only_if(filter));
    let graph =
        Builder::new("g").node_with("a", policy, fails).edge(START, "a").edge("a", END).compile().unwrap();
    let error = graph.run(Sums::default()).await.unwrap_err();
    let RunError::Node { attempts: 1, source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.to_string(), "the retry filter of `a` panicked: boom");
}

/// Hooks of which one panics while the switch is bad.
struct Fragile {
    which: &'static str,
    bad: Bad,
}

impl Fragile {
    fn told(&self, hook: &str) {
        if hook == self.which {
            self.bad.strikes();
        }
    }
}

impl Hooks for Fragile {
    fn on_start(&self, _: &RunInfo<'_>) {
        self.told("on_start");
    }
    fn on_resume(&self, _: &RunInfo<'_>) {
        self.told("on_resume");
    }
    fn on_interrupt(&self, _: &RunInfo<'_>, _: Interrupt<'_>) {
        self.told("on_interrupt");
    }
    fn on_end(&self, _: &RunInfo<'_>, _: &'static str) {
        self.told("on_end");
    }
}

async fn asks(_: &Sums, cx: &Cx) -> NodeResult<SumsUpdate> {
    Ok(Sums::update().log(cx.interrupt::<String>(&"word").await?))
}

// F38
#[tokio::test]
async fn a_hook_that_panics_is_named_and_what_the_run_saved_stands() {
    for (durability, which) in
        ALL.into_iter().flat_map(|d| ["on_start", "on_interrupt", "on_end"].map(|hook| (d, hook)))
    {
        let bad = Bad::new();
        let graph = Builder::new("g").node("a", asks).edge(START, "a").edge("a", END).compile().unwrap();
        let graph = graph.with_store(memory()).with_hooks(Arc::new(Fragile { which, bad: bad.clone() }));
        let t = thread("t");
        let error = graph.run(Sums::default()).thread(t.clone()).durability(durability).await.unwrap_err();
        assert_eq!(boom(&error).to_string(), format!("the hook `{which}` panicked: boom"));
        assert_eq!(graph.state(&t, None).await.unwrap().next, ["a"], "{which} {durability:?}");
        bad.mended();
        let waiting = graph.resume(&t).await.unwrap();
        assert_eq!(waiting.status.label(), "waiting");
        let end = graph.resume(&t).answer("1.0.0".parse().unwrap(), &"w").await.unwrap();
        assert_eq!(end.state.log, ["w"]);
    }
}

#[tokio::test]
async fn a_hook_that_panics_on_resume_leaves_the_answer_in_the_thread() {
    let bad = Bad::new();
    let graph = Builder::new("g").node("a", asks).edge(START, "a").edge("a", END).compile().unwrap();
    let graph =
        graph.with_store(memory()).with_hooks(Arc::new(Fragile { which: "on_resume", bad: bad.clone() }));
    let t = thread("t");
    graph.run(Sums::default()).thread(t.clone()).await.unwrap();
    let error = graph.resume(&t).answer("1.0.0".parse().unwrap(), &"w").await.unwrap_err();
    assert_eq!(boom(&error).to_string(), "the hook `on_resume` panicked: boom");
    bad.mended();
    assert_eq!(graph.resume(&t).await.unwrap().state.log, ["w"]);
}

#[tokio::test]
async fn a_closure_that_panics_inside_a_sub_graph_is_named_below_its_node() {
    let bad = Bad::new();
    let graph = Builder::new("g").node("sub", Subgraph::shared(&reducing(&bad, false)));
    let graph = graph.edge(START, "sub").edge("sub", END).compile().unwrap().with_store(memory());
    let error = graph.run(Sums::default()).thread(thread("t")).await.unwrap_err();
    let RunError::Node { node, source, .. } = &error else { panic!("{error}") };
    assert_eq!(node, "sub");
    let inner = source.downcast_ref::<RunError>().unwrap();
    assert!(boom(inner).to_string().contains("on the update of `b`"));
    bad.mended();
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log, ["a", "b"]);
}
