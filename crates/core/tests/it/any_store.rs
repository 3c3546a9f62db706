//! What holds on every store, a function each: run here on the one in memory, and by the tests of the durable store on that.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use stategraph_core::{
    CheckpointStore, CompiledGraph, Cx, Durability, END, HistoryQuery, InnerSnapshot, NESTING_MAX, NodeError,
    NodeResult, Record, Retention, RunError, START, State, StateGraph, Status, StoreError, ThreadId,
};

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, empty, replayed, say, thread, wired};
use super::stores::{Fault, Faulty};
use super::tale::{Notes, Tale, check_effects, tale, turn};

/// Opens the store, as another process would.
type Open<'a> = &'a dyn Fn() -> Arc<dyn CheckpointStore>;

pub(crate) const ALL: [Durability; 4] =
    [Durability::Sync, Durability::ASYNC, Durability::Async { max_lag: 0 }, Durability::Exit];

pub(crate) fn loop_of(turns: u32) -> Graph {
    let graph = Builder::new("loop")
        .node("a", async |t: &Trail| Trail::update().turns(t.turns + 1).log(t.turns.to_string()));
    let again = move |t: &Trail| t.turns < turns;
    graph.edge(START, "a").branch("a", again, [(true, "a"), (false, END)]).compile().unwrap()
}

/// A run that reached its limit ends the same when the store is opened again, and each of its states can be read.
pub(crate) async fn goes_on_from_where_the_store_has_it(open: Open<'_>) {
    for (at, durability) in ALL.into_iter().enumerate() {
        let t = thread(&format!("t{at}"));
        let first = loop_of(50).with_store(open());
        first.run(empty()).thread(t.clone()).durability(durability).step_limit(20).await.unwrap_err();
        drop(first);
        let graph = loop_of(50).with_store(open());
        let end = graph.resume(&t).durability(durability).await.unwrap();
        assert_eq!((end.state.turns, end.state.log.len()), (50, 50));
        let states = replayed(&graph, &t).await;
        assert!(states.iter().all(|(_, state)| state.log.len() == state.turns as usize));
        let expected = if durability == Durability::Exit { 2 } else { 51 };
        assert_eq!((states.len(), &states.last().unwrap().1), (expected, &end.state));
    }
}

pub(crate) async fn paid(cx: &Cx<Calls>, key: &str, what: &str) -> NodeResult<u32> {
    cx.once(key, async { Ok::<_, NodeError>(cx.services().count(what)) }).await
}

/// Pays, then asks.
pub(crate) async fn pays_and_asks(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let paid = paid(cx, "pay", cx.node()).await?;
    let answer: String = cx.interrupt(&"go on?").await?;
    Ok(Trail::update().log(format!("{}={answer}{paid}", cx.node())))
}

/// `w` pays and asks beside `s`, which finishes, and before `z`.
pub(crate) fn waiting_beside() -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = Builder::new("u").node("w", pays_and_asks).node("s", say).node("a", say).node("z", say);
    let graph = wired(graph, &["START w", "START s", "s a", "a END", "w z", "z END"]);
    (graph.compile_with(calls.clone()).unwrap(), calls)
}

/// An update from outside keeps the question that waits, and what its task has done.
pub(crate) async fn keeps_a_question_through_an_update(durability: Durability, open: Open<'_>) {
    let (graph, calls) = waiting_beside();
    let t = thread("t");
    graph.clone().with_store(open()).run(empty()).thread(t.clone()).durability(durability).await.unwrap();
    let disk = graph.clone().with_store(open());
    let updated = disk.update(&t, Trail::update().log("outside"), None).await.unwrap();
    drop(disk);
    let graph = graph.with_store(open());
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.checkpoint, seen.next.join(" ")), (updated, "a w".into()));
    assert_eq!((seen.questions.len(), seen.questions[0].node.as_str()), (1, "w"));
    let listed = graph.history(&t, &HistoryQuery::default()).await.unwrap();
    assert_eq!(stategraph_core::open_questions(&listed[0].tasks), [seen.questions[0].id]);
    let end = graph.resume(&t).durability(durability).answer(seen.questions[0].id, &"y").await.unwrap();
    assert_eq!((end.state.log().join(" "), calls.of("w")), ("s outside a w=y0 z".into(), 1));
}

async fn pays_and_asks_at_the_bottom(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let paid = cx.once("pay", async { Ok::<_, std::io::Error>(cx.services().count("paid")) }).await?;
    let answer: String = cx.interrupt("deep?").await?;
    Ok(Trail::update().log(format!("{answer}{paid}")))
}

fn innermost() -> StateGraph<Trail, Calls> {
    StateGraph::new("g0").node("asks", pays_and_asks_at_the_bottom).edge(START, "asks").edge("asks", END)
}

/// A graph with so many graphs inside each other. Between two there is a node, so that each has a checkpoint of its own.
pub(crate) fn nested(levels: usize, calls: &Calls) -> StateGraph<Trail, Calls> {
    (1..=levels).fold(innermost(), |inner, level| {
        let inner = inner.compile_with(calls.clone()).unwrap();
        let before = async |_: &Trail| Trail::update().turns(1);
        let graph = StateGraph::new(format!("g{level}")).node("before", before).node("in", inner);
        graph.edge(START, "before").edge("before", "in").edge("in", END)
    })
}

fn depth(inner: &[InnerSnapshot]) -> usize {
    inner.first().map_or(0, |inside| 1 + depth(&inside.inner))
}

/// The deepest graphs wait, are looked at and resumed, each time with the store opened again.
pub(crate) async fn asks_at_the_bottom(durability: Durability, open: Open<'_>) {
    let calls = Calls::default();
    let graph = nested(NESTING_MAX, &calls).compile_with(calls.clone()).unwrap();
    let (on_store, t) = (|graph: &CompiledGraph<Trail, Calls>| graph.clone().with_store(open()), thread("t"));
    let waiting = on_store(&graph).run(empty()).thread(t.clone()).durability(durability).await.unwrap();
    assert!(matches!(waiting.status, Status::Waiting(_)));
    let seen = on_store(&graph).state(&t, None).await.unwrap();
    assert_eq!((depth(&seen.inner), seen.questions.len()), (NESTING_MAX, 1));
    let answered = on_store(&graph).resume(&t).durability(durability).answer(seen.questions[0].id, &"yes");
    assert_eq!((answered.await.unwrap().state.log(), calls.of("paid")), (vec!["yes0"], 1));
}

async fn takes_any(_: &Trail, cx: &Cx) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().log(cx.item::<serde_json::Value>()?.to_string()))
}

/// Items that are `null` are items still when the store is opened again before and while their tasks run.
pub(crate) async fn sends_nothing(durability: Durability, open: Open<'_>) {
    let items = |_: &Trail| [serde_json::Value::Null, 7.into(), serde_json::Value::Null];
    let graph = Builder::<()>::new("nothing").node("n", takes_any).fan_out(START, items, "n").edge("n", END);
    let (graph, t) = (graph.compile().unwrap(), thread("t"));
    let limited = graph.clone().with_store(open()).run(empty()).thread(t.clone()).durability(durability);
    limited.step_limit(0).await.unwrap_err();
    let end = graph.with_store(open()).resume(&t).durability(durability).await.unwrap();
    assert_eq!(end.state.log(), ["null", "7", "null"]);
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Price {
    #[state(append)]
    pub(crate) marks: Vec<String>,
    pub(crate) cents: u64,
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OldPrice {
    #[state(append)]
    pub(crate) marks: Vec<String>,
    pub(crate) euros: u64,
}

pub(crate) fn in_cents(old: OldPrice) -> Price {
    Price { marks: old.marks, cents: old.euros * 100 }
}

/// A prune gives the branch a root in the version that wrote it.
pub(crate) async fn prunes_within_the_older_version(store: Arc<dyn CheckpointStore>) {
    let t = thread("t");
    let turn = |price: &OldPrice| price.euros < 5;
    let old = StateGraph::<OldPrice>::new("price")
        .node("a", async |price: &OldPrice| OldPrice::update().euros(price.euros + 1))
        .edge(START, "a")
        .branch("a", turn, [(true, "a"), (false, END)]);
    old.compile()
        .unwrap()
        .with_store(store.clone())
        .run(OldPrice::default())
        .thread(t.clone())
        .await
        .unwrap();
    let new = StateGraph::<Price>::new("price")
        .node("a", async |price: &Price| Price::update().cents(price.cents + 1))
        .edge(START, "a")
        .branch("a", |price: &Price| price.cents < 502, [(true, "a"), (false, END)])
        .migrate(in_cents);
    let new = new.compile().unwrap().with_store(store);
    assert_eq!(new.prune(&t, Retention::keep_last(2)).await.unwrap().checkpoints, 4);
    let history = new.history(&t, &HistoryQuery::default()).await.unwrap();
    let root = &history.last().unwrap().checkpoint;
    assert_eq!((root.schema, root.snapshot_schema()), (OldPrice::fingerprint(), OldPrice::fingerprint()));
    assert_eq!(new.state(&t, None).await.unwrap().state.cents, 500);
    assert_eq!(new.continue_with(&t, Price::update().marks("more")).await.unwrap().state.cents, 502);
    assert_eq!(new.state(&t, None).await.unwrap().state.cents, 502);
}

/// The store's error inside the error of a run, however deep in sub-graphs it happened.
fn cause(error: &RunError) -> Option<&StoreError> {
    match error {
        RunError::Store(error) => Some(error),
        RunError::Node { source, .. } => {
            source.downcast_ref().or_else(|| cause(source.downcast_ref::<RunError>()?))
        }
        _ => None,
    }
}

#[track_caller]
fn says_what_to_do(error: &RunError, wanted: ErrorKind) {
    let Some(StoreError::Io { source, .. }) = cause(error) else { panic!("{error:?}") };
    assert_eq!(source.kind(), wanted);
    let hint = error.hint().unwrap_or_default();
    let expected = if wanted == ErrorKind::StorageFull { "free some space" } else { "check the folder" };
    assert!(hint.contains(expected), "{error}: {hint}");
}

/// Whether all that was acknowledged is in the log, byte for byte.
async fn keeps_its_word<S: CheckpointStore + Clone>(faulty: &Faulty<S>, thread: &ThreadId) {
    let history = faulty.inner.history(thread, &HistoryQuery::default()).await.unwrap();
    let records = history.iter().flat_map(|entry| {
        let tasks = entry.tasks.iter().cloned().map(Record::Task);
        std::iter::once(Record::Checkpoint(entry.checkpoint.clone())).chain(tasks)
    });
    let there: BTreeSet<String> = records.map(|record| serde_json::to_string(&record).unwrap()).collect();
    let acknowledged = faulty.seen.acknowledged.lock().unwrap();
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// Runs to the end with one failure, or one after which nothing works any more; whether there were calls enough for it.
pub(crate) async fn survives<S: CheckpointStore + Clone>(
    inner: S,
    durability: Durability,
    fault: Fault,
    expected: &Tale,
) -> bool {
    let Fault::Io { kind, .. } = fault else { panic!("{fault:?}") };
    let (t, lines) = (thread("t"), Arc::new(Mutex::default()));
    let notes = Notes::kept(&lines);
    let faulty = Faulty::over(inner.clone(), fault);
    let mut graph = tale(&notes).with_store(faulty.shared());
    let mut failures = 0;
    let end = loop {
        match turn(&graph, &t, durability).await {
            Ok(Some(end)) => break end,
            Ok(None) => {}
            Err(error) => {
                failures += 1;
                says_what_to_do(&error, kind);
                keeps_its_word(&faulty, &t).await;
                graph = tale(&notes).with_store(Arc::new(inner.clone()));
            }
        }
    };
    assert_eq!(end, *expected);
    // Nobody is told of a failure that did not happen, and everybody of one that did.
    assert_eq!(failures, usize::from(faulty.seen.broke(fault)));
    let reader = tale(&notes).with_store(Arc::new(inner));
    assert_eq!(replayed(&reader, &t).await.last().unwrap().1, end);
    if durability != Durability::Exit {
        check_effects(lines.lock().unwrap().iter().map(String::as_str));
    }
    failures > 0
}
