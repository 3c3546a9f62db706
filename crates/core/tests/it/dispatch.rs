//! Fan-out: tasks with items of their own, sent by nodes and made by edges. Parity F21, F34, D1, D2, clauses 12, 15, 48, section 4.

use std::sync::{Arc, Barrier};

use serde::{Deserialize, Serialize};
use stategraph_core::{
    Command, Cx, DefectKind, Dispatch, Durability, END, NodeError, NodeResult, PlannedTask, RunError, START,
    State, WrongItem,
};

use super::any_store::{ALL, sends_nothing};
use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, asked, empty, memory, says, thread, wired};

#[derive(Clone, Serialize, Deserialize)]
struct Chapter {
    title: String,
    pages: i64,
}

fn chapter(title: &str, pages: i64) -> Chapter {
    Chapter { title: title.into(), pages }
}

async fn read(_: &Trail, cx: &Cx) -> NodeResult<TrailUpdate> {
    let chapter: &Chapter = cx.item()?;
    Ok(Trail::update().log(&chapter.title).sum(chapter.pages))
}

fn reader() -> Builder {
    Builder::new("read").node("read", read).takes::<Chapter>("read").edge("read", END)
}

async fn sends(_: &Trail) -> Command<Trail> {
    [3, 1, 2].into_iter().fold(Command::update(Trail::update().log("sends")), |command, pages| {
        command.dispatch("read", chapter(&pages.to_string(), pages))
    })
}

// F21 (LangGraph: `[Send 3,1,2] -> [3,1,2,'j3']`)
#[tokio::test]
async fn what_is_dispatched_is_folded_in_the_order_of_dispatch() {
    let graph = Builder::new("read").node("read", read).node("sends", sends).node("after", says("after"));
    let graph = graph.takes::<Chapter>("read").dispatches("sends", ["read"]);
    let graph = wired(graph, &["START sends", "read after", "after END"]).compile().unwrap();
    let end = graph.run(empty()).await.unwrap();
    assert_eq!((end.state.log(), end.state.sum), (vec!["sends", "3", "1", "2", "after"], 6));
    assert_eq!(end.steps, 3);
}

async fn sends_and_goes(_: &Trail) -> Command<Trail> {
    Command::none().dispatch("read", chapter("item", 1)).goto("z").goto("a")
}

// F19: pulled nodes by name, then what was dispatched
#[tokio::test]
async fn nodes_come_before_items_whatever_their_names() {
    let graph = reader().node("go", sends_and_goes).node("a", says("a")).node("z", says("z"));
    let graph = wired(graph, &["START go", "a END", "z END"]);
    let graph = graph.goto("go", ["a", "z"]).dispatches("go", ["read"]).compile().unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["a", "z", "item"]);
}

// F21: in a log, too, `null` is an item and not the lack of one
#[tokio::test]
async fn an_item_that_is_null_is_read_from_a_log_as_an_item() {
    for durability in ALL {
        let store = memory();
        sends_nothing(durability, &|| store.clone()).await;
    }
    let tasks = [r#"{"node":"n","item":null}"#, r#"{"node":"n","item":7}"#, r#"{"node":"n"}"#];
    for (task, expected) in tasks.into_iter().zip([Some("null"), Some("7"), None]) {
        let read: PlannedTask = serde_json::from_str(task).unwrap();
        assert_eq!(read.item.as_ref().map(|item| item.get()), expected);
        assert_eq!(serde_json::to_string(&read).unwrap(), task);
    }
}

fn fanned(chapters: &'static [(&'static str, i64)]) -> Builder {
    let items = move |_: &Trail| chapters.iter().map(|(title, pages)| chapter(title, *pages));
    let graph = Builder::new("fan").node("read", read).node("join", says("join"));
    wired(graph, &["read join", "join END"]).fan_out_or(START, items, "read", "join")
}

// F21: map-reduce by an edge
#[tokio::test]
async fn an_edge_makes_a_task_of_every_item_and_what_follows_runs_once() {
    let graph = fanned(&[("one", 1), ("two", 2), ("three", 3)]).compile().unwrap();
    let end = graph.run(empty()).await.unwrap();
    assert_eq!((end.state.log(), end.state.sum), (vec!["one", "two", "three", "join"], 6));
}

#[tokio::test]
async fn a_fan_out_over_nothing_goes_where_it_was_told_or_ends() {
    assert_eq!(fanned(&[]).compile().unwrap().run(empty()).await.unwrap().state.log(), ["join"]);
    let ends = reader().fan_out(START, |_: &Trail| Vec::<Chapter>::new(), "read").compile().unwrap();
    let end = ends.run(empty()).await.unwrap();
    assert_eq!((end.state.log.len(), end.steps), (0, 0));
}

async fn splits(_: &Trail, cx: &Cx) -> NodeResult<Command<Trail>> {
    let depth: &u32 = cx.item()?;
    let said = Command::update(Trail::update().log(format!("split {depth}")));
    Ok(if *depth == 0 { said } else { said.dispatch("splits", depth - 1).dispatch("splits", depth - 1) })
}

// Clause 12 (`test_send_sequences`)
#[tokio::test]
async fn a_dispatched_task_may_dispatch_and_that_runs_one_step_later() {
    let graph = Builder::new("deep").node("splits", splits).dispatches("splits", ["splits"]);
    let graph = graph.fan_out(START, |_: &Trail| [2_u32], "splits").goto("splits", [END]).compile().unwrap();
    let end = graph.run(empty()).await.unwrap();
    let expected = ["split 2", "split 1", "split 1", "split 0", "split 0", "split 0", "split 0"];
    assert_eq!((end.state.log(), end.steps), (expected.to_vec(), 3));
}

async fn strays(_: &Trail) -> Command<Trail> {
    Command::none().dispatch("raed", chapter("x", 1))
}

async fn mistakes(_: &Trail) -> Command<Trail> {
    Command::none().dispatch("read", 7_u32)
}

// D1, clause 15 (LangGraph: a warning, and the work is dropped)
#[tokio::test]
async fn an_item_for_an_undeclared_node_or_of_another_type_is_an_error_that_says_so() {
    let built = |graph: Builder| graph.edge(START, "go").dispatches("go", ["read"]).compile().unwrap();
    let error = built(reader().node("go", strays)).run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "it dispatched to `raed`, which is not among its declared targets: read");
    assert_eq!(error.hint().unwrap(), "did you mean `read`? Else declare `raed` as a dispatch target");
    let error = built(reader().node("go", mistakes)).run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.starts_with("it dispatched an item of type `u32` to `read`, which takes `"), "{cause}");
    assert!(matches!(error, RunError::Node { attempts: 1, .. }));
}

fn defects(graph: &Builder) -> Vec<String> {
    graph.defects().into_iter().map(|defect| defect.kind.to_string()).collect()
}

// D1, D2
#[test]
fn what_cannot_be_dispatched_does_not_compile() {
    let go = || Builder::new("d").node("go", says("go")).node("read", says("read"));
    let declared = |graph: Builder| wired(graph, &["START go", "read END"]).dispatches("go", ["read"]);
    assert_eq!(defects(&declared(go())), ["`read` is sent items and takes none"]);
    assert!(defects(&declared(go()).takes::<u32>("read")).is_empty());
    assert_eq!(
        defects(&declared(go()).takes::<u32>("read").dispatches("go", ["raed"])),
        ["there is no node `raed`"]
    );
    assert_eq!(
        defects(&declared(go()).takes::<u32>("read").edge("go", "read")),
        [
            "`go` dispatches by itself and has an edge as well",
            "`read` takes items, and nothing is dispatched to it here"
        ]
    );
    assert_eq!(
        defects(&declared(go()).takes::<u32>("read").takes::<String>("read")),
        ["`read` takes items of two types, `u32` and `alloc::string::String`"]
    );
    let nowhere =
        Builder::<()>::new("d").node("a", says("a")).edge(START, "a").fan_out("a", |_: &Trail| [1], END);
    assert!(
        nowhere
            .defects()
            .iter()
            .any(|defect| matches!(&defect.kind, DefectKind::UnknownNode { name, .. } if name == END))
    );
}

async fn reads_a_number(_: &Trail, cx: &Cx) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().sum(*cx.item::<i64>()?))
}

#[tokio::test]
async fn a_task_without_an_item_or_with_another_says_what_it_is_not() {
    let pulled = Builder::new("p").node("n", reads_a_number);
    let pulled = wired(pulled, &["START n", "n END"]).compile().unwrap();
    let error = pulled.run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "the task's item is no `i64`: the task was not dispatched");
    let other = Builder::new("p").node("n", reads_a_number).edge("n", END);
    let other = other.fan_out(START, |_: &Trail| ["text".to_owned()], "n").compile().unwrap();
    let error = other.run(empty()).await.unwrap_err();
    let RunError::Node { source, .. } = error else { panic!("{error}") };
    assert!(source.downcast_ref::<WrongItem>().unwrap().reason.starts_with("invalid type: string"));
}

/// Fails for one item and asks for another, each the first time.
async fn mixed(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let title = cx.item::<Chapter>()?.title.clone();
    let before = cx.services().count(&title);
    match title.as_str() {
        "fails" if before == 0 => Err(NodeError::msg("not yet")),
        "asks" => {
            let answer: String = cx.interrupt(&title).await?;
            Ok(Trail::update().log(format!("{title}={answer}")))
        }
        _ => Ok(Trail::update().log(title)),
    }
}

fn mixture(durability: Durability) -> (Graph<Calls>, Calls, Durability) {
    let calls = Calls::default();
    let items = |_: &Trail| ["one", "asks", "fails", "two"].map(|title| chapter(title, 1));
    let graph = Builder::new("mixed").node("read", mixed).edge("read", END).fan_out(START, items, "read");
    (graph.compile_with(calls.clone()).unwrap().with_store(memory()), calls, durability)
}

// F34, clause 48 (`test_send_dedupe_on_resume`): the item comes back from the checkpoint, what finished is not run again
#[tokio::test]
async fn of_many_items_only_the_failed_and_the_waiting_are_run_again() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let (graph, calls, durability) = mixture(durability);
        let t = thread("t");
        let run = graph.run(empty()).thread(t.clone()).durability(durability).max_concurrency(1);
        let error = run.await.unwrap_err().to_string();
        assert!(error.starts_with("node `read` (item 2: ") && error.ends_with("failed in step 1"), "{error}");
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!((seen.state.log(), seen.next.len()), (vec!["one"], 3));
        let waiting = graph.resume(&t).durability(durability).await.unwrap();
        let question = asked(&waiting);
        assert_eq!(question.len(), 1);
        assert_eq!(graph.state(&t, None).await.unwrap().state.log(), ["one", "fails", "two"]);
        let answered = graph.resume(&t).durability(durability).answer(question[0].0.parse().unwrap(), &"yes");
        assert_eq!(
            answered.await.unwrap().state.log(),
            ["one", "asks=yes", "fails", "two"],
            "{durability:?}"
        );
        let runs = ["one", "asks", "fails", "two"].map(|title| calls.of(title));
        assert_eq!(runs, [1, 2, 2, 1]);
    }
}

async fn sends_beside(_: &Trail, cx: &Cx<Calls>) -> Command<Trail> {
    cx.services().count("sends");
    Command::update(Trail::update().log("sends"))
        .dispatch_all([Dispatch::new("read", chapter("p", 1)), Dispatch::new("read", chapter("q", 2))])
}

// D16: what a finished task dispatched is kept while its sibling waits
#[tokio::test]
async fn items_sent_beside_a_question_are_kept_until_it_is_answered() {
    let calls = Calls::default();
    let graph =
        Builder::new("beside").node("sends", sends_beside).node("asks", super::kit::ask).node("read", mixed);
    let graph = wired(graph, &["START sends", "START asks", "asks END", "read END"]);
    let graph = graph.takes::<Chapter>("read").dispatches("sends", ["read"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(memory());
    let t = thread("t");
    let waiting = graph.run(empty()).thread(t.clone()).await.unwrap();
    let end = graph.resume(&t).answer(asked(&waiting)[0].0.parse().unwrap(), &"ok").await.unwrap();
    assert_eq!(end.state.log(), ["asks=ok", "sends", "p", "q"]);
    assert_eq!((calls.of("sends"), calls.of("p")), (1, 1));
    let waiting = graph.run(empty()).thread(thread("u")).await.unwrap();
    graph.update(&thread("u"), Trail::update().log("outside"), None).await.unwrap();
    let seen = graph.state(&thread("u"), None).await.unwrap();
    assert_eq!((seen.next.join(" "), asked(&waiting).len()), ("asks read read".into(), 1));
}

fn computes(
    both: Arc<Barrier>,
) -> impl Fn(stategraph_core::Frozen<Trail>) -> std::future::Ready<TrailUpdate> {
    move |_| {
        // Blocks its thread, as a computation does, until another thread is here as well.
        both.wait();
        std::future::ready(Trail::update().sum(1))
    }
}

// Section 4: CPU-bound tasks use both cores
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_that_compute_run_on_several_threads_at_once() {
    let both = Arc::new(Barrier::new(2));
    let graph = Builder::new("cpu").node("n", computes(both)).edge("n", END);
    let graph = graph.fan_out(START, |_: &Trail| 0..100, "n").compile().unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.sum, 100);
}

async fn naps(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let under_way = cx.services().count("started") - cx.services().of("ended");
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    cx.services().count("ended");
    Ok(Trail::update().sum(1).log(format!("{}", under_way.min(7))))
}

// F27
#[tokio::test(start_paused = true)]
async fn of_a_thousand_items_only_so_many_are_under_way_at_once() {
    let graph = Builder::<Calls>::new("nap").node("n", naps).edge("n", END);
    let graph = graph.fan_out(START, |_: &Trail| 0..1_000, "n").compile_with(Calls::default()).unwrap();
    let start = tokio::time::Instant::now();
    let end = graph.run(empty()).max_concurrency(8).await.unwrap().state;
    assert_eq!(end.sum, 1_000);
    assert!(end.log.iter().all(|under_way| under_way.parse::<u32>().unwrap() < 8));
    // Eight at a time, 10 ms each.
    assert_eq!(start.elapsed().as_millis() / 1250, 1);
}

// The run that is dropped leaves nothing running.
#[tokio::test(start_paused = true)]
async fn a_dropped_run_takes_its_waiting_tasks_with_it() {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("nap").node("n", naps).edge("n", END);
    let graph = graph.fan_out(START, |_: &Trail| 0..20, "n").compile_with(calls.clone()).unwrap();
    let run = tokio::time::timeout(std::time::Duration::from_millis(5), graph.run(empty()).into_future());
    assert!(run.await.is_err());
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!((calls.of("started"), calls.of("ended")), (20, 0));
}

// The edges of a node count once, even if several tasks ran it.
#[tokio::test]
async fn a_fan_out_after_a_node_that_ran_twice_sends_its_items_once() {
    let items = |_: &Trail| [chapter("one", 1), chapter("two", 2)].into_iter();
    let graph = Builder::new("fan").node("twice", says("twice")).node("go", goes_twice).node("read", read);
    let graph = wired(graph, &["START go", "read END"]).dispatches("go", ["twice"]);
    let graph = graph.takes::<Chapter>("twice").fan_out("twice", items, "read").compile().unwrap();
    let end = graph.run(empty()).await.unwrap();
    assert_eq!(end.state.log(), ["twice", "twice", "one", "two"]);
}

async fn goes_twice(_: &Trail) -> Command<Trail> {
    Command::none().dispatch("twice", chapter("x", 1)).dispatch("twice", chapter("y", 1))
}

async fn refuses_the_second(_: &Trail, cx: &Cx) -> NodeResult<TrailUpdate> {
    match cx.item::<Chapter>()?.pages {
        2 => Err(NodeError::msg("too dull")),
        pages => Ok(Trail::update().sum(pages)),
    }
}

// F21: which of many items failed
#[tokio::test]
async fn a_failed_task_names_its_item() {
    let title = "x".repeat(80);
    let items = move |_: &Trail| [chapter("one", 1), chapter(&title, 2), chapter("three", 3)];
    let graph = Builder::new("read").node("read", refuses_the_second).node("a", says("a"));
    let graph = wired(graph, &["START a", "read END", "a END"]).fan_out(START, items, "read");
    let error = graph.compile().unwrap().run(empty()).await.unwrap_err();
    let shown = format!("{{\"title\":\"{}…", "x".repeat(50));
    assert_eq!(error.to_string(), format!("node `read` (item 1: {shown}) failed in step 1"));
}
