//! A state goes from version to version by typed steps. Parity D9, P5.

use serde::{Deserialize, Serialize};
use stategraph_core::{END, Frozen, NodeError, Retention, RunError, START, State, StateGraph};

use super::any_store::{
    OldPrice, OldPriceUpdate, Price, PriceUpdate, in_cents, prunes_within_the_older_version,
};
use super::kit::{memory, thread};
use super::versions::two;

fn update_in_cents(old: OldPriceUpdate) -> PriceUpdate {
    PriceUpdate { marks: old.marks, cents: old.euros.map(|euros| euros * 100) }
}

/// A graph of three nodes in a row, of which the first two mark the state and the last adds a unit.
fn three<S: State>(marks: fn(&'static str) -> S::Update, add: fn(&S) -> S::Update) -> StateGraph<S> {
    StateGraph::<S>::new("price")
        .node("a", move |_: Frozen<S>| async move { marks("a") })
        .node("b", move |_: Frozen<S>| async move { marks("b") })
        .node("c", move |state: Frozen<S>| async move { add(&state) })
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .edge("c", END)
}

fn old_three() -> StateGraph<OldPrice> {
    three(|mark| OldPrice::update().marks(mark), |price| OldPrice::update().euros(price.euros + 1))
}

fn three_in_cents() -> StateGraph<Price> {
    three(|mark| Price::update().marks(mark), |price| Price::update().cents(price.cents + 1).marks("c"))
}

// P5
#[tokio::test]
async fn a_step_between_versions_makes_the_new_state_of_the_old_one() {
    let store = memory();
    let input = OldPrice { euros: 2, ..OldPrice::default() };
    let old = old_three().compile().unwrap().with_store(store.clone());
    old.run(input).thread(thread("t")).step_limit(2).await.unwrap_err();
    old.update(&thread("t"), OldPrice::update().euros(3), None).await.unwrap();
    let unmended = three_in_cents().compile().unwrap().with_store(store.clone());
    let error = unmended.resume(&thread("t")).await.unwrap_err();
    assert!(matches!(&error, RunError::StateMismatch { .. }), "{error}");
    assert!(error.hint().unwrap().contains("`migrate`"), "{:?}", error.hint());
    let mended = three_in_cents().migrate(in_cents).compile().unwrap().with_store(store);
    let end = mended.resume(&thread("t")).await.unwrap().state;
    assert_eq!((end.cents, end.marks.join(" ")), (301, "a b c".to_owned()));
    // Old and new checkpoints in one chain.
    assert_eq!(mended.state(&thread("t"), None).await.unwrap().state, end);
}

mod first {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Sum {
        #[state(add)]
        pub(crate) total: u32,
    }
}

mod second {
    use super::{Deserialize, Serialize, State};
    /// The sum is a list of what was added, and the largest counts.
    #[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Sum {
        #[state(max)]
        pub(crate) total: u32,
        pub(crate) parts: Vec<u32>,
    }
}

mod third {
    use super::{Deserialize, Serialize, State};
    #[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Part {
        pub(crate) worth: u32,
    }
    /// The same lines but for the type inside.
    #[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
    #[state(version = 3)]
    pub(crate) struct Sum {
        #[state(max)]
        pub(crate) total: u32,
        pub(crate) parts: Vec<Part>,
    }
}

fn sums<S: State>(writes: fn() -> S::Update) -> StateGraph<S> {
    StateGraph::<S>::new("sums")
        .node("a", move |_: Frozen<S>| async move { writes() })
        .edge(START, "a")
        .branch("a", |_: &S| true, [(true, "a"), (false, END)])
}

#[allow(clippy::needless_pass_by_value, reason = "a step between versions takes the old state")]
fn second_of(old: first::Sum) -> second::Sum {
    second::Sum { total: old.total, parts: vec![old.total] }
}

fn third_of(old: second::Sum) -> third::Sum {
    let parts = old.parts.into_iter().map(|worth| third::Part { worth }).collect();
    third::Sum { total: old.total, parts }
}

// P5: each version folds what it wrote by its own reducers
#[tokio::test]
async fn a_thread_goes_through_all_versions_since_it_was_written() {
    let store = memory();
    let t = thread("t");
    let first =
        sums::<first::Sum>(|| first::Sum::update().total(2)).compile().unwrap().with_store(store.clone());
    first.run(first::Sum::default()).thread(t.clone()).step_limit(3).await.unwrap_err();
    let third = || {
        let graph = sums::<third::Sum>(|| third::Sum::update().total(9));
        let graph = graph.migrate(third_of).migrate(second_of);
        graph.compile().unwrap().with_store(store.clone())
    };
    let seen = third().state(&t, None).await.unwrap().state;
    assert_eq!(seen, third::Sum { total: 6, parts: vec![third::Part { worth: 6 }] });
    // The version between writes too, and the chain has three of them.
    let second = sums::<second::Sum>(|| second::Sum::update().total(7).parts([1, 2])).migrate(second_of);
    let second = second.compile().unwrap().with_store(store.clone());
    second.resume(&t).step_limit(1).await.unwrap_err();
    let stopped = third().resume(&t).step_limit(1).await.unwrap_err();
    assert!(matches!(stopped, RunError::StepLimit { .. }), "{stopped}");
    let parts = vec![third::Part { worth: 1 }, third::Part { worth: 2 }];
    assert_eq!(third().state(&t, None).await.unwrap().state, third::Sum { total: 9, parts });
}

#[test]
fn steps_that_lead_nowhere_are_defects() {
    let of = |graph: StateGraph<third::Sum>| {
        let defects = graph.defects();
        let kinds: Vec<String> = defects.iter().map(|defect| defect.kind.to_string()).collect();
        kinds.into_iter().filter(|kind| kind.contains("migration")).collect::<Vec<_>>().join("; ")
    };
    let graph = || sums::<third::Sum>(third::Sum::update);
    assert_eq!(of(graph().migrate(second_of).migrate(third_of)), "");
    let gap = of(graph().migrate(second_of));
    assert!(gap.contains("ends at `") && gap.ends_with("and none goes on from there"), "{gap}");
    let now = of(graph().migrate(|now: third::Sum| now));
    assert!(now.ends_with("begins at the state as it is now"), "{now}");
    let twice = of(graph().migrate(third_of).migrate(third_of));
    assert!(twice.contains("there are two steps from"), "{twice}");
    let updates = of(graph().migrate_updates::<second::Sum, third::Sum>(|_| third::Sum::update()));
    assert!(updates.ends_with("of a version whose state has none"), "{updates}");
}

// A task that had finished in the older version wrote an update of it
#[tokio::test]
async fn an_update_of_an_older_version_under_way_needs_a_step_where_its_channel_has_changed() {
    let store = memory();
    let t = thread("t");
    let pays = || Ok(OldPrice::update().euros(2).marks("a"));
    let old = two::<OldPrice>(pays, || Err(NodeError::msg("not yet"))).compile().unwrap();
    old.with_store(store.clone()).run(OldPrice::default()).thread(t.clone()).await.unwrap_err();
    let new = || two::<Price>(|| Err(NodeError::msg("once is enough")), || Ok(Price::update().marks("b")));
    let graph = new().migrate(in_cents).compile().unwrap().with_store(store.clone());
    let error = graph.resume(&t).await.unwrap_err();
    assert!(error.to_string().contains("`euros` is another channel in `"), "{error}");
    assert!(error.to_string().contains("say with `migrate_updates` what the update becomes"), "{error}");
    let graph = new().migrate(in_cents).migrate_updates::<OldPrice, Price>(update_in_cents);
    let end = graph.compile().unwrap().with_store(store).resume(&t).await.unwrap().state;
    assert_eq!((end.cents, end.marks.join(" ")), (200, "a b".to_owned()));
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
async fn a_prune_leaves_what_an_older_version_wrote_in_that_version() {
    prunes_within_the_older_version(memory()).await;
}

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Marks {
    #[state(append)]
    marks: Vec<String>,
}

// The task that finished is not run again, and what it wrote to the removed field is left out
#[tokio::test]
async fn a_removed_field_that_a_finished_sibling_wrote_is_left_out() {
    let store = memory();
    let t = thread("t");
    let pays = || Ok(OldPrice::update().euros(2).marks("a"));
    let old = two::<OldPrice>(pays, || Err(NodeError::msg("not yet"))).compile().unwrap();
    old.with_store(store.clone()).run(OldPrice::default()).thread(t.clone()).await.unwrap_err();
    let again = || Err(NodeError::msg("once is enough"));
    let new = two::<Marks>(again, || Ok(Marks::update().marks("b"))).compile().unwrap();
    assert_eq!(new.with_store(store).resume(&t).await.unwrap().state.marks, ["a", "b"]);
}
