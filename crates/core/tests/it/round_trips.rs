//! Every value that is committed is read back equal, or is refused before the commit with its channel. Parity P6.

#![allow(
    clippy::option_option,
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "`Some(None)` is among the values, and serde's `with` passes references"
)]

use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use stategraph_core::{
    Command, CompiledGraph, Cx, END, HistoryQuery, NodeError, NodeResult, RunError, START, State, StateGraph,
};

use super::kit::{memory, thread};

/// A tagged enum: serde reads its fields from a buffer, which has no numbers as keys and none of 128 bits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    #[default]
    Empty,
    ByNumber {
        map: BTreeMap<u32, String>,
    },
    ByText {
        map: BTreeMap<String, u8>,
    },
    Wide {
        number: u128,
    },
    Inside(Flat),
}

/// Of several variants that fit, serde reads the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Small(u8),
    Large(u64),
    Real(f64),
    Word(String),
    Maybe(Option<bool>),
}

impl Default for Either {
    fn default() -> Self {
        Self::Small(0)
    }
}

/// A flattened map may have the name of a field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Flat {
    kind: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Tree {
    inner: Vec<Tree>,
}

impl Tree {
    fn deep(levels: usize) -> Self {
        (1..levels).fold(Self::default(), |tree, _| Self { inner: vec![tree] })
    }
}

/// What a reader of the field can tell, although both are `null`.
mod told_apart {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &Option<Option<u8>>, to: S) -> Result<S::Ok, S::Error> {
        value.map(|inner| (inner,)).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<u8>>, D::Error> {
        Ok(Option::<(Option<u8>,)>::deserialize(from)?.map(|(inner,)| inner))
    }
}

fn deepen(tree: &mut Tree, levels: usize) {
    let below = std::mem::take(tree);
    *tree = (0..levels).fold(below, |tree, _| Tree { inner: vec![tree] });
}

#[derive(State, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Zoo {
    word: String,
    real: f64,
    single: f32,
    wide: u128,
    signed: i128,
    letter: char,
    twice: Option<Option<u8>>,
    #[serde(default, with = "told_apart")]
    told: Option<Option<u8>>,
    nothing: Option<()>,
    json: Option<serde_json::Value>,
    tagged: Tagged,
    either: Either,
    flat: Flat,
    by_number: BTreeMap<i64, Either>,
    by_pair: BTreeMap<(u8, u8), u8>,
    hashed: HashMap<u32, HashSet<String>>,
    result: Option<Result<Tagged, String>>,
    boxed: Box<Tree>,
    #[state(append)]
    list: Vec<Tagged>,
    #[state(merge)]
    merged: BTreeMap<String, Option<Option<bool>>>,
    #[state(reduce = deepen, delta = usize)]
    deeper: Tree,
}

impl std::fmt::Debug for ZooUpdate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).unwrap_or_else(|error| error.to_string()))
    }
}

fn writing(update: ZooUpdate) -> CompiledGraph<Zoo> {
    let node = move |_: stategraph_core::Frozen<Zoo>| {
        let update = update.clone();
        async move { update }
    };
    let graph = StateGraph::<Zoo>::new("zoo").node("writes", node).edge(START, "writes").edge("writes", END);
    graph.compile().unwrap().with_store(memory())
}

/// Through the text that a checkpoint holds, without the engine.
fn through_json<T: Serialize + serde::de::DeserializeOwned>(value: &T) -> Option<T> {
    serde_json::from_str(&serde_json::to_string(value).ok()?).ok()
}

/// Runs a graph that writes this: it is committed and loaded as it was in the run, or refused with its channel.
async fn kept_or_refused(channel: &str, update: ZooUpdate) -> Result<(), String> {
    let (t, graph) = (thread("t"), writing(update.clone()));
    let mut live = Zoo::default();
    live.fold(update.clone());
    let read = through_json(&update).map(|update| {
        let mut state = Zoo::default();
        state.fold(update);
        state
    });
    let comes_back = read.as_ref() == Some(&live) && through_json(&live).as_ref() == Some(&live);
    match graph.run(Zoo::default()).thread(t.clone()).await {
        Ok(end) => {
            assert_eq!(end.state, live);
            assert_eq!(
                graph.state(&t, None).await.unwrap().state,
                live,
                "`{channel}` was kept as another value"
            );
            Ok(())
        }
        Err(RunError::Encoding { what, detail }) => {
            assert!(!comes_back, "`{channel}` could have been kept: {detail}");
            assert_eq!(what, "the update of `writes`");
            assert!(detail.contains(&format!("`{channel}")), "`{channel}` is not named: {detail}");
            assert_eq!(
                graph.history(&t, &HistoryQuery::default()).await.unwrap().len(),
                1,
                "it was committed"
            );
            Err(detail)
        }
        Err(error) => panic!("{error}"),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,2}", Just("kind".to_owned()), ".{0,6}"]
}

fn flat() -> impl Strategy<Value = Flat> {
    (any::<u8>(), prop::collection::btree_map(text(), any::<u8>(), 0..3))
        .prop_map(|(kind, rest)| Flat { kind, rest })
}

fn tagged() -> impl Strategy<Value = Tagged> {
    prop_oneof![
        Just(Tagged::Empty),
        prop::collection::btree_map(any::<u32>(), text(), 0..3).prop_map(|map| Tagged::ByNumber { map }),
        prop::collection::btree_map(text(), any::<u8>(), 0..3).prop_map(|map| Tagged::ByText { map }),
        prop_oneof![any::<u128>(), (0..300_u128)].prop_map(|number| Tagged::Wide { number }),
        flat().prop_map(Tagged::Inside),
    ]
}

fn either() -> impl Strategy<Value = Either> {
    prop_oneof![
        any::<u8>().prop_map(Either::Small),
        prop_oneof![any::<u64>(), 0..300_u64].prop_map(Either::Large),
        prop_oneof![any::<f64>(), Just(1.0)].prop_map(Either::Real),
        text().prop_map(Either::Word),
        any::<Option<bool>>().prop_map(Either::Maybe),
    ]
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e300..1e300).prop_map(Into::into),
        text().prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            prop::collection::hash_map(text(), inner, 0..3)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A write to one channel, with its name.
fn write() -> impl Strategy<Value = (&'static str, ZooUpdate)> {
    let u = Zoo::update;
    let any_map = || prop::collection::hash_map(any::<u32>(), prop::collection::hash_set(text(), 0..3), 0..3);
    prop_oneof![
        text().prop_map(move |v| ("word", u().word(v))),
        any::<f64>().prop_map(move |v| ("real", u().real(v))),
        prop::num::f64::ANY.prop_map(move |v| ("real", u().real(v))),
        prop::num::f32::ANY.prop_map(move |v| ("single", u().single(v))),
        any::<u128>().prop_map(move |v| ("wide", u().wide(v))),
        any::<i128>().prop_map(move |v| ("signed", u().signed(v))),
        any::<char>().prop_map(move |v| ("letter", u().letter(v))),
        any::<Option<Option<u8>>>().prop_map(move |v| ("twice", u().twice(v))),
        any::<Option<Option<u8>>>().prop_map(move |v| ("told", u().told(v))),
        any::<Option<()>>().prop_map(move |v| ("nothing", u().nothing(v))),
        prop::option::of(json()).prop_map(move |v| ("json", u().json(v))),
        tagged().prop_map(move |v| ("tagged", u().tagged(v))),
        either().prop_map(move |v| ("either", u().either(v))),
        flat().prop_map(move |v| ("flat", u().flat(v))),
        prop::collection::btree_map(any::<i64>(), either(), 0..3)
            .prop_map(move |v| ("by_number", u().by_number(v))),
        prop::collection::btree_map(any::<(u8, u8)>(), any::<u8>(), 0..2)
            .prop_map(move |v| ("by_pair", u().by_pair(v))),
        any_map().prop_map(move |v| ("hashed", u().hashed(v))),
        prop::option::of(prop::result::maybe_err(tagged(), text()))
            .prop_map(move |v| ("result", u().result(v))),
        (120..135_usize).prop_map(move |levels| ("boxed", u().boxed(Box::new(Tree::deep(levels / 2 + 1))))),
        prop::collection::vec(tagged(), 0..3).prop_map(move |v| ("list", u().extend_list(v))),
        prop::collection::btree_map(text(), any::<Option<Option<bool>>>(), 0..3)
            .prop_map(move |v| ("merged", u().merged(v))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_value_is_read_back_equal_or_refused_before_the_commit_with_its_channel((channel, update) in write()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _ = runtime.block_on(kept_or_refused(channel, update));
    }
}

// P6
#[tokio::test]
async fn a_value_that_json_would_change_is_refused_with_the_reason() {
    let u = Zoo::update;
    let by_number = Tagged::ByNumber { map: BTreeMap::from([(1, "a".to_owned())]) };
    let clash = Flat { kind: 1, rest: BTreeMap::from([("kind".to_owned(), 2)]) };
    let rows: [(&str, ZooUpdate, &str); 10] = [
        (
            "tagged",
            u().tagged(by_number.clone()),
            "`tagged` cannot be read back from JSON: invalid type: string \"1\"",
        ),
        (
            "tagged",
            u().tagged(Tagged::Wide { number: u128::MAX }),
            "`tagged` cannot be read back from JSON: ",
        ),
        ("list", u().list(Tagged::Empty).list(by_number), "`list` cannot be read back from JSON: "),
        (
            "twice",
            u().twice(Some(None)),
            "`twice` is `Some` of nothing, which JSON writes as `null`, like `None`",
        ),
        ("nothing", u().nothing(Some(())), "`nothing` is `Some` of nothing"),
        ("json", u().json(Some(serde_json::Value::Null)), "`json` is `Some` of nothing"),
        ("either", u().either(Either::Large(7)), "`either` would be read back from JSON as another value"),
        ("flat", u().flat(clash), "`flat` cannot be read back from JSON: duplicate field `kind`"),
        ("by_pair", u().by_pair([((1, 2), 3)]), "`by_pair` cannot be written as JSON: key must be a string"),
        ("boxed", u().boxed(Box::new(Tree::deep(130))), "has more than 127 levels of lists and maps"),
    ];
    for (channel, update, told) in rows {
        let refused = kept_or_refused(channel, update).await.unwrap_err();
        assert!(refused.contains(told), "{refused}");
    }
    for update in [u().told(Some(None)), u().told(None::<Option<u8>>), u().twice(Some(Some(1)))] {
        kept_or_refused("told", update).await.unwrap();
    }
}

#[tokio::test]
async fn an_input_is_refused_like_an_update() {
    let graph = writing(Zoo::update());
    let input = Zoo { either: Either::Large(7), ..Zoo::default() };
    let error = graph.run(input).thread(thread("t")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the state cannot be stored: `either` would be read back from JSON as another value"
    );
    assert_eq!(error.hint().unwrap(), "change the value, or the type of its channel");
    assert!(graph.state(&thread("t"), None).await.unwrap_err().is_not_found(), "nothing was committed");
    graph.run(Zoo::default()).thread(thread("t")).await.unwrap();
    let refused = graph.update(&thread("t"), Zoo::update().twice(Some(None)), None).await.unwrap_err();
    assert!(matches!(&refused, RunError::Encoding { .. }), "{refused}");
    let refused = graph.continue_with(&thread("t"), Zoo::update().twice(Some(None))).await.unwrap_err();
    assert!(matches!(&refused, RunError::Encoding { .. }), "{refused}");
    assert_eq!(graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap().len(), 2);
}

// The update of a finished task is in the log before its superstep is committed
#[tokio::test]
async fn what_a_finished_sibling_leaves_is_read_back_too() {
    let graph = StateGraph::<Zoo>::new("siblings")
        .node("bad", async |_: &Zoo| Zoo::update().twice(Some(None)))
        .node("fails", async |_: &Zoo| Err::<ZooUpdate, _>(NodeError::msg("always")));
    let graph = graph.edge(START, "bad").edge(START, "fails").edge("bad", END).edge("fails", END);
    let graph = graph.compile().unwrap().with_store(memory());
    let error = graph.run(Zoo::default()).thread(thread("t")).await.unwrap_err();
    assert!(matches!(&error, RunError::Encoding { detail, .. } if detail.contains("`twice`")), "{error}");
    let left = graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
    let left = left.iter().flat_map(|entry| &entry.tasks);
    let finished = left.filter(|record| matches!(record.entry, stategraph_core::TaskEntry::Finished { .. }));
    assert_eq!(finished.count(), 0);
}

// A reducer may make of small writes what no checkpoint can hold
#[tokio::test]
async fn a_state_that_has_grown_too_deep_is_never_unreadable() {
    let graph = StateGraph::<Zoo>::new("deeper")
        .node("dig", async |_: &Zoo| Zoo::update().deeper(3).word("x".repeat(2_000)))
        .edge(START, "dig")
        .branch("dig", |_: &Zoo| true, [(true, "dig"), (false, END)]);
    let graph = graph.compile().unwrap().with_store(memory());
    let error = graph.run(Zoo::default()).thread(thread("t")).step_limit(100).await.unwrap_err();
    let RunError::Encoding { what, detail } = &error else { panic!("{error}") };
    assert!(what == "the state" && detail.starts_with("`deeper.inner.0"), "{error}");
    assert!(graph.state(&thread("t"), None).await.unwrap().step > 10);
}

#[tokio::test]
async fn the_result_of_a_journaled_call_comes_back_as_it_was_or_is_refused() {
    async fn once<T>(value: T) -> Result<(), String>
    where
        T: Clone + Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
    {
        let graph = StateGraph::<Zoo>::new("once")
            .node("calls", move |_: stategraph_core::Frozen<Zoo>| std::future::ready(Zoo::update()));
        let call = std::sync::Arc::new(value);
        let graph =
            graph.node("once", Calls(call)).edge(START, "calls").edge("calls", "once").edge("once", END);
        let graph = graph.compile().unwrap().with_store(memory());
        let ended = graph.run(Zoo::default()).thread(thread("t")).await;
        ended.map(drop).map_err(|error| {
            let RunError::Node { source, .. } = &error else { panic!("{error}") };
            source.to_string()
        })
    }

    struct Calls<T>(std::sync::Arc<T>);

    impl<T> stategraph_core::Node<Zoo> for Calls<T>
    where
        T: Clone + Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
    {
        async fn run(&self, _: &Zoo, cx: &Cx) -> NodeResult<ZooUpdate> {
            let value = self.0.as_ref().clone();
            cx.once("call", async { Ok::<_, NodeError>(value) }).await?;
            Ok(Zoo::update())
        }
    }

    once(Some(Some(1_u8))).await.unwrap();
    once((0.1_f64 + 0.2, u128::MAX, BTreeMap::from([(1_u8, 'x')]))).await.unwrap();
    let told = once(Some(None::<u8>)).await.unwrap_err();
    assert!(told.contains("the result of `call`") && told.contains("`Some` of nothing"), "{told}");
    let told = once(Tagged::ByNumber { map: BTreeMap::from([(1, String::new())]) }).await.unwrap_err();
    assert!(told.contains("cannot be read back from JSON"), "{told}");
    let told = once(Tree::deep(130)).await.unwrap_err();
    assert!(told.contains("more than 127 levels"), "{told}");
    let told = once(Either::Large(7)).await.unwrap_err();
    assert!(told.contains("as another value"), "{told}");
}

#[tokio::test]
async fn an_item_of_a_fan_out_is_refused_before_it_is_planned() {
    let graph = StateGraph::<Zoo>::new("items")
        .node("sends", async |_: &Zoo| -> Command<Zoo> {
            Command::none().dispatch("takes", Either::Large(7))
        })
        .node("takes", async |_: &Zoo| {})
        .takes::<Either>("takes")
        .dispatches("sends", ["takes"])
        .edge(START, "sends")
        .edge("takes", END);
    let graph = graph.compile().unwrap().with_store(memory());
    let error = graph.run(Zoo::default()).thread(thread("t")).await.unwrap_err();
    let RunError::Encoding { what, detail } = &error else { panic!("{error}") };
    assert_eq!(
        (what.as_str(), detail.contains("as another value")),
        ("an item for `takes`", true),
        "{error}"
    );
    assert_eq!(graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap().len(), 1);
}
