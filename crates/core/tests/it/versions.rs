//! A thread meets a graph or a state that has changed since. Parity D9, P5.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    Command, CompiledGraph, END, Frozen, Misfit, NodeError, NodeResult, RunError, START, State, StateGraph,
};

use super::kit::{Builder, Calls, Trail, ask, empty, memory, say, saying, thread, wired};

// D9; LangGraph ends the run without an error [ran]
#[tokio::test]
async fn a_resume_into_a_graph_without_the_planned_node_is_refused() {
    let store = memory();
    let old = saying(&["a", "writer"], &["START a", "a writer", "writer END"]);
    let old = old.compile().unwrap().with_store(store.clone());
    old.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    let new = saying(&["a", "writers"], &["START a", "a writers", "writers END"]);
    let new = new.compile().unwrap().with_store(store);
    let error = new.resume(&thread("t")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "checkpoint t@2 runs `writer` next, and the graph `saying` has no such node any more"
    );
    assert_eq!(error.hint().unwrap(), "did you mean `writers`?");
    assert!(old.resume(&thread("t")).await.is_ok());
}

async fn goes(_: &Trail) -> Command<Trail> {
    Command::none().goto("x")
}

// D9, also for what a finished sibling had chosen
#[tokio::test]
async fn a_goto_of_a_finished_task_to_a_node_that_is_gone_is_refused() {
    let store = memory();
    let with = |name: &'static str| {
        let builder = Builder::<Calls>::new("g").node("goes", goes).node("w", ask).node(name, say);
        let builder = builder.goto("goes", [name, END]);
        let graph = wired(builder, &["START goes", "START w", "w END"]).edge(name, END);
        graph.compile_with(Calls::default()).unwrap().with_store(store.clone())
    };
    let waiting = with("x").run(empty()).thread(thread("t")).await.unwrap();
    let question = waiting.status.questions()[0].id;
    let error = with("y").resume(&thread("t")).answer(question, &"").await.unwrap_err();
    assert!(matches!(error, RunError::MissingNode { node, .. } if node == "x"));
    assert_eq!(with("x").resume(&thread("t")).await.unwrap().state.log(), ["w=", "x"]);
}

// D9: a table of renames
#[tokio::test]
async fn a_renamed_node_goes_on_where_the_graph_says_what_it_was_called() {
    let store = memory();
    let old = saying(&["a", "b", "j"], &["START a", "START b", "a+b j", "j END"]);
    let old = old.compile().unwrap().with_store(store.clone());
    old.run(empty()).thread(thread("t")).step_limit(0).await.unwrap_err();
    old.update(&thread("t"), Trail::update().log("a by hand"), Some("a")).await.unwrap();
    let new = saying(&["alpha", "beta", "j"], &["START alpha", "START beta", "alpha+beta j", "j END"]);
    let new = new.rename_node("a", "alpha").rename_node("b", "beta").compile().unwrap().with_store(store);
    // What is planned and what a join waits for have both been renamed.
    assert_eq!(new.resume(&thread("t")).await.unwrap().state.log(), ["a by hand", "beta", "j"]);
    let wrong = saying(&["a"], &["START a", "a END"]).rename_node("z", "b");
    assert_eq!(wrong.defects()[0].kind.to_string(), "there is no node `b`");
}

#[tokio::test]
async fn a_graph_that_has_grown_goes_on_with_a_thread() {
    let store = memory();
    let old = saying(&["a", "b"], &["START a", "a b", "b END"]).compile().unwrap().with_store(store.clone());
    old.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    let new = saying(&["0", "a", "b", "c"], &["START 0", "0 a", "a b", "b c", "c END"]);
    let new = new.compile().unwrap().with_store(store);
    assert_ne!(old.digest(), new.digest());
    assert_eq!(new.resume(&thread("t")).await.unwrap().state.log(), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_join_that_has_become_another_one_waits_anew() {
    let store = memory();
    let names = ["a", "b", "c", "j", "k"];
    let edges = ["START a", "START b", "b c", "j END", "k END"];
    let with = |joins: [&str; 2]| {
        let graph = saying(&names, &edges);
        wired(graph, &joins).compile().unwrap().with_store(store.clone())
    };
    let old = with(["a+c j", "b+c k"]);
    old.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    // The same joins in another order: what had arrived at the one must not count for the other.
    let new = with(["b+c k", "a+c j"]);
    let end = new.resume(&thread("t")).await.unwrap();
    assert_eq!(end.state.log(), ["a", "b", "c", "j", "k"]);
}

mod old {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
    pub(crate) struct Job {
        #[state(append)]
        pub log: Vec<String>,
    }
}

mod grown {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
    pub(crate) struct Job {
        #[state(append)]
        pub log: Vec<String>,
        #[serde(default)]
        pub title: String,
    }
}

mod broken {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
    pub(crate) struct Job {
        pub log: Vec<u64>,
    }
}

fn job<S: State>(
    store: &MemoryStore,
    update: impl Fn() -> S::Update + Copy + Send + Sync + 'static,
) -> CompiledGraph<S> {
    let graph = StateGraph::<S>::new("job");
    let node = move |_: Frozen<S>| async move { update() };
    let graph = graph.node("a", node).node("b", node).edge(START, "a").edge("a", "b").edge("b", END);
    graph.compile().unwrap().with_store(Arc::new(store.clone()))
}

// P5
#[tokio::test]
async fn a_state_with_a_new_field_that_has_a_default_goes_on_and_another_shape_is_refused() {
    let store = MemoryStore::new();
    let before = job::<old::Job>(&store, || old::Job::update().log("old"));
    before.run(old::Job::default()).thread(thread("t")).step_limit(1).await.unwrap_err();
    let broken = job::<broken::Job>(&store, broken::Job::update);
    let error = broken.resume(&thread("t")).await.unwrap_err();
    assert!(matches!(error, RunError::StateMismatch { .. }), "{error}");
    assert!(
        error.to_string().starts_with("checkpoint t@2 does not fit the state of the graph `job`: "),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("#[serde(default)]"));
    let after = job::<grown::Job>(&store, || grown::Job::update().log("new").title("T"));
    let end = after.resume(&thread("t")).await.unwrap();
    assert_eq!((end.state.log.join(" "), end.state.title.as_str()), ("old new".into(), "T"));
    assert_ne!(old::Job::fingerprint(), grown::Job::fingerprint());
}

mod strict {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
    pub(crate) struct Pair {
        pub word: String,
        pub other: u32,
    }
}

mod folded {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
    pub(crate) struct Pair {
        #[state(append)]
        pub word: String,
        pub other: u32,
    }
}

/// Two nodes at once, `a` and `b`, that do what is said.
pub(super) fn two<S: State>(
    first: impl Fn() -> NodeResult<S::Update> + Copy + Send + Sync + 'static,
    second: impl Fn() -> NodeResult<S::Update> + Copy + Send + Sync + 'static,
) -> StateGraph<S> {
    StateGraph::<S>::new("pair")
        .node("a", move |_: Frozen<S>| async move { first() })
        .node("b", move |_: Frozen<S>| async move { second() })
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", END)
        .edge("b", END)
}

/// Two nodes at once: `a` writes, and `b` what `second` says.
fn pair<S: State>(
    store: &MemoryStore,
    update: impl Fn() -> S::Update + Copy + Send + Sync + 'static,
    second: impl Fn() -> NodeResult<S::Update> + Copy + Send + Sync + 'static,
) -> CompiledGraph<S> {
    two(move || Ok(update()), second).compile().unwrap().with_store(Arc::new(store.clone()))
}

// Clause 2: what the hint of the error says can be done
#[tokio::test]
async fn a_thread_that_stopped_at_a_write_conflict_goes_on_once_the_channel_has_a_reducer() {
    let store = MemoryStore::new();
    let word = || strict::Pair::update().word("w");
    let last = pair::<strict::Pair>(&store, word, move || Ok(word()));
    let error = last.run(strict::Pair::default()).thread(thread("t")).await.unwrap_err();
    assert!(error.hint().unwrap().starts_with("give `word` a reducer such as `#[state(append)]`"));
    assert!(last.resume(&thread("t")).await.is_err());
    let word = || folded::Pair::update().word("w");
    let append = pair::<folded::Pair>(&store, word, move || Ok(word()));
    assert_eq!(append.resume(&thread("t")).await.unwrap().state.word, "ww");
}

// What a finished sibling left is an update of the old type
#[tokio::test]
async fn an_update_left_by_a_sibling_that_no_longer_fits_is_refused_with_its_task() {
    let store = MemoryStore::new();
    let fails = || Err(NodeError::msg("always"));
    let before = pair::<strict::Pair>(&store, || strict::Pair::update().word("w"), fails);
    before.run(strict::Pair::default()).thread(thread("t")).await.unwrap_err();
    let fails = || Err(NodeError::msg("always"));
    let after = pair::<folded::Pair>(&store, || folded::Pair::update().word("w"), fails);
    let error = after.resume(&thread("t")).await.unwrap_err();
    assert!(matches!(error, RunError::StateMismatch { .. }), "{error}");
    assert!(error.to_string().contains("the update that task 1.0 left"), "{error}");
    let again = before.resume(&thread("t")).await.unwrap_err();
    assert_eq!(again.to_string(), "node `b` failed in step 1");
}

mod reduced {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct Job {
        #[serde(default)]
        pub title: String,
    }
}

// P5: a field that is no more is left out of states and of updates
#[tokio::test]
async fn a_removed_field_leaves_old_threads_readable() {
    let store = MemoryStore::new();
    let before = job::<grown::Job>(&store, || grown::Job::update().log("old").title("T"));
    before.run(grown::Job::default()).thread(thread("t")).step_limit(1).await.unwrap_err();
    let after = job::<reduced::Job>(&store, reduced::Job::update);
    let fit = after.fit(&thread("t")).await.unwrap();
    assert_eq!(fit.findings, [Misfit::RemovedChannel { channel: "log".to_owned() }]);
    assert!(fit.can_resume());
    assert_eq!(after.resume(&thread("t")).await.unwrap().state.title, "T");
}

// Writes of the one form must not be folded as the other
#[tokio::test]
async fn a_reducer_that_came_or_went_is_told() {
    let store = MemoryStore::new();
    let t = thread("came");
    let before =
        pair::<strict::Pair>(&store, || strict::Pair::update().word("w"), || Err(NodeError::msg("always")));
    before.run(strict::Pair::default()).thread(t.clone()).await.unwrap_err();
    let after =
        pair::<folded::Pair>(&store, || folded::Pair::update().word("w"), || Err(NodeError::msg("always")));
    let error = after.resume(&t).await.unwrap_err().to_string();
    assert!(error.contains("`word` was written without a reducer, and has `append` now"), "{error}");
    let reason = "the update that task 1.0 left: `word` was written without a reducer, and has `append` now";
    assert_eq!(
        after.fit(&t).await.unwrap().findings,
        [Misfit::UnreadableState { reason: reason.to_owned() }]
    );
    let t = thread("went");
    after.run(folded::Pair::default()).thread(t.clone()).await.unwrap_err();
    let error = before.resume(&t).await.unwrap_err().to_string();
    assert!(error.contains("`word` was written with a reducer, and has none now"), "{error}");
}

// The whole comparison, without running anything
#[tokio::test]
async fn what_a_graph_would_do_with_a_thread_is_known_before() {
    let store = MemoryStore::new();
    let t = thread("t");
    let old = job::<old::Job>(&store, || old::Job::update().log("old"));
    let input = old::Job { log: vec!["in".to_owned()] };
    old.run(input).thread(t.clone()).step_limit(1).await.unwrap_err();
    let same = old.fit(&t).await.unwrap();
    assert_eq!(
        (same.findings.len(), same.next.join(" "), same.checkpoint.to_string()),
        (0, "b".into(), "t@2".into())
    );
    let grown = job::<grown::Job>(&store, grown::Job::update).fit(&t).await.unwrap();
    assert_eq!(grown.findings, [Misfit::NewChannel { channel: "title".to_owned() }]);
    let broken = job::<broken::Job>(&store, broken::Job::update).fit(&t).await.unwrap();
    let [Misfit::ChangedChannel { channel, reason }] = &broken.findings[..] else { panic!("{broken:?}") };
    assert!(channel == "log" && reason.contains("invalid type: string"), "{reason}");
    assert!(!broken.can_resume());
    let renamed = StateGraph::<old::Job>::new("job").node("a", async |_: &old::Job| {});
    let renamed = renamed.node("z", async |_: &old::Job| {}).edge(START, "a").edge("a", "z").edge("z", END);
    let lost = renamed.compile().unwrap().with_store(Arc::new(store.clone())).fit(&t).await.unwrap();
    let missing = Misfit::MissingNode { node: "b".to_owned() };
    assert_eq!(lost.findings, [Misfit::OtherShape, missing]);
    let other = two::<old::Job>(|| Ok(old::Job::update()), || Ok(old::Job::update())).compile().unwrap();
    let other = other.with_store(Arc::new(store)).fit(&t).await.unwrap();
    assert_eq!(other.findings[0], Misfit::OtherGraph { found: "job".to_owned() });
    assert_eq!(other.findings[0].to_string(), "the thread belongs to the graph `job`");
}
