//! Threads looked at and continued from outside: state, history, fork, resume, prune. ENG-6, parity F44-F46, F49, D15,
//! clauses 19, 31-33, 35.

use stategraph_core::{
    CheckpointId, HistoryQuery, Retention, RunError, Seq, Source, State, Status, StoreError,
};

use super::kit::{
    Builder, Calls, Graph, Trail, ask, empty, fail_once, memory, replayed, say, saying, thread, wired,
};

fn line() -> Graph {
    saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"]).compile().unwrap().with_store(memory())
}

fn at(seq: u64) -> CheckpointId {
    CheckpointId { thread: thread("t"), seq: Seq(seq) }
}

async fn sources(graph: &Graph) -> Vec<(u64, Option<u64>, Source)> {
    let all = graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
    let shown = |e: &stategraph_core::HistoryEntry| {
        (e.checkpoint.seq.0, e.checkpoint.parent.map(|p| p.0), e.checkpoint.source)
    };
    all.iter().rev().map(shown).collect()
}

// F45, clause 19: by id a checkpoint is shown as it was before its tasks ran
#[tokio::test]
async fn the_newest_checkpoint_shows_finished_siblings_and_an_older_look_does_not() {
    let builder = Builder::<Calls>::new("s").node("a", say).node("b", fail_once);
    let graph = wired(builder, &["START a", "START b", "a END", "b END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    graph.run(empty()).thread(thread("t")).await.unwrap_err();
    let live = graph.state(&thread("t"), None).await.unwrap();
    assert_eq!((live.state.log(), live.next, live.errors.len()), (vec!["a"], vec!["b".to_owned()], 1));
    let then = graph.state(&thread("t"), Some(Seq(1))).await.unwrap();
    assert_eq!((then.state.log.len(), then.next.join(" "), then.errors.len()), (0, "a b".into(), 0));
    assert_eq!((then.step, then.source, then.parent), (0, Source::Input, None));
}

// F44, clause 31
#[tokio::test]
async fn a_second_run_on_a_thread_goes_on_from_its_state() {
    let graph = line();
    graph.run(empty()).thread(thread("t")).await.unwrap();
    let end = graph.continue_with(&thread("t"), Trail::update().log("again")).await.unwrap();
    assert_eq!(end.state.log(), ["a", "b", "c", "again", "a", "b", "c"]);
    assert_eq!((end.steps, sources(&graph).await[4]), (3, (5, Some(4), Source::Input)));
    let over = graph.run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!(over.state.log(), ["a", "b", "c"]);
    assert_eq!(sources(&graph).await.len(), 12);
}

// Clauses 32 and 33, F49
#[tokio::test]
async fn a_fork_runs_only_what_follows_and_leaves_the_old_branch_readable() {
    let graph = line();
    let first = graph.run(empty()).thread(thread("t")).await.unwrap();
    let end = graph.resume_at(&at(2)).await.unwrap();
    assert_eq!((end.state.log(), end.steps), (vec!["a", "b", "c"], 3));
    assert_eq!(
        sources(&graph).await[3..],
        [
            (4, Some(3), Source::Loop),
            (5, Some(2), Source::Fork),
            (6, Some(5), Source::Loop),
            (7, Some(6), Source::Loop)
        ]
    );
    assert_eq!(graph.state(&thread("t"), Some(Seq(4))).await.unwrap().state, first.state);
    let nothing = graph.resume(&thread("t")).await.unwrap();
    assert!(matches!(nothing.status, Status::Done));
    assert_eq!(sources(&graph).await.len(), 7);
    assert_eq!(graph.resume_at(&at(7)).await.unwrap().state, end.state);
    assert_eq!(sources(&graph).await.len(), 7);
}

// F12, P2, clause 35
#[tokio::test]
async fn several_forks_of_one_checkpoint_are_independent() {
    let graph = line();
    graph.run(empty()).thread(thread("t")).await.unwrap();
    for (fork, word) in [(5, "one"), (9, "two"), (13, "three")] {
        assert_eq!(graph.fork(&at(2)).await.unwrap(), at(fork));
        graph.update(&thread("t"), Trail::update().log(word), None).await.unwrap();
        let end = graph.resume(&thread("t")).await.unwrap();
        assert_eq!(end.state.log(), ["a", word, "b", "c"]);
    }
    let states = replayed(&graph, &thread("t")).await;
    assert_eq!(states[3].1.log(), ["a", "b", "c"]);
    assert_eq!(states[7].1.log(), ["a", "one", "b", "c"]);
    assert_eq!(states[11].1.log(), ["a", "two", "b", "c"]);
}

// F49: also of the newest checkpoint, so that what was answered there can be answered otherwise
#[tokio::test]
async fn a_fork_of_the_newest_checkpoint_is_a_new_one_that_drops_its_answers() {
    let graph = line();
    graph.run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!(graph.fork(&at(4)).await.unwrap(), at(5));
    assert_eq!(sources(&graph).await[4], (5, Some(4), Source::Fork));
    let two = Builder::<Calls>::new("two").node("a", ask).node("b", ask);
    let two = wired(two, &["START a", "START b", "a END", "b END"]);
    let two = two.compile_with(Calls::default()).unwrap().with_store(memory());
    let waiting = two.run(empty()).thread(thread("t")).await.unwrap();
    let half = two.resume(&thread("t")).answer(waiting.status.questions()[0].id, &"old").await.unwrap();
    assert_eq!((half.status.questions().len(), half.checkpoint), (1, Some(at(1))));
    assert_eq!(two.fork(&at(1)).await.unwrap(), at(2));
    let mut request = two.resume(&thread("t"));
    let again = two.resume(&thread("t")).await.unwrap();
    let ids: Vec<String> = again.status.questions().iter().map(|question| question.id.to_string()).collect();
    assert_eq!(ids, ["2.0.0", "2.1.0"]);
    for question in again.status.questions() {
        request = request.answer(question.id, &"new");
    }
    assert_eq!(request.await.unwrap().state.log(), ["a=new", "b=new"]);
}

// F44: one call for both
#[tokio::test]
async fn an_invocation_starts_a_thread_or_continues_it() {
    let graph = line();
    for expected in [&["in", "a", "b", "c"][..], &["in", "a", "b", "c", "in", "a", "b", "c"]] {
        let end = graph.invoke(&thread("t"), Trail::update().log("in")).await.unwrap();
        assert_eq!(end.state.log(), expected);
    }
    assert_eq!(sources(&graph).await[4], (5, Some(4), Source::Input));
    let storeless = saying(&["a"], &["START a", "a END"]).compile().unwrap();
    let error = storeless.invoke(&thread("t"), Trail::update()).await.unwrap_err();
    assert!(matches!(error, RunError::NoStore { .. }), "{error}");
}

#[tokio::test]
async fn what_does_not_exist_is_an_error_that_says_where_to_look() {
    let graph = line();
    let missing = graph.resume(&thread("nobody")).await.unwrap_err();
    assert_eq!(missing.to_string(), "there is no thread `nobody` in memory");
    graph.run(empty()).thread(thread("t")).await.unwrap();
    for error in [
        graph.resume_at(&at(9)).await.unwrap_err(),
        graph.fork(&at(9)).await.unwrap_err(),
        graph.state(&thread("t"), Some(Seq(9))).await.unwrap_err(),
    ] {
        assert!(matches!(error, RunError::Store(StoreError::NoCheckpoint { .. })), "{error}");
        assert_eq!(error.hint().unwrap(), "`graph history t` lists its checkpoints");
    }
    // Nothing of a failed request stays: no claim, no thread.
    assert!(graph.resume(&thread("t")).await.is_ok());
    assert!(matches!(graph.state(&thread("nobody"), None).await, Err(RunError::Store(_))));
}

#[tokio::test]
async fn without_a_store_there_are_no_threads() {
    let graph = saying(&["a"], &["START a", "a END"]).compile().unwrap();
    let errors = [
        graph.resume(&thread("t")).await.unwrap_err(),
        graph.continue_with(&thread("t"), Trail::update()).await.unwrap_err(),
        graph.state(&thread("t"), None).await.unwrap_err(),
        graph.update(&thread("t"), Trail::update(), None).await.unwrap_err(),
        graph.fork(&at(1)).await.unwrap_err(),
        graph.prune(&thread("t"), Retention::keep_last(1)).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "the graph `saying` has no checkpoint store");
    }
}

// D15
#[tokio::test]
async fn a_pruned_thread_keeps_its_newest_states_and_goes_on() {
    let graph = line();
    graph.run(empty()).thread(thread("t")).step_limit(2).await.unwrap_err();
    let pruned = graph.prune(&thread("t"), Retention::keep_last(2)).await.unwrap();
    assert_eq!(pruned.checkpoints, 1);
    let states = replayed(&graph, &thread("t")).await;
    assert_eq!(
        states.iter().map(|(seq, state)| (*seq, state.log.len())).collect::<Vec<_>>(),
        [(2, 1), (3, 2)]
    );
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_resume_of_a_finished_thread_runs_nothing() {
    let graph = line();
    let end = graph.run(empty()).thread(thread("t")).await.unwrap();
    let again = graph.resume(&thread("t")).await.unwrap();
    assert_eq!((again.state, again.checkpoint, again.steps), (end.state, end.checkpoint, 3));
}

#[tokio::test]
async fn a_thread_of_another_graph_is_not_touched() {
    let store = memory();
    let named = |name: &str| {
        let graph = Builder::new(name).node("a", super::kit::says("a"));
        wired(graph, &["START a", "a END"]).compile().unwrap().with_store(store.clone())
    };
    let (mine, theirs) = (named("mine"), named("theirs"));
    let t = thread("t");
    mine.run(empty()).thread(t.clone()).await.unwrap();
    let errors = [
        theirs.resume(&t).await.unwrap_err(),
        theirs.run(empty()).thread(t.clone()).await.unwrap_err(),
        theirs.continue_with(&t, Trail::update()).await.unwrap_err(),
        theirs.state(&t, None).await.unwrap_err(),
        theirs.update(&t, Trail::update(), None).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "thread `t` belongs to the graph `mine`, not `theirs`");
        assert_eq!(error.hint().unwrap(), "continue it with the graph `mine`");
    }
    assert_eq!(mine.history(&t, &HistoryQuery::default()).await.unwrap().len(), 2);
}

// The error for a checkpoint of a thread that does not exist names the thread.
#[tokio::test]
async fn a_checkpoint_of_an_unknown_thread_is_an_unknown_thread() {
    let graph = saying(&["a"], &["START a", "a END"]).compile().unwrap().with_store(memory());
    let error = graph.resume_at(&"nobody@3".parse().unwrap()).await.unwrap_err();
    assert!(
        matches!(&error, RunError::Store(StoreError::NoThread { thread, .. }) if thread == "nobody"),
        "{error}"
    );
    graph.run(empty()).thread(thread("t")).await.unwrap();
    let error = graph.resume_at(&"t@9".parse().unwrap()).await.unwrap_err();
    assert!(matches!(&error, RunError::Store(StoreError::NoCheckpoint { .. })), "{error}");
}
