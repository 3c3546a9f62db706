//! What a run leaves in its thread: checkpoints, their parents and sources, snapshots at geometric distances. ENG-6, ENG-22,
//! parity F39, F40, F45, F46, D14, P1, clause 28.

use std::sync::Arc;

use stategraph_core::{Clock, CompiledGraph, END, HistoryEntry, HistoryQuery, START, Source, State};

use super::kit::{Builder, Graph, Trail, empty, memory, replayed, saying, thread};

async fn history<S: State>(graph: &CompiledGraph<S>, name: &str) -> Vec<HistoryEntry> {
    let mut all = graph.history(&thread(name), &HistoryQuery::default()).await.unwrap();
    all.reverse();
    all
}

// F39, clause 28, F40; what ports get wrong: "a checkpointer that `invoke` never calls", "a checkpoint written before the frontier moved"
#[tokio::test]
async fn a_run_of_two_nodes_leaves_three_checkpoints_in_a_chain() {
    let graph = saying(&["a", "b"], &["START a", "a b", "b END"]).compile().unwrap();
    let graph = graph.with_store(memory()).with_clock(Clock::fixed(77));
    let end = graph.run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!(end.checkpoint.unwrap().to_string(), "t@3");
    let shown: Vec<_> = history(&graph, "t")
        .await
        .iter()
        .map(|entry| {
            let c = &entry.checkpoint;
            let next: Vec<_> = c.next.iter().map(|task| task.node.to_string()).collect();
            let writes: Vec<_> = c.writes.iter().map(|w| format!("{} {}", w.node, w.update)).collect();
            assert_eq!((c.at_ms, c.name.as_ref(), c.graph), (77, "saying", graph.digest()));
            assert_eq!((c.schema, c.format), (Trail::fingerprint(), stategraph_core::FORMAT));
            (c.seq.0, c.parent.map(|p| p.0), c.step, c.source, next.join(" "), writes.join(" "))
        })
        .collect();
    assert_eq!(
        shown,
        [
            (1, None, 0, Source::Input, "a".into(), String::new()),
            (2, Some(1), 1, Source::Loop, "b".into(), r#"a {"log":{"+":"a"}}"#.into()),
            (3, Some(2), 2, Source::Loop, String::new(), r#"b {"log":{"+":"b"}}"#.into()),
        ]
    );
}

#[tokio::test]
async fn a_run_without_a_thread_gets_one_and_without_a_store_none() {
    let graph = saying(&["a"], &["START a", "a END"]).compile().unwrap();
    let without = graph.run(empty()).await.unwrap();
    assert!(without.thread.is_none() && without.checkpoint.is_none());
    let graph = graph.with_store(memory());
    let (one, two) = (graph.run(empty()).await.unwrap(), graph.run(empty()).await.unwrap());
    assert_ne!(one.thread, two.thread);
}

/// A loop of `turns` that appends 1 KiB in each.
fn growing(turns: usize) -> Graph {
    let graph = Builder::new("grow").node("a", async |_: &Trail| Trail::update().log("x".repeat(1024)));
    let again = move |t: &Trail| t.log.len() < turns;
    graph.edge(START, "a").branch("a", again, [(true, "a"), (false, END)]).compile().unwrap()
}

async fn grown(turns: usize) -> (Vec<u64>, usize) {
    let graph = growing(turns).with_store(memory());
    graph.run(empty()).thread(thread("t")).await.unwrap();
    let all = history(&graph, "t").await;
    let snapshots = all.iter().filter(|entry| entry.checkpoint.snapshot.is_some());
    let bytes = |entry: &HistoryEntry| {
        // 300 bytes stand for what a record of a journal costs besides its text.
        let writes: usize = entry.checkpoint.writes.iter().map(|w| w.update.get().len() + 300).sum();
        writes + entry.checkpoint.snapshot.as_ref().map_or(0, |s| s.get().len())
    };
    (snapshots.map(|entry| entry.checkpoint.seq.0).collect(), all.iter().map(bytes).sum())
}

// F51, D14, P1; issue 2: 2,000 messages of 1 KiB take at most 8 MB, and twice as much per doubling
#[tokio::test]
async fn snapshots_stand_at_geometric_distances_and_bytes_grow_linearly() {
    let (snapshots, bytes) = grown(2_000).await;
    let gaps: Vec<u64> = snapshots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(snapshots.len() < 16, "{snapshots:?}");
    assert!(gaps.windows(2).all(|pair| pair[1] >= pair[0]), "{gaps:?}");
    assert!(bytes < 7_000_000, "{bytes}");
    for messages in [1_000, 1_500] {
        let (once, twice) = (grown(messages).await.1, grown(2 * messages).await.1);
        assert!((19 * once..=21 * once).contains(&(10 * twice)), "{once} {twice}");
    }
}

// The engine reads at most about twice the state, wherever it starts to read
#[tokio::test]
async fn a_resumed_run_goes_on_counting_to_the_next_snapshot() {
    let graph = growing(500).with_store(memory());
    let t = thread("t");
    let _ = graph.run(empty()).thread(t.clone()).step_limit(1).await;
    for _ in 0..499 {
        let _ = graph.resume(&t).step_limit(1).await;
    }
    let all = history(&graph, "t").await;
    let snapshots = all.iter().filter(|entry| entry.checkpoint.snapshot.is_some()).count();
    assert_eq!((all.len(), snapshots), (501, grown(500).await.0.len()));
}

// F12: DESIGN: live state equals reloaded state
#[tokio::test]
async fn every_state_that_was_live_can_be_read_again() {
    let graph = Arc::new(growing(200).with_store(memory()));
    let end = graph.run(empty()).thread(thread("t")).await.unwrap();
    let states = replayed(&graph, &thread("t")).await;
    for (at, (seq, state)) in states.iter().enumerate() {
        assert_eq!((*seq, state.log.len()), (at as u64 + 1, at));
    }
    assert_eq!(states.last().unwrap().1, end.state);
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().state, end.state);
}

#[tokio::test]
async fn history_is_newest_first_and_can_be_cut() {
    let graph = growing(9).with_store(memory());
    graph.run(empty()).thread(thread("t")).await.unwrap();
    let query = HistoryQuery::default().before(stategraph_core::Seq(8)).limit(3);
    let listed = graph.history(&thread("t"), &query).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.checkpoint.seq.0).collect::<Vec<_>>(), [7, 6, 5]);
}

// F14, ephemeral channels across reload and resume
#[tokio::test]
async fn an_ephemeral_value_survives_a_stop_and_still_lives_for_one_step() {
    let echo = async |trail: &Trail| Trail::update().log(trail.seen.join("+"));
    let graph = Builder::new("e")
        .node("a", async |_: &Trail| Trail::update().seen("x"))
        .node("b", echo)
        .node("c", echo);
    let graph =
        super::kit::wired(graph, &["START a", "a b", "b c", "c END"]).compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    assert_eq!(graph.state(&t, None).await.unwrap().state.seen, ["x"]);
    let end = graph.resume(&t).await.unwrap();
    assert_eq!((end.state.log(), end.state.seen.len()), (vec!["x", ""], 0));
    let seen: Vec<usize> = replayed(&graph, &t).await.iter().map(|(_, state)| state.seen.len()).collect();
    assert_eq!(seen, [0, 1, 0, 0]);
}

// ENG-22
#[test]
fn ids_come_from_position_and_from_parts() {
    use stategraph_core::{CheckpointId, QuestionId, ThreadId};
    assert_eq!(ThreadId::from_parts(&["idea", "x"]), ThreadId::from_parts(&["idea", "x"]));
    assert_ne!(ThreadId::from_parts(&["idea", "x"]), ThreadId::from_parts(&["ide", "ax"]));
    for text in ["t@7", "a.b-c_d@1"] {
        assert_eq!(text.parse::<CheckpointId>().unwrap().to_string(), text);
    }
    assert_eq!("3.0.2".parse::<QuestionId>().unwrap().to_string(), "3.0.2");
    for wrong in ["", "7", "t@", "t@x", "@1", "../t@1", ".t@1"] {
        assert!(wrong.parse::<CheckpointId>().is_err(), "{wrong}");
    }
    for (length, fits) in [(127, true), (128, true), (129, false)] {
        assert_eq!(ThreadId::new("t".repeat(length)).is_ok(), fits);
    }
}
