//! What a thread's log holds: who left what, under which id, in how many bytes, of which types. Parity F12, F39, F41, F42, F51,
//! F52, P1, P6.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CheckpointStore, CompiledGraph, Cx, END, HistoryQuery, NodeError, NodePolicy, NodeResult, RetryPolicy,
    RunError, START, Seq, State, StateGraph, TaskEntry,
};

use super::kit::{
    Builder, Calls, Trail, TrailUpdate, ask, asked, empty, fail_once, memory, say, thread, wired,
};

/// Pays once, then asks.
async fn pays_and_asks(trail: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.once("paid", async { Ok::<_, NodeError>(7) }).await?;
    ask(trail, cx).await
}

/// The records that tasks of the superstep after this checkpoint left, in log order.
async fn left(store: &MemoryStore, seq: u64) -> Vec<String> {
    let history = store.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
    let entry = history.iter().find(|entry| entry.checkpoint.seq.0 == seq).unwrap();
    let shown = entry.tasks.iter().map(|record| {
        let what = match &record.entry {
            TaskEntry::Finished { update, .. } => format!("finished {}", update.as_ref().unwrap()),
            TaskEntry::Failed { error, attempts } => format!("failed {error} #{attempts}"),
            TaskEntry::Once { key, value, .. } => format!("once {key} {value}"),
            TaskEntry::Asked(asked) => format!("asked {} {}", asked.call, asked.question),
            TaskEntry::Answered { call, answer } => format!("answered {call} {answer}"),
            other => panic!("{other:?}"),
        };
        format!("{} {what}", record.task)
    });
    shown.collect()
}

// F41: LangGraph's pending writes with their special indexes
#[tokio::test]
async fn what_tasks_left_lies_under_the_checkpoint_that_planned_them() {
    let store = MemoryStore::new();
    let graph = Builder::new("mixed").node("done", say).node("fails", fail_once).node("waits", pays_and_asks);
    let edges = ["START done", "START fails", "START waits", "done END", "fails END", "waits END"];
    let graph =
        wired(graph, &edges).compile_with(Calls::default()).unwrap().with_store(Arc::new(store.clone()));
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap_err();
    let mut expected = vec![
        "1.0 finished {\"log\":{\"+\":\"done\"}}",
        "1.2 once paid 7",
        "1.1 failed not yet #1",
        "1.2 asked 0 \"waits?\"",
    ];
    assert_eq!(left(&store, 1).await, expected);
    let waiting = graph.resume(&t).await.unwrap();
    expected.push("1.1 finished {\"log\":{\"+\":\"fails\"}}");
    assert_eq!(left(&store, 1).await, expected);
    let question = asked(&waiting)[0].0.parse().unwrap();
    graph.resume(&t).answer(question, &"yes").await.unwrap();
    expected.extend(["1.2 answered 0 \"yes\"", "1.2 finished {\"log\":{\"+\":\"waits=yes\"}}"]);
    // The history keeps them where they were; nothing hangs on the checkpoint that they became.
    assert_eq!(left(&store, 1).await[..6], expected[..6]);
    assert_eq!(left(&store, 2).await, [""; 0]);
}

type Notes = Arc<Mutex<Vec<String>>>;

/// Fails twice, then asks.
async fn notes_its_id(_: &Trail, cx: &Cx<Notes>) -> NodeResult<TrailUpdate> {
    let runs = {
        let mut notes = cx.services().lock().unwrap();
        notes.push(format!("{} #{}", cx.task(), cx.attempt()));
        notes.len()
    };
    if runs < 3 {
        return Err(NodeError::msg("not yet"));
    }
    let word: String = cx.interrupt(&"word").await?;
    Ok(Trail::update().log(word))
}

// F42
#[tokio::test(start_paused = true)]
async fn a_task_has_one_id_in_all_its_attempts_and_resumes_and_another_after_a_fork() {
    let notes = Notes::default();
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let graph = Builder::<Notes>::new("ids").node("s", async |_: &Trail| {}).node("a", async |_: &Trail| {});
    let graph = graph.node_with("n", policy, notes_its_id);
    let graph = wired(graph, &["START s", "s a", "s n", "a END", "n END"]);
    let graph = graph.compile_with(notes.clone()).unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap_err();
    let waiting = graph.resume(&t).await.unwrap();
    assert_eq!(asked(&waiting)[0].0, "2.1.0");
    graph.resume(&t).answer("2.1.0".parse().unwrap(), &"w").await.unwrap();
    assert_eq!(*notes.lock().unwrap(), ["2.1 #1", "2.1 #2", "2.1 #1", "2.1 #1"]);
    // The fork is a new checkpoint, so its tasks are new tasks, with questions of their own.
    let forked = graph.resume_at(&"t@2".parse().unwrap()).await.unwrap();
    assert_eq!(asked(&forked)[0].0, "4.1.0");
    assert_eq!(notes.lock().unwrap().last().unwrap(), "4.1 #1");
}

/// What reads as a type's name in a log would be seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Suitcase {
    weight: u8,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
enum Colour {
    #[default]
    Red,
    Mixed(u8, u8),
}

#[derive(State, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Extremes {
    #[state(append)]
    wide: Vec<i128>,
    most: u64,
    least: i64,
    floats: Vec<f64>,
    pair: (char, Option<Suitcase>),
    colour: Colour,
    grid: BTreeMap<u64, String>,
    cells: BTreeMap<(u8, u8), u8>,
}

fn packing(update: ExtremesUpdate, store: &MemoryStore) -> CompiledGraph<Extremes> {
    let graph = StateGraph::<Extremes>::new("packing").node("pack", move |_: &Extremes| {
        let update = update.clone();
        async move { update }
    });
    let graph = graph
        .node("carry", async |_: &Extremes, cx: &Cx| {
            let carried = cx.once("carried", async { Ok::<_, NodeError>(Suitcase { weight: 9 }) }).await?;
            let heavier: u8 = cx.interrupt(&carried).await?;
            NodeResult::Ok(Extremes::update().pair(('é', Some(Suitcase { weight: heavier }))))
        })
        .edge(START, "pack")
        .edge("pack", "carry")
        .edge("carry", END);
    graph.compile().unwrap().with_store(Arc::new(store.clone()))
}

fn extremes() -> ExtremesUpdate {
    Extremes::update()
        .wide(i128::MIN)
        .wide(i128::MAX)
        .most(u64::MAX)
        .least(i64::MIN)
        .floats(vec![f64::MAX, f64::MIN_POSITIVE, -0.0, 0.1])
        .pair(('\u{10ffff}', None))
        .colour(Colour::Mixed(0, 255))
        .grid(BTreeMap::from([(u64::MAX, "\0\u{2028}\"".to_owned())]))
}

// F52 (LangGraph: an int of more than 64 bits is refused, a tuple comes back as a list)
#[tokio::test]
async fn the_largest_and_smallest_values_come_back_as_they_were() {
    let (store, t) = (MemoryStore::new(), thread("t"));
    let waiting = packing(extremes(), &store).run(Extremes::default()).thread(t.clone()).await.unwrap();
    let again = packing(Extremes::update(), &store);
    assert_eq!(again.state(&t, None).await.unwrap().state, waiting.state);
    let end = again.resume(&t).answer("2.0.0".parse().unwrap(), &10).await.unwrap().state;
    assert_eq!((end.wide.clone(), end.most, end.least), (vec![i128::MIN, i128::MAX], u64::MAX, i64::MIN));
    assert!(end.floats[2].is_sign_negative());
    assert_eq!(end, Extremes { pair: ('é', Some(Suitcase { weight: 10 })), ..waiting.state });
}

// F52, P6: data of declared types, which says nothing of code (CVE-2026-28277 is a class name in a checkpoint)
#[tokio::test]
async fn a_log_names_no_type() {
    let (store, t) = (MemoryStore::new(), thread("t"));
    let graph = packing(extremes(), &store);
    graph.run(Extremes::default()).thread(t.clone()).await.unwrap();
    graph.resume(&t).answer("2.0.0".parse().unwrap(), &10).await.unwrap();
    let history = store.history(&t, &HistoryQuery::default()).await.unwrap();
    let entries = history
        .iter()
        .map(|entry| serde_json::to_string(&(entry.checkpoint.as_ref(), &entry.tasks)).unwrap());
    let log: String = entries.collect();
    assert!(log.contains("carried") && log.contains("Mixed"), "{log}");
    for part in ["Extremes", "Suitcase", "Colour", "records", "i128", "Vec", "::"] {
        assert!(!log.contains(part), "`{part}` is in {log}");
    }
}

// F52, P6: known only after the node ran, and still before anything is committed
#[tokio::test]
async fn an_update_that_is_no_json_is_an_error_and_the_step_is_not_kept() {
    let (store, t) = (MemoryStore::new(), thread("t"));
    let graph = packing(Extremes::update().cells(BTreeMap::from([((1, 2), 3)])), &store);
    let error = graph.run(Extremes::default()).thread(t.clone()).await.unwrap_err();
    let RunError::Encoding { what, detail } = &error else { panic!("{error:?}") };
    let told = "`cells` cannot be written as JSON: key must be a string";
    assert_eq!((what.as_str(), detail.as_str()), ("the update of `pack`", told));
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!(
        (seen.checkpoint.seq.0, seen.next.join(" "), seen.state),
        (1, "pack".into(), Extremes::default())
    );
    let mended = packing(extremes(), &store).resume(&t).await.unwrap();
    assert_eq!(asked_of(&mended), "2.0.0");
}

fn asked_of(outcome: &stategraph_core::Outcome<Extremes>) -> String {
    outcome.status.questions()[0].id.to_string()
}

// P1, F57: every turn of a conversation is a new input; none of them writes the whole conversation again
#[tokio::test]
async fn a_thread_that_goes_on_with_many_inputs_grows_by_what_they_say() {
    let store = MemoryStore::new();
    let graph = wired(Builder::new("turns").node("says", say), &["START says", "says END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(Arc::new(store.clone()));
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    for turn in 0..100 {
        let said = format!("{turn:0>1000}");
        let input = Trail::update().log(said.clone()).seen(said.clone());
        let live = graph.continue_with(&t, input).await.unwrap().state;
        let stored = graph.state(&t, None).await.unwrap();
        assert_eq!((&live.log, live.seen.len(), live.log.len()), (&stored.state.log, 0, 2 * turn + 3));
        let before = graph.state(&t, Some(Seq(stored.checkpoint.seq.0 - 1))).await.unwrap().state;
        assert_eq!((before.seen, before.log.last()), (vec![said.clone()], Some(&said)));
    }
    let history = store.history(&t, &HistoryQuery::default()).await.unwrap();
    let whole = history.iter().filter_map(|entry| entry.checkpoint.snapshot.as_ref());
    let bytes: usize = whole.map(|state| state.get().len()).sum();
    assert!(bytes < 3 * 100 * 1_000, "{bytes} bytes of snapshots for 100 kB said");
}
