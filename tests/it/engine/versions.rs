//! A thread meets a graph or a state that has changed since. Parity D9, P5.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stategraph::engine::{
    Command, CompiledGraph, END, Frozen, HistoryQuery, NodeError, NodeResult, OldPart, Retention, RunError,
    START, State, StateGraph,
};
use stategraph::store::{MemoryStore, SledStore};

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
    let new = new.renamed("a", "alpha").renamed("b", "beta").compile().unwrap().with_store(store);
    // What is planned and what a join waits for have both been renamed.
    assert_eq!(new.resume(&thread("t")).await.unwrap().state.log(), ["a by hand", "beta", "j"]);
    let wrong = saying(&["a"], &["START a", "a END"]).renamed("z", "b");
    assert_eq!(wrong.defects()[0].kind.to_string(), "there is no node `b`");
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Price {
    #[state(append)]
    marks: Vec<String>,
    cents: u64,
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct OldPrice {
    #[state(append)]
    marks: Vec<String>,
    euros: u64,
}

/// Euros become cents, in states and in updates. What is in cents is not old.
fn in_cents(old: OldPart) -> Result<serde_json::Value, String> {
    let mut value = old.value;
    let map = value.as_object_mut().ok_or("no object")?;
    if map.contains_key("cents") {
        return Err("it is in cents already".to_owned());
    }
    if let Some(euros) = map.remove("euros") {
        let euros = euros.as_u64().ok_or("`euros` is no number")?;
        map.insert("cents".to_owned(), (euros * 100).into());
    }
    Ok(value)
}

// P5
#[tokio::test]
async fn a_hook_mends_what_was_stored_with_another_schema() {
    let store = memory();
    let old = StateGraph::<OldPrice>::new("price")
        .node("a", async |price: &OldPrice| OldPrice::update().euros(price.euros + 1).marks("a"))
        .node("b", async |_: &OldPrice| OldPrice::update().marks("b"))
        .node("c", async |_: &OldPrice| {});
    let old = old.edge(START, "a").edge("a", "b").edge("b", "c").edge("c", END).compile().unwrap();
    let input = OldPrice { euros: 2, ..OldPrice::default() };
    old.with_store(store.clone()).run(input).thread(thread("t")).step_limit(2).await.unwrap_err();
    let new = || {
        StateGraph::<Price>::new("price")
            .node("a", async |_: &Price| {})
            .node("b", async |_: &Price| {})
            .node("c", async |price: &Price| Price::update().cents(price.cents + 1).marks("c"))
            .edge(START, "a")
            .edge("a", "b")
            .edge("b", "c")
            .edge("c", END)
    };
    let unmended = new().compile().unwrap().with_store(store.clone());
    assert!(matches!(unmended.resume(&thread("t")).await, Err(RunError::StateMismatch { .. })));
    let mended = new().migrate(in_cents).compile().unwrap().with_store(store);
    let end = mended.resume(&thread("t")).await.unwrap().state;
    assert_eq!((end.cents, end.marks.join(" ")), (301, "a b c".to_owned()));
    // Old and new checkpoints in one chain.
    assert_eq!(mended.state(&thread("t"), None).await.unwrap().state, end);
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
fn two<S: State>(
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

// P5: what the new version leaves under a checkpoint of the old one is not mended, before and after a prune
#[tokio::test]
async fn what_a_new_version_wrote_under_an_old_checkpoint_is_read_as_it_is() {
    let store = memory();
    let t = thread("t");
    let old = two::<OldPrice>(|| Err(NodeError::msg("not yet")), || Err(NodeError::msg("not yet")));
    let input = OldPrice { euros: 2, ..OldPrice::default() };
    old.compile().unwrap().with_store(store.clone()).run(input).thread(t.clone()).await.unwrap_err();
    let pays = || Ok(Price::update().cents(250).marks("a"));
    let half = two::<Price>(pays, || Err(NodeError::msg("not yet"))).migrate(in_cents).compile().unwrap();
    let half = half.with_store(store.clone());
    half.resume(&t).await.unwrap_err();
    assert_eq!(half.state(&t, None).await.unwrap().state.cents, 250);
    half.prune(&t, Retention::keep_last(1)).await.unwrap();
    let whole = two::<Price>(|| Err(NodeError::msg("once is enough")), || Ok(Price::update().marks("b")));
    let end = whole.migrate(in_cents).compile().unwrap().with_store(store).resume(&t).await.unwrap().state;
    assert_eq!((end.cents, end.marks.join(" ")), (250, "a b".to_owned()));
}

// P5, D15
#[tokio::test]
async fn a_snapshot_that_a_prune_made_is_not_mended_again() {
    let folder = tempfile::tempdir().unwrap();
    for store in [memory(), Arc::new(SledStore::open(folder.path()).unwrap())] {
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
        assert_eq!((root.schema, root.snapshot_schema()), (OldPrice::fingerprint(), Price::fingerprint()));
        assert_eq!(new.state(&t, None).await.unwrap().state.cents, 500);
        assert_eq!(new.continue_with(&t, Price::update().marks("more")).await.unwrap().state.cents, 502);
        assert_eq!(new.state(&t, None).await.unwrap().state.cents, 502);
    }
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
