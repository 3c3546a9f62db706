//! What every store must do, a clause a function. A store is added by one more line at the end.
//! Parity D8, D14, D15, P1, P7, P9, clauses 20, 60 and 61; ENG-6.

use std::sync::Arc;

use stategraph_core::{
    Checkpoint, CheckpointStore, Flush, HistoryQuery, PlannedTask, Pruned, RareParts, Retention, Seq, Source,
    StoreError, SubgraphState, TaskEntry,
};

use super::kit::{
    asks, checkpoint, json, keys, listed, load, next, once, put, rebuild, state, state_at, summary, task,
    thread, walk, walked, with_snapshot,
};

/// ENG-6: what was appended is there, in order.
pub(super) async fn a_thread_is_read_as_it_was_written(store: &dyn CheckpointStore) {
    let thread = walked(store, "straight", 5).await;
    assert_eq!(listed(store, &thread, None, None).await, [5, 4, 3, 2, 1]);
    assert_eq!(state_at(store, &thread, None).await, [1, 2, 3, 4, 5]);
    let loaded = load(store, &thread, Some(3)).await.unwrap();
    assert_eq!(serde_json::to_string(loaded.tip()).unwrap(), serde_json::to_string(&next(3)).unwrap());
}

pub(super) async fn nothing_is_found_where_nothing_was_written(store: &dyn CheckpointStore) {
    let thread = thread("nobody");
    assert!(load(store, &thread, None).await.is_none());
    assert!(load(store, &thread, Some(1)).await.is_none());
    assert_eq!(listed(store, &thread, None, None).await, [0_u64; 0]);
    assert_eq!(store.threads().await.unwrap(), []);
    walked(store, "nobody", 2).await;
    assert!(load(store, &thread, Some(3)).await.is_none());
}

pub(super) async fn a_claim_without_a_checkpoint_leaves_no_thread(store: &dyn CheckpointStore) {
    let thread = thread("unused");
    let writer = store.claim(&thread).await.unwrap();
    assert_eq!(writer.head(), None);
    assert_eq!(store.threads().await.unwrap(), []);
    drop(writer);
    assert_eq!(store.threads().await.unwrap(), []);
    assert!(load(store, &thread, None).await.is_none());
}

/// D8, P9, clause 61.
pub(super) async fn a_checkpoint_that_does_not_follow_the_head_is_a_conflict(store: &dyn CheckpointStore) {
    let thread = thread("swap");
    let writer = store.claim(&thread).await.unwrap();
    walk(&writer, 1, 2).await;
    for wrong in [1, 2, 4] {
        let error = put(&writer, checkpoint(wrong, Some(1)), Flush::Synced).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
    }
    assert_eq!(writer.head(), Some(Seq(2)));
    walk(&writer, 3, 3).await;
    assert_eq!(listed(store, &thread, None, None).await, [3, 2, 1]);
}

/// D8, P9, clause 61: of two writers on one thread the second is refused, and nothing of the first is lost.
pub(super) async fn a_thread_is_claimed_by_one_run_at_a_time(store: &dyn CheckpointStore) {
    let thread = thread("claimed");
    let first = store.claim(&thread).await.unwrap();
    walk(&first, 1, 1).await;
    let refused = store.claim(&thread).await.err().expect("the thread is held");
    assert!(matches!(refused, StoreError::Busy { .. }), "{refused}");
    assert!(refused.to_string().contains("in this process"), "{refused}");
    walk(&first, 2, 2).await;
    drop(first);
    let second = store.claim(&thread).await.unwrap();
    assert_eq!(second.head(), Some(Seq(2)));
    walk(&second, 3, 3).await;
    assert_eq!(state_at(store, &thread, None).await, [1, 2, 3]);
}

pub(super) async fn a_claim_ends_with_its_writer_while_appends_are_under_way(store: &dyn CheckpointStore) {
    let thread = thread("hasty");
    for round in 0..20 {
        let writer = store.claim(&thread).await.unwrap();
        assert_eq!(writer.head(), (round > 0).then_some(Seq(round)));
        let record = stategraph_core::Record::Checkpoint(Arc::new(next(round + 1)));
        // Nobody waits for the acknowledgement; the append happens all the same.
        drop(writer.append(record, Flush::Lazy).unwrap());
    }
    drop(store.claim(&thread).await.unwrap());
    assert_eq!(listed(store, &thread, None, Some(1)).await, [20]);
}

/// ENG-6: reading needs no claim.
pub(super) async fn a_running_thread_can_be_looked_at(store: &dyn CheckpointStore) {
    let thread = thread("running");
    let writer = store.claim(&thread).await.unwrap();
    for seq in 1..=5 {
        walk(&writer, seq, seq).await;
        assert_eq!(listed(store, &thread, None, Some(1)).await, [seq]);
        assert_eq!(state_at(store, &thread, None).await.len() as u64, seq);
        assert_eq!(summary(store, &thread).await.unwrap().head, Seq(seq));
    }
}

/// P1, D14: loading reads from the nearest snapshot, not from the beginning.
pub(super) async fn a_lineage_begins_at_the_nearest_snapshot(store: &dyn CheckpointStore) {
    let thread = thread("snapshots");
    let writer = store.claim(&thread).await.unwrap();
    for seq in 1..=9_u64 {
        let snapshot: Vec<u64> = (1..=seq).collect();
        let plain = next(seq);
        let checkpoint = if seq % 4 == 0 { with_snapshot(plain, &snapshot) } else { plain };
        put(&writer, checkpoint, Flush::Lazy).await.unwrap();
    }
    for (tip, chain) in [(3, vec![1, 2, 3]), (4, vec![4]), (7, vec![4, 5, 6, 7]), (9, vec![8, 9])] {
        let lineage = load(store, &thread, Some(tip)).await.unwrap();
        assert_eq!(lineage.chain.iter().map(|one| one.seq.0).collect::<Vec<_>>(), chain);
        assert_eq!(state(&lineage.chain), (1..=tip).collect::<Vec<_>>());
    }
}

pub(super) async fn a_fork_keeps_both_branches(store: &dyn CheckpointStore) {
    let thread = walked(store, "forked", 4).await;
    let writer = store.claim(&thread).await.unwrap();
    let mut fork = checkpoint(5, Some(2));
    fork.source = Source::Fork;
    put(&writer, fork, Flush::Synced).await.unwrap();
    walk(&writer, 6, 6).await;
    assert_eq!(state_at(store, &thread, Some(4)).await, [1, 2, 3, 4]);
    assert_eq!(state_at(store, &thread, None).await, [1, 2, 5, 6]);
    assert_eq!(listed(store, &thread, None, None).await, [6, 5, 4, 3, 2, 1]);
    assert_eq!(load(store, &thread, Some(5)).await.unwrap().tip().source, Source::Fork);
}

/// P7: what a task left belongs to the checkpoint that planned it, wherever in the log it stands.
pub(super) async fn task_records_are_kept_with_their_checkpoint(store: &dyn CheckpointStore) {
    let thread = thread("tasks");
    let writer = store.claim(&thread).await.unwrap();
    walk(&writer, 1, 1).await;
    put(&writer, once(1, "a"), Flush::Lazy).await.unwrap();
    put(&writer, once(1, "b"), Flush::Synced).await.unwrap();
    walk(&writer, 2, 2).await;
    put(&writer, once(2, "c"), Flush::Synced).await.unwrap();
    put(&writer, once(1, "late"), Flush::Synced).await.unwrap();
    let first = load(store, &thread, Some(1)).await.unwrap();
    assert_eq!(keys(&first.tasks), ["a", "b", "late"]);
    assert_eq!(keys(&load(store, &thread, None).await.unwrap().tasks), ["c"]);
    let history = store.history(&thread, &HistoryQuery::default()).await.unwrap();
    assert_eq!(history.iter().map(|entry| entry.tasks.len()).collect::<Vec<_>>(), [1, 3]);
    let unknown = put(&writer, once(3, "early"), Flush::Lazy).await.unwrap_err();
    assert!(matches!(unknown, StoreError::NoCheckpoint { seq: Seq(3), .. }), "{unknown}");
}

/// Clause 60: writing the same answer again is no second answer.
pub(super) async fn a_later_answer_replaces_an_earlier_one(store: &dyn CheckpointStore) {
    let thread = walked(store, "answers", 1).await;
    let writer = store.claim(&thread).await.unwrap();
    let asked = |call| task(1, 0, asks(call, "how many?"));
    let answered = |call, answer: u64| task(1, 0, TaskEntry::Answered { call, answer: json(answer) });
    for record in [asked(0), answered(0, 1), asked(1), answered(1, 7), answered(0, 2)] {
        put(&writer, record, Flush::Synced).await.unwrap();
    }
    let tasks = load(store, &thread, None).await.unwrap().tasks;
    let answers: Vec<_> = tasks
        .iter()
        .filter_map(|record| match &record.entry {
            TaskEntry::Answered { call, answer } => Some((*call, answer.get().to_owned())),
            _ => None,
        })
        .collect();
    assert_eq!(answers, [(1, "7".to_owned()), (0, "2".to_owned())]);
}

/// Clause 60.
pub(super) async fn history_is_cut_by_before_and_limit(store: &dyn CheckpointStore) {
    let thread = walked(store, "history", 6).await;
    assert_eq!(listed(store, &thread, Some(4), None).await, [3, 2, 1]);
    assert_eq!(listed(store, &thread, None, Some(2)).await, [6, 5]);
    assert_eq!(listed(store, &thread, Some(4), Some(2)).await, [3, 2]);
    assert_eq!(listed(store, &thread, Some(1), None).await, [0_u64; 0]);
    assert_eq!(listed(store, &thread, Some(99), Some(1)).await, [6]);
    assert_eq!(listed(store, &thread, None, Some(0)).await, [0_u64; 0]);
}

/// ARD-75: what a thread waits for can be read.
pub(super) async fn threads_are_listed_with_what_they_wait_for(store: &dyn CheckpointStore) {
    walked(store, "zebra", 3).await;
    let ape = walked(store, "ape", 1).await;
    let writer = store.claim(&ape).await.unwrap();
    let mut last = next(2);
    last.next =
        vec![PlannedTask { node: "ask".into(), item: None }, PlannedTask { node: "tell".into(), item: None }];
    put(&writer, last, Flush::Synced).await.unwrap();
    for (index, call) in [(0, 0), (0, 1), (1, 0)] {
        let asked = asks(call, "really?");
        put(&writer, task(2, index, asked), Flush::Synced).await.unwrap();
    }
    put(&writer, task(2, 0, TaskEntry::Answered { call: 0, answer: json(true) }), Flush::Synced)
        .await
        .unwrap();
    let threads = store.threads().await.unwrap();
    assert_eq!(threads.iter().map(|one| one.thread.to_string()).collect::<Vec<_>>(), ["ape", "zebra"]);
    let [ape, zebra] = threads.as_slice() else { unreachable!() };
    assert_eq!((ape.head, ape.at_ms, ape.graph.as_ref()), (Seq(2), 1_700_000_000_002, "kit"));
    assert_eq!(ape.next.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["ask", "tell"]);
    assert_eq!(ape.open_questions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2.0.1", "2.1.0"]);
    assert_eq!((zebra.head, zebra.open_questions.len()), (Seq(3), 0));
}

/// D15.
pub(super) async fn a_copy_is_a_thread_of_its_own(store: &dyn CheckpointStore) {
    let (from, to) = (walked(store, "original", 3).await, thread("duplicate"));
    let writer = store.claim(&from).await.unwrap();
    put(&writer, once(3, "call"), Flush::Synced).await.unwrap();
    // The original may be running.
    store.copy(&from, &to).await.unwrap();
    walk(&writer, 4, 4).await;
    assert_eq!(listed(store, &to, None, None).await, [3, 2, 1]);
    assert_eq!(keys(&load(store, &to, None).await.unwrap().tasks), ["call"]);
    let copy = store.claim(&to).await.unwrap();
    put(&copy, checkpoint(4, Some(3)), Flush::Synced).await.unwrap();
    put(&copy, checkpoint(5, Some(4)), Flush::Synced).await.unwrap();
    assert_eq!(
        (listed(store, &from, None, Some(1)).await, listed(store, &to, None, Some(1)).await),
        (vec![4], vec![5])
    );
    let exists = store.copy(&from, &from).await.unwrap_err();
    assert!(matches!(exists, StoreError::Exists { .. } | StoreError::Busy { .. }), "{exists}");
    drop(copy);
    let exists = store.copy(&from, &to).await.unwrap_err();
    assert!(matches!(exists, StoreError::Exists { .. }), "{exists}");
    let unknown = store.copy(&thread("nobody"), &thread("other")).await.unwrap_err();
    assert!(matches!(unknown, StoreError::NoThread { .. }), "{unknown}");
    assert_eq!(store.threads().await.unwrap().len(), 2);
}

/// D15, P1.
pub(super) async fn a_prune_keeps_the_newest_and_their_states(store: &dyn CheckpointStore) {
    let thread = walked(store, "pruned", 10).await;
    let writer = store.claim(&thread).await.unwrap();
    put(&writer, once(2, "old"), Flush::Lazy).await.unwrap();
    put(&writer, once(9, "kept"), Flush::Synced).await.unwrap();
    let busy = store.prune(&thread, Retention::keep_last(3), &rebuild).await.unwrap_err();
    assert!(matches!(busy, StoreError::Busy { .. }), "{busy}");
    drop(writer);
    let pruned = store.prune(&thread, Retention::keep_last(3), &rebuild).await.unwrap();
    assert_eq!(pruned.checkpoints, 7);
    assert_eq!(listed(store, &thread, None, None).await, [10, 9, 8]);
    assert_eq!(load(store, &thread, Some(8)).await.unwrap().tip().parent, None);
    for seq in 8..=10 {
        assert_eq!(state_at(store, &thread, Some(seq)).await, (1..=seq).collect::<Vec<_>>());
    }
    assert_eq!(keys(&load(store, &thread, Some(9)).await.unwrap().tasks), ["kept"]);
    let writer = store.claim(&thread).await.unwrap();
    assert_eq!(writer.head(), Some(Seq(10)));
    walk(&writer, 11, 11).await;
    assert_eq!(state_at(store, &thread, None).await, (1..=11).collect::<Vec<_>>());
}

/// D15, F50: what one run wrote goes, what went on from it stays whole.
pub(super) async fn a_run_is_removed_and_what_went_on_from_it_stays(store: &dyn CheckpointStore) {
    let thread = walked(store, "runs", 2).await;
    let writer = store.claim(&thread).await.unwrap();
    // Run 1 wrote 1-2, run 2 3-4, run 3 goes on from 4, run 4 from 2.
    for (seq, parent, run) in [(3, 2, 2), (4, 3, 2), (5, 4, 3), (6, 2, 4)] {
        let written = Checkpoint { run, ..checkpoint(seq, Some(parent)) };
        put(&writer, written, Flush::Synced).await.unwrap();
    }
    put(&writer, once(4, "gone"), Flush::Lazy).await.unwrap();
    put(&writer, once(5, "kept"), Flush::Synced).await.unwrap();
    assert!(matches!(store.delete_run(&thread, 2, &rebuild).await, Err(StoreError::Busy { .. })));
    drop(writer);
    let newest = store.delete_run(&thread, 4, &rebuild).await.unwrap_err();
    assert!(matches!(newest, StoreError::NewestRun { run: 4, .. }), "{newest}");
    assert_eq!(store.delete_run(&thread, 9, &rebuild).await.unwrap().checkpoints, 0);
    assert_eq!(store.delete_run(&thread, 2, &rebuild).await.unwrap().checkpoints, 2);
    assert_eq!(listed(store, &thread, None, None).await, [6, 5, 2, 1]);
    assert_eq!(state_at(store, &thread, Some(5)).await, [1, 2, 3, 4, 5]);
    assert_eq!(state_at(store, &thread, Some(6)).await, [1, 2, 6]);
    assert_eq!(load(store, &thread, Some(5)).await.unwrap().tip().parent, None);
    assert_eq!(keys(&load(store, &thread, Some(5)).await.unwrap().tasks), ["kept"]);
    assert!(load(store, &thread, Some(4)).await.is_none());
    let writer = store.claim(&thread).await.unwrap();
    assert_eq!(writer.head(), Some(Seq(6)));
}

/// What is remembered of sub-graphs stays, whatever goes before it.
pub(super) async fn a_prune_keeps_what_is_remembered_of_sub_graphs(store: &dyn CheckpointStore) {
    let thread = thread("remembered");
    let writer = store.claim(&thread).await.unwrap();
    let remembered = |node: &str, state: u64| {
        let remembered = vec![SubgraphState { node: node.into(), state: json(state) }];
        Some(Box::new(RareParts { remembered, ..RareParts::default() }))
    };
    for (seq, rare) in
        [(1, None), (2, remembered("a", 1)), (3, remembered("b", 2)), (4, remembered("a", 3)), (5, None)]
    {
        let written = Checkpoint { rare, ..next(seq) };
        let written = if seq == 1 { with_snapshot(written, &[1]) } else { written };
        put(&writer, written, Flush::Synced).await.unwrap();
    }
    drop(writer);
    store.prune(&thread, Retention::keep_last(1), &rebuild).await.unwrap();
    let root = load(store, &thread, None).await.unwrap();
    let kept = &root.tip().rare.as_ref().unwrap().remembered;
    let kept: Vec<(&str, &str)> = kept.iter().map(|inner| (inner.node.as_ref(), inner.state.get())).collect();
    assert_eq!(kept, [("a", "3"), ("b", "2")]);
}

/// A branch that begins before what is kept becomes a root, too.
pub(super) async fn a_prune_gives_every_branch_a_root(store: &dyn CheckpointStore) {
    let thread = walked(store, "branches", 4).await;
    let writer = store.claim(&thread).await.unwrap();
    // 1-2-3-4, 2-5, 3-6, 5-7: of 4, 5, 6, 7 three lose their parents.
    for (seq, parent) in [(5, 2), (6, 3), (7, 5)] {
        put(&writer, checkpoint(seq, Some(parent)), Flush::Synced).await.unwrap();
    }
    drop(writer);
    assert_eq!(store.prune(&thread, Retention::keep_last(4), &rebuild).await.unwrap().checkpoints, 3);
    for (seq, expected) in
        [(4, vec![1, 2, 3, 4]), (5, vec![1, 2, 5]), (6, vec![1, 2, 3, 6]), (7, vec![1, 2, 5, 7])]
    {
        assert_eq!(state_at(store, &thread, Some(seq)).await, expected);
    }
    assert_eq!(load(store, &thread, Some(7)).await.unwrap().chain.len(), 2);
}

pub(super) async fn a_prune_that_keeps_everything_changes_nothing(store: &dyn CheckpointStore) {
    let thread = walked(store, "short", 2).await;
    let nothing = Pruned::default();
    assert_eq!(store.prune(&thread, Retention::keep_last(2), &rebuild).await.unwrap(), nothing);
    assert_eq!(store.prune(&thread, Retention::keep_last(0), &rebuild).await.unwrap().checkpoints, 1);
    assert_eq!(state_at(store, &thread, None).await, [1, 2]);
    let unknown = store.prune(&super::kit::thread("nobody"), Retention::keep_last(1), &rebuild).await;
    assert!(matches!(unknown, Err(StoreError::NoThread { .. })));
}

pub(super) async fn a_prune_whose_rebuild_fails_changes_nothing(store: &dyn CheckpointStore) {
    let thread = walked(store, "stubborn", 4).await;
    let refuse = |_: &[Arc<_>]| Err(StoreError::Encoding { thread: "stubborn".into(), detail: "no".into() });
    assert!(store.prune(&thread, Retention::keep_last(1), &refuse).await.is_err());
    assert_eq!(listed(store, &thread, None, None).await, [4, 3, 2, 1]);
    drop(store.claim(&thread).await.expect("the thread is free again"));
}

/// D15.
pub(super) async fn a_deleted_thread_is_gone_and_can_begin_again(store: &dyn CheckpointStore) {
    let thread = walked(store, "deleted", 3).await;
    let writer = store.claim(&thread).await.unwrap();
    assert!(matches!(store.delete(&thread).await, Err(StoreError::Busy { .. })));
    drop(writer);
    store.delete(&thread).await.unwrap();
    assert!(load(store, &thread, None).await.is_none());
    assert_eq!(store.threads().await.unwrap(), []);
    store.delete(&thread).await.expect("a thread that does not exist is no error");
    walked(store, "deleted", 1).await;
    assert_eq!(listed(store, &thread, None, None).await, [1]);
}

/// ENG-8.
pub(super) async fn many_threads_are_written_at_once(store: &dyn CheckpointStore) {
    let runs = (0..8).map(|run| async move {
        let writer = store.claim(&thread(&format!("run-{run}"))).await.unwrap();
        walk(&writer, 1, 20 + run).await;
    });
    futures_util::future::join_all(runs).await;
    for run in 0..8 {
        let thread = thread(&format!("run-{run}"));
        assert_eq!(state_at(store, &thread, None).await, (1..=20 + run).collect::<Vec<_>>());
    }
}

/// D8: appends that are not waited for keep the order of the calls.
pub(super) async fn appends_under_way_keep_their_order(store: &dyn CheckpointStore) {
    let thread = thread("pipelined");
    let writer = store.claim(&thread).await.unwrap();
    let mut under_way = Vec::new();
    for seq in 1..=200 {
        let record = stategraph_core::Record::Checkpoint(Arc::new(next(seq)));
        let flush = if seq % 10 == 0 { Flush::Synced } else { Flush::Lazy };
        under_way.push(writer.append(record, flush).unwrap());
        assert_eq!(writer.head(), Some(Seq(seq)));
    }
    for ack in under_way {
        ack.wait().await.unwrap();
    }
    assert_eq!(listed(store, &thread, None, None).await, (1..=200).rev().collect::<Vec<_>>());
}

/// Runs every clause against a store made anew for each: `conform!(name, what makes (something to keep alive, the store))`.
macro_rules! conform {
    ($store:ident, $open:expr) => {
        conform!($store, $open,
            a_thread_is_read_as_it_was_written
            nothing_is_found_where_nothing_was_written
            a_claim_without_a_checkpoint_leaves_no_thread
            a_checkpoint_that_does_not_follow_the_head_is_a_conflict
            a_thread_is_claimed_by_one_run_at_a_time
            a_claim_ends_with_its_writer_while_appends_are_under_way
            a_running_thread_can_be_looked_at
            a_lineage_begins_at_the_nearest_snapshot
            a_fork_keeps_both_branches
            task_records_are_kept_with_their_checkpoint
            a_later_answer_replaces_an_earlier_one
            history_is_cut_by_before_and_limit
            threads_are_listed_with_what_they_wait_for
            a_copy_is_a_thread_of_its_own
            a_prune_keeps_the_newest_and_their_states
            a_run_is_removed_and_what_went_on_from_it_stays
            a_prune_keeps_what_is_remembered_of_sub_graphs
            a_prune_gives_every_branch_a_root
            a_prune_that_keeps_everything_changes_nothing
            a_prune_whose_rebuild_fails_changes_nothing
            a_deleted_thread_is_gone_and_can_begin_again
            many_threads_are_written_at_once
            appends_under_way_keep_their_order
        );
    };
    ($store:ident, $open:expr, $($clause:ident)*) => {
        mod $store {
            $(
                #[tokio::test]
                async fn $clause() {
                    let (_kept, store) = $open;
                    super::$clause(&store).await;
                }
            )*
        }
    };
}

conform!(memory, ((), stategraph_core::store::MemoryStore::new()));

conform!(sled, {
    let folder = tempfile::tempdir().unwrap();
    let store = stategraph_sled::SledStore::open(folder.path().join("checkpoints")).unwrap();
    (folder, store)
});

conform!(sled_with_every_thread_indexed, {
    let folder = tempfile::tempdir().unwrap();
    let store = stategraph_sled::SledStore::open_indexed_from(folder.path().join("checkpoints"), 0).unwrap();
    (folder, store)
});
