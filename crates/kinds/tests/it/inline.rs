//! Channels that a file declares: defaults, reducers, checks before the commit, checkpoints of them.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CheckpointStore, CompiledGraph, HistoryQuery, Host, HostRequest, HostStart, RunError, State, Status,
    ThreadId,
};
use stategraph_files::inline::JsonState;
use stategraph_files::{Definition, Diagnostics};
use stategraph_kinds::{Models, Services, graph, rules};

/// A graph of these channels whose only path runs these nodes.
fn file(state: &str, nodes: &[&str]) -> String {
    let declared: Vec<String> =
        nodes.iter().enumerate().map(|(at, node)| format!("  n{at}: {node}\n")).collect();
    let declared = declared.concat();
    let edges: String = (0..nodes.len())
        .map(|at| match at {
            0 => "  - { from: START, to: n0 }\n".to_owned(),
            at => format!("  - {{ from: n{}, to: n{at} }}\n", at - 1),
        })
        .collect();
    let last = nodes.len() - 1;
    format!("name: t\nstate:\n{state}\nnodes:\n{declared}edges:\n{edges}  - {{ from: n{last}, to: END }}\n")
}

pub(super) fn compiled(text: &str) -> CompiledGraph<JsonState, Services> {
    let definition = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}"));
    graph.compile_with(Services::new(Models::One(Arc::new(rules())))).expect("no defects")
}

pub(super) fn start(text: &str) -> JsonState {
    let definition = Definition::parse(text, "t.yaml").unwrap();
    JsonState::new(definition.schema().unwrap().clone())
}

async fn ends(text: &str) -> Result<Value, RunError> {
    let end = compiled(text).run(start(text)).await?;
    let mut state = serde_json::to_value(&end.state).unwrap();
    state.as_object_mut().unwrap().remove("$graph");
    Ok(state)
}

fn refused(text: &str) -> Diagnostics {
    Definition::parse(text, "t.yaml")
        .and_then(|it| it.check().map(|()| it))
        .map(|_| ())
        .expect_err("a bad file")
}

// F9, F10, F13, issue 3 "Build" 3
#[tokio::test]
async fn every_reducer_folds_as_it_says() {
    let state = "  last: integer\n  notes: { items: string, reducer: append }\n  all: { type: list, reducer: extend }\n\
                 \x20 sum: { type: integer, reducer: add }\n  text: { type: string, reducer: append }\n\
                 \x20 high: { type: number, reducer: max }\n  low: { type: number, reducer: min, default: 100 }\n\
                 \x20 map: { type: object, reducer: merge }\n  plain: { type: list, default: [1] }";
    let write = |n: u32| {
        format!(
            "{{ set: {{ last: {n}, notes: \"'n{n}'\", all: [{n}, {n}], sum: {n}, text: \"'t{n}'\", high: {n}, low: {n}, map: {{ k{n}: {n} }} }} }}"
        )
    };
    let text = file(state, &[&write(2), &write(1)]);
    let expected = json!({
        "last": 1, "notes": ["n2", "n1"], "all": [2, 2, 1, 1], "sum": 3, "text": "t2t1", "high": 2, "low": 1,
        "map": { "k2": 2, "k1": 1 }, "plain": [1],
    });
    assert_eq!(ends(&text).await.unwrap(), expected);
}

// F11
#[tokio::test]
async fn an_overwrite_replaces_what_a_reducer_gathered() {
    let state =
        "  notes: { items: integer, reducer: append }\n  sum: { type: integer, reducer: add, default: 5 }";
    let text = file(state, &["{ set: { notes: 1, sum: 1 } }", "{ overwrite: { notes: [7, 8], sum: 0 } }"]);
    assert_eq!(ends(&text).await.unwrap(), json!({ "notes": [7, 8], "sum": 0 }));
}

// F14, F15
#[tokio::test]
async fn an_ephemeral_channel_is_seen_by_the_next_step_only_and_an_untracked_one_is_never_stored() {
    let state = "  flash: { type: integer, default: 0, keep: ephemeral }\n  hidden: { type: integer, default: 0, keep: untracked }\n\
                 \x20 seen: { items: integer, reducer: extend }";
    let look = "{ set: { seen: [state.flash, state.hidden] } }";
    let text = file(state, &["{ set: { flash: 7, hidden: 8 } }", look, look]);
    let store = Arc::new(MemoryStore::new());
    let graph = compiled(&text).with_store(store.clone());
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    assert_eq!(end.state.get("seen"), Some(&json!([7, 8, 0, 8])));
    let log = store.history(&thread, &HistoryQuery::default()).await.unwrap();
    let written: String = log
        .iter()
        .flat_map(|entry| entry.checkpoint.writes.iter().map(|write| write.update.get()))
        .chain(log.iter().filter_map(|entry| Some(entry.checkpoint.snapshot.as_ref()?.get())))
        .collect();
    assert!(!written.contains("hidden"), "{written}");
}

// D10: an update that does not fit is refused before anything of its superstep is kept.
#[tokio::test]
async fn a_value_of_the_wrong_type_is_refused_before_the_commit() {
    let text = file(
        "  n: integer\n  m: { type: integer, default: 0 }",
        &["{ set: { m: 1 } }", "{ set: { n: \"'seven'\" } }"],
    );
    let graph = compiled(&text).with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let error = graph.run(start(&text)).thread(thread.clone()).await.unwrap_err();
    let RunError::Node { node, source, .. } = &error else { panic!("{error:?}") };
    assert_eq!(node, "n1");
    assert_eq!(
        source.to_string(),
        "the value written to `n` does not fit: \"seven\" is not of type \"integer\""
    );
    let state = graph.state(&thread, None).await.unwrap();
    assert_eq!((state.state.get("m"), state.state.get("n")), (Some(&json!(1)), Some(&Value::Null)));
    assert_eq!(state.next, ["n1"]);
}

// D10: also where only the sum does not fit.
#[tokio::test]
async fn a_sum_that_overflows_fails_the_step_and_is_not_kept() {
    let max = i64::MAX;
    let text =
        file(&format!("  sum: {{ type: integer, reducer: add, default: {max} }}"), &["{ set: { sum: 1 } }"]);
    let graph = compiled(&text).with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let error = graph.run(start(&text)).thread(thread.clone()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the write to `sum` cannot be kept: {max} + 1 does not fit into 64 bits")
    );
    assert!(error.hint().unwrap().contains("nothing of that step was kept"));
    let state = graph.state(&thread, None).await.unwrap();
    assert_eq!((state.state.get("sum"), state.step), (Some(&json!(max)), 0));
}

// D10
#[tokio::test]
async fn writes_from_outside_are_held_against_the_channels() {
    let text = file("  n: { type: integer, default: 0 }", &["{ set: { n: 1 } }"]);
    let graph = compiled(&text).with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let host: &dyn Host = &graph;
    let unknown = host.update(&thread, json!({ "m": 1 }), None).await.unwrap_err();
    assert_eq!(unknown.to_string(), "the state has no channel `m`; did you mean `n`?");
    let wrong = host.update(&thread, json!({ "n": "x" }), None).await.unwrap_err();
    assert_eq!(wrong.to_string(), "the write to `n` cannot be kept: \"x\" is not of type \"integer\"");
    host.update(&thread, json!({ "n": 5 }), None).await.unwrap();
    assert_eq!(graph.state(&thread, None).await.unwrap().state.get("n"), Some(&json!(5)));
}

#[tokio::test]
async fn an_input_with_an_unknown_channel_is_refused() {
    let text = file("  topic: string", &["{ set: { topic: state.topic } }"]);
    let graph = compiled(&text);
    let host: &dyn Host = &graph;
    let start = HostStart::Input { state: json!({ "tpic": "x" }), thread: None };
    let error = host.stream(HostRequest::new(start)).await.err().unwrap();
    assert_eq!(error.to_string(), "the state has no channel `tpic`; did you mean `topic`?");
}

// F9: two writers of a last value in one superstep; D12 a branch sees the folded state.
#[tokio::test]
async fn two_writers_of_a_last_value_conflict_and_two_of_a_folded_one_do_not() {
    let parallel = |reducer: &str| {
        format!(
            "name: t\nstate:\n  n: {{ type: integer, reducer: {reducer} }}\nnodes:\n  a: {{ set: {{ n: 1 }} }}\n  b: {{ set: {{ n: 2 }} }}\n\
             edges:\n  - {{ from: START, to: a }}\n  - {{ from: START, to: b }}\n  - {{ from: a, to: END }}\n  - {{ from: b, to: END }}\n"
        )
    };
    let error = ends(&parallel("last")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` and `b` both wrote `n` in step 1, and it can take only one write a step"
    );
    assert_eq!(ends(&parallel("add")).await.unwrap(), json!({ "n": 3 }));
}

// D12
#[tokio::test]
async fn the_first_condition_that_holds_counts_and_sees_what_was_just_written() {
    let text = "name: t\nstate:\n  n: { type: integer, default: 0 }\n  path: { type: string, reducer: append }\n\
                nodes:\n  add: { set: { n: state.n + 1, path: \"'a'\" } }\n  low: { set: { path: \"'l'\" } }\n  high: { set: { path: \"'h'\" } }\n\
                edges:\n  - { from: START, to: add }\n  - { from: add, when: state.n < 3, to: low }\n  - { from: add, when: state.n < 5, to: high }\n\
                \x20 - { from: add, else: END }\n  - { from: low, to: add }\n  - { from: high, to: add }\n";
    assert_eq!(ends(text).await.unwrap(), json!({ "n": 5, "path": "alalahaha" }));
}

#[tokio::test]
async fn a_condition_that_cannot_be_judged_fails_the_step() {
    let text = "name: t\nstate:\n  n: any\nnodes:\n  a: { set: { n: \"'x'\" } }\n\
                edges:\n  - { from: START, to: a }\n  - { from: a, when: state.n + 1 > 2, to: a }\n  - { from: a, else: END }\n";
    let graph = compiled(text).with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let error = graph.run(start(text)).thread(thread.clone()).await.unwrap_err().to_string();
    assert!(error.starts_with("the condition `state.n + 1 > 2` at t.yaml:8:22: "), "{error}");
    // Nothing of the step was kept.
    assert_eq!(graph.state(&thread, None).await.unwrap().next, ["a"]);
}

// D7, P1: live state and reloaded state are equal, and the thread goes on.
#[tokio::test]
async fn a_waiting_thread_is_reloaded_and_goes_on() {
    let text = file(
        "  notes: { items: string, reducer: append }\n  answer: string?",
        &[
            "{ set: { notes: \"'before'\" } }",
            "{ interrupt: \"Go on with {{ state.notes | first }}?\", to: answer }",
            "{ set: { notes: state.answer } }",
        ],
    );
    let graph = compiled(&text).with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Waiting(questions) = end.status else { panic!("it waits") };
    assert_eq!(questions[0].payload.get(), "\"Go on with before?\"");
    assert_eq!(graph.state(&thread, None).await.unwrap().state, end.state);
    let end = graph.resume(&thread).answer(questions[0].id, &"yes").await.unwrap();
    assert_eq!(end.state.get("notes"), Some(&json!(["before", "yes"])));
    assert_eq!(end.state.origin().unwrap().file, "t.yaml");
}

#[test]
fn states_of_equal_channels_have_equal_shapes() {
    let one = start(&file("  n: integer", &["{ set: { n: 1 } }"]));
    let same = start(&file("  n: integer", &["{ set: { n: 2 } }"]));
    let other = start(&file("  n: number", &["{ set: { n: 1 } }"]));
    assert_eq!(one.own_fingerprint(), same.own_fingerprint());
    assert_ne!(one.own_fingerprint(), other.own_fingerprint());
}

#[test]
fn a_mistyped_channel_is_found_where_it_stands() {
    let text = file("  score: integer", &["{ set: { score: state.scroe + 1 } }"]);
    let found = refused(&text);
    let found = &found.list()[0];
    assert_eq!(found.message, "the state has no channel `scroe`");
    assert_eq!(found.hint.as_deref(), Some("did you mean `score`?"));
    assert_eq!(&text[found.location.span.clone()], "scroe");
}
