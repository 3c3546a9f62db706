//! When checkpoints are durable, and what happens when the store fails or somebody else writes. Parity F43, D8, D11, P7, P9,
//! clauses 20, 29, 61.

use std::sync::atomic::Ordering;
use std::time::Duration;

use stategraph_core::store::MemoryStore;
use stategraph_core::{Durability, END, HistoryQuery, RunError, START, Source, State, Status, StoreError};

use super::any_store::{ALL, goes_on_from_where_the_store_has_it, loop_of};
use super::kit::{Builder, Calls, Graph, Trail, ask, asked, empty, memory, replayed, say, thread, wired};
use super::stores::{Fault, Faulty};

async fn rows(graph: &Graph, name: &str) -> usize {
    graph.history(&thread(name), &HistoryQuery::default()).await.unwrap().len()
}

// F43: LangGraph's rows for three nodes are 5, 5 and 1; ours are one a superstep and the input
#[tokio::test]
async fn sync_and_async_write_every_step_and_exit_only_the_last() {
    for (durability, expected) in [(ALL[0], 4), (ALL[1], 4), (ALL[2], 4), (ALL[3], 1)] {
        let store = Faulty::new(Fault::None);
        let graph = loop_of(3).with_store(store.shared());
        let end = graph.run(empty()).thread(thread("t")).durability(durability).await.unwrap();
        assert_eq!(rows(&graph, "t").await, expected);
        // P7: one write a commit
        assert_eq!(store.appends(), expected as u64);
        assert_eq!(graph.state(&thread("t"), None).await.unwrap().state, end.state);
        assert_eq!(end.steps, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn sync_waits_for_every_checkpoint_and_async_for_the_last() {
    let second = Duration::from_secs(1);
    for (durability, expected) in [(Durability::Sync, 11), (Durability::Async { max_lag: 100 }, 1)] {
        let graph = loop_of(10).with_store(Faulty::new(Fault::Slow(second)).shared());
        let start = tokio::time::Instant::now();
        graph.run(empty()).thread(thread("t")).durability(durability).await.unwrap();
        // The last is waited for whatever the durability: what a run says is saved, is.
        let expected = if expected == 1 { start.elapsed().as_secs().max(1) } else { expected };
        assert_eq!(start.elapsed().as_secs(), expected);
    }
}

// P12, D11: LangGraph's `async` has no bound [ran: lag 292 of 300]
#[tokio::test(start_paused = true)]
async fn async_is_never_further_behind_than_allowed() {
    for max_lag in [0, 1, 7, 64] {
        let store = Faulty::new(Fault::Slow(Duration::from_millis(10)));
        let graph = loop_of(150).with_store(store.shared());
        graph.run(empty()).durability(Durability::Async { max_lag }).await.unwrap();
        // The checkpoint that is being written counts besides those that wait.
        assert_eq!(store.seen.most_waiting.load(Ordering::SeqCst), max_lag + 1);
    }
}

// Clause 29
#[tokio::test]
async fn exit_saves_at_a_question_an_error_and_the_limit() {
    let builder = Builder::<Calls>::new("x").node("a", say).node("b", ask).node("c", super::kit::fail_once);
    let graph = wired(builder, &["START a", "a b", "b c", "c END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    let t = thread("t");
    let exit = Durability::Exit;
    graph.run(empty()).thread(t.clone()).durability(exit).step_limit(1).await.unwrap_err();
    assert_eq!(graph.state(&t, None).await.unwrap().state.log(), ["a"]);
    let waiting = graph.resume(&t).durability(exit).await.unwrap();
    let question = asked(&waiting)[0].0.clone();
    assert_eq!(graph.state(&t, None).await.unwrap().questions[0].id.to_string(), question);
    graph.resume(&t).durability(exit).answer(question.parse().unwrap(), &"y").await.unwrap_err();
    let failed = graph.state(&t, None).await.unwrap();
    assert_eq!((failed.state.log(), failed.errors[0].node.as_str()), (vec!["a", "b=y"], "c"));
    let end = graph.resume(&t).durability(exit).await.unwrap();
    assert_eq!(end.state.log(), ["a", "b=y", "c"]);
    let sources: Vec<_> = graph.history(&t, &HistoryQuery::default()).await.unwrap();
    assert_eq!(sources.len(), 3);
    assert!(sources.iter().all(|entry| entry.checkpoint.source == Source::Loop));
    assert_eq!(replayed(&graph, &t).await.last().unwrap().1, end.state);
}

#[tokio::test]
async fn exit_keeps_the_question_of_the_very_first_step() {
    let graph = wired(Builder::<Calls>::new("x").node("b", ask), &["START b", "b END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    let t = thread("t");
    let waiting = graph.run(empty()).thread(t.clone()).durability(Durability::Exit).await.unwrap();
    let end = graph.resume(&t).answer(asked(&waiting)[0].0.parse().unwrap(), &"y").await.unwrap();
    assert!(matches!(end.status, Status::Done));
}

// Clause 20: a store that fails at any call surfaces as the run's error, and a resume goes on from what it had acknowledged
#[tokio::test]
async fn a_store_that_fails_at_any_append_fails_the_run_and_loses_nothing() {
    for durability in ALL {
        let sound = Faulty::new(Fault::None);
        let wanted = loop_of(6).with_store(sound.shared()).run(empty()).durability(durability).await.unwrap();
        for append in 0..sound.appends() {
            for fault in [Fault::From(append), Fault::Only(append), Fault::Unacknowledged(append)] {
                let inner = MemoryStore::new();
                let broken = loop_of(6).with_store(Faulty::over(inner.clone(), fault).shared());
                let t = thread("t");
                let error = broken.run(empty()).thread(t.clone()).durability(durability).await.unwrap_err();
                assert!(matches!(error, RunError::Store(StoreError::Closed(_))), "{fault:?}: {error}");
                assert!(error.hint().is_some());
                let graph = loop_of(6).with_store(std::sync::Arc::new(inner));
                let end = match graph.resume(&t).await {
                    Err(RunError::Store(StoreError::NoThread { .. })) => {
                        graph.run(empty()).thread(t.clone()).await
                    }
                    resumed => resumed,
                };
                assert_eq!(end.unwrap().state, wanted.state, "{durability:?} {fault:?}");
                let states = replayed(&graph, &t).await;
                assert!(states.iter().all(|(_, state)| state.log.len() == state.turns as usize), "{fault:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_claimed_or_read_fails_the_run() {
    for fault in [Fault::Claim, Fault::Load] {
        let inner = MemoryStore::new();
        let t = thread("t");
        loop_of(2)
            .with_store(std::sync::Arc::new(inner.clone()))
            .run(empty())
            .thread(t.clone())
            .await
            .unwrap();
        let graph = loop_of(2).with_store(Faulty::over(inner, fault).shared());
        let error = graph.resume(&t).await.unwrap_err();
        assert!(matches!(error, RunError::Store(StoreError::Closed(_))), "{error}");
    }
}

// D8, P9, clause 61
#[tokio::test(start_paused = true)]
async fn of_two_runs_on_one_thread_the_second_is_told_that_it_is_busy() {
    let graph = loop_of(3).with_store(memory());
    let t = thread("t");
    let mut first = Box::pin(graph.run(empty()).thread(t.clone()).into_future());
    let store = Faulty::new(Fault::Slow(Duration::from_millis(1)));
    let slow = loop_of(3).with_store(store.shared());
    assert!(futures_util::poll!(&mut first).is_ready());
    let mut first = Box::pin(slow.run(empty()).thread(t.clone()).into_future());
    assert!(futures_util::poll!(&mut first).is_pending());
    let second = slow.run(empty()).thread(t.clone()).await.unwrap_err();
    assert!(matches!(second, RunError::Store(StoreError::Busy { .. })), "{second}");
    assert!(matches!(
        slow.update(&t, Trail::update(), None).await,
        Err(RunError::Store(StoreError::Busy { .. }))
    ));
    // Reading needs no claim.
    assert_eq!(slow.state(&t, None).await.unwrap().state.turns, 0);
    assert_eq!(first.await.unwrap().state.turns, 3);
}

// D8: where the lock is lost, the compare-and-swap still holds
#[tokio::test]
async fn of_two_writers_the_second_gets_a_conflict_and_nothing_is_lost() {
    let store = Faulty::new(Fault::NoLock);
    let graph = loop_of(5).with_store(store.shared());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    let racing = async |t: &Trail| {
        tokio::task::yield_now().await;
        Trail::update().turns(t.turns + 1).log("racing")
    };
    let racer = Builder::new("loop").node("a", racing).edge(START, "a");
    let racer = racer.branch("a", |t: &Trail| t.turns < 5, [(true, "a"), (false, END)]).compile().unwrap();
    let racer = racer.with_store(store.shared());
    let mut slower = Box::pin(racer.resume(&t).into_future());
    assert!(futures_util::poll!(&mut slower).is_pending());
    let winner = graph.resume(&t).await.unwrap();
    let error = slower.await.unwrap_err();
    assert!(matches!(error, RunError::Store(StoreError::Conflict { .. })), "{error}");
    assert_eq!(graph.state(&t, None).await.unwrap().state, winner.state);
    assert_eq!(winner.state.log(), ["0", "1", "2", "3", "4"]);
}

#[tokio::test(start_paused = true)]
async fn the_claim_ends_with_the_run_however_it_ends() {
    let store = Faulty::new(Fault::Slow(Duration::from_millis(1)));
    let sleepy = async |_: &Trail| {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Trail::update().sum(1)
    };
    let alone = wired(Builder::new("s").node("a", sleepy), &["START a", "a END"]);
    let at_once = Builder::new("s").node("a", sleepy).node("b", sleepy);
    let at_once = wired(at_once, &["START a", "START b", "a END", "b END"]);
    for (name, graph) in [("alone", alone), ("at-once", at_once)] {
        let graph = graph.compile().unwrap().with_store(store.shared());
        let t = thread(name);
        // Dropped half-way, also with tasks under way on the runtime.
        let run = tokio::time::timeout(
            Duration::from_millis(500),
            graph.run(empty()).thread(t.clone()).into_future(),
        );
        assert!(run.await.is_err());
        assert!(graph.resume(&t).await.is_ok(), "{name}");
        let stream = graph.run(empty()).thread(t.clone()).stream(stategraph_core::EventKinds::ALL);
        drop(stream.await.unwrap());
        assert!(graph.resume(&t).await.is_ok());
    }
}

#[tokio::test]
async fn a_run_goes_on_from_where_the_store_has_it() {
    let store = memory();
    goes_on_from_where_the_store_has_it(&|| store.clone()).await;
}
