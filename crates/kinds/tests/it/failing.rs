//! Error handlers and breakpoints of graph files.

use serde_json::{Value, json};
use stategraph_core::{CompiledGraph, RunError, Status, ThreadId};
use stategraph_files::inline::JsonState;
use stategraph_kinds::Services;
use stategraph_llm::{ModelErrorKind, Scripted};

use super::kinds::{asking, compiled, offline, start, value};

/// A node that fails, what follows it, and where its handler can go.
fn handled(node: &str, handler: &str) -> String {
    format!(
        "name: t\nstate:\n  out: {{ items: any, reducer: append }}\nnodes:\n  n: {{ {node}, error_handler: {handler} }}\n  \
         next: {{ set: {{ out: \"'next'\" }} }}\n  other: {{ set: {{ out: \"'other'\" }} }}\n\
         edges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: next }}\n  - {{ from: next, to: END }}\n  - {{ from: next, to: other }}\n  \
         - {{ from: other, to: END }}\n"
    )
}

// F33: the handler sees the failure; its writes count as those of the node; the edges of the node follow.
#[tokio::test]
async fn a_handler_works_in_place_of_the_node_and_the_run_goes_on() {
    let text = handled("fail: no luck", "{ set: { out: failure } }");
    let out = value(&text, offline(), "out").await.unwrap();
    assert_eq!(out, json!([{ "node": "n", "error": "no luck", "attempts": 1 }, "next", "other"]));
}

// F33: a handler may go elsewhere instead.
#[tokio::test]
async fn a_handler_goes_elsewhere_instead_of_along_the_edges() {
    let text = handled("fail: no luck", "{ template: \"{{ failure.error }}!\", to: out, goto: [other] }");
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!(["no luck!", "other"]));
    let text = handled("fail: no luck", "{ set: { out: 1 }, goto: [END] }");
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!([1]));
}

#[tokio::test]
async fn a_handler_that_fails_fails_the_run_with_both_errors() {
    let text = handled("fail: no luck", "{ fail: \"again: {{ failure.error }}\" }");
    let error = format!("{:?}", value(&text, offline(), "out").await.unwrap_err());
    assert!(error.contains("again: no luck") && error.contains("node_error: \"no luck\""), "{error}");
}

// P16: what the node asked its model is not taken for what the handler asked.
#[tokio::test]
async fn the_journal_of_a_handler_is_its_own() {
    let node = "model: { prompt: p, schema: { type: object }, reasks: 0 }, to: out";
    let text = handled(node, "{ model: { prompt: \"{{ failure.error }}\" }, to: out, goto: [END] }");
    let (services, model) = asking(Scripted::new("test/m").answer("no JSON").answer("rescued"));
    assert_eq!(value(&text, services, "out").await.unwrap(), json!(["rescued"]));
    assert_eq!(model.requests().len(), 2);
    let kind = ModelErrorKind::ScriptEnded { answers: 0, question: 0 };
    let (services, _) = asking(Scripted::new("test/m").fail(kind).answer("rescued"));
    let text = text.replace("schema: { type: object }, reasks: 0", "max_tokens: 9");
    assert_eq!(value(&text, services, "out").await.unwrap(), json!(["rescued"]));
}

/// Runs to the end, and gives the nodes at which it stopped.
async fn stops(graph: &CompiledGraph<JsonState, Services>, from: JsonState) -> (Vec<String>, Value) {
    let thread = ThreadId::new("t").unwrap();
    let mut end = graph.run(from).thread(thread.clone()).await.unwrap();
    let mut stops = Vec::new();
    while let Status::Paused(at) = &end.status {
        stops.push(format!("after {:?} before {:?}", at.after, at.before).replace('"', ""));
        end = graph.resume(&thread).await.unwrap();
    }
    assert!(matches!(end.status, Status::Done), "{:?}", end.status);
    (stops, end.state.get("n").cloned().unwrap())
}

fn chain(stops: &str) -> String {
    let nodes: Vec<String> =
        ["a", "b", "c"].iter().map(|name| format!("  {name}: {{ set: {{ n: 1 }} }}\n")).collect();
    format!(
        "name: t\nstate: {{ n: {{ type: integer, reducer: add }} }}\n{stops}nodes:\n{}edges:\n  - {{ from: START, to: a }}\n  \
         - {{ from: a, to: b }}\n  - {{ from: b, to: c }}\n  - {{ from: c, to: END }}\n",
        nodes.concat()
    )
}

// F56
#[tokio::test]
async fn a_run_stops_at_the_breakpoints_of_its_file() {
    let at = async |text: &str| {
        let text = chain(text);
        stops(&compiled(&text, offline()), start(&text)).await
    };
    assert_eq!(at("interrupt_before: [b]\n").await, (vec!["after [] before [b]".into()], json!(3)));
    let (both, n) = at("interrupt_before: [a, c]\ninterrupt_after: [b]\n").await;
    assert_eq!((both, n), (vec!["after [] before [a]".into(), "after [b] before [c]".into()], json!(3)));
    assert_eq!(at("interrupt_before: all\n").await.0.len(), 3);
    // After the last nothing is left to run.
    assert_eq!(at("interrupt_after: all\n").await.0.len(), 2);
}

#[tokio::test]
async fn a_file_without_a_handler_fails_as_ever() {
    let text =
        handled("fail: no luck", "{ set: { out: 1 } }").replace(", error_handler: { set: { out: 1 } }", "");
    let error = value(&text, offline(), "out").await.unwrap_err();
    assert!(matches!(error, RunError::Node { .. }), "{error:?}");
}
