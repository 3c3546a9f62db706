//! Numbers that JSON has no word for. Parity P6: errors name the place, before anything is committed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stategraph_core::{CompiledGraph, END, HistoryQuery, NodeError, RunError, START, State, StateGraph};

use super::kit::{memory, thread};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
enum Shape {
    #[default]
    Point,
    Circle(f64),
    Box {
        sides: (f64, f32),
    },
}

#[derive(State, Debug, Clone, Default, Serialize, Deserialize)]
struct Numbers {
    score: f64,
    maybe: Option<f64>,
    nothing: Option<f64>,
    #[state(append)]
    list: Vec<f32>,
    by_name: BTreeMap<String, Vec<f64>>,
    shape: Shape,
}

fn graph(update: impl Fn() -> NumbersUpdate + Send + Sync + 'static) -> CompiledGraph<Numbers> {
    let graph =
        StateGraph::<Numbers>::new("numbers").node("first", async |_: &Numbers| Numbers::update().score(1.0));
    let graph = graph.node("bad", move |_: &Numbers| {
        let update = update();
        async move { update }
    });
    let graph = graph.edge(START, "first").edge("first", "bad").edge("bad", END).compile().unwrap();
    graph.with_store(memory())
}

// P6, F40
#[tokio::test]
async fn a_number_that_is_none_is_an_error_that_names_its_channel() {
    let update = Numbers::update;
    let nan = f64::NAN;
    let rows: [(NumbersUpdate, &str); 7] = [
        (update().score(nan), "`score` is NaN"),
        (update().score(-f64::INFINITY), "`score` is -inf"),
        (update().maybe(nan), "`maybe` is NaN"),
        (update().list(f32::NAN), "`list.+` is NaN"),
        (update().by_name(BTreeMap::from([("a".to_owned(), vec![1.0, nan])])), "`by_name.a.1` is NaN"),
        (update().shape(Shape::Circle(nan)), "`shape.Circle` is NaN"),
        (update().shape(Shape::Box { sides: (1.0, f32::INFINITY) }), "`shape.Box.sides.1` is inf"),
    ];
    for (bad, told) in rows {
        let graph = graph(move || bad.clone());
        let error = graph.run(Numbers::default()).thread(thread("t")).await.expect_err(told);
        let RunError::Encoding { what, detail } = &error else { panic!("{error:?}") };
        assert_eq!(what, "the update of `bad`");
        assert_eq!(*detail, format!("{told}, which JSON has no word for"));
        let kept = graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
        assert_eq!(kept.len(), 2, "the step before is kept, and nothing of this one");
    }
}

#[tokio::test]
async fn nothing_is_not_taken_for_a_number_that_is_none() {
    let graph = graph(|| Numbers::update().maybe(None::<f64>).nothing(None::<f64>).score(2.0));
    graph.run(Numbers::default()).thread(thread("t")).await.unwrap();
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().state.maybe, None);
}

// P6, ENG-14: what would be read back as something else is not kept either.
#[tokio::test]
async fn a_journaled_result_has_to_be_a_number_too() {
    let graph =
        StateGraph::<Numbers>::new("numbers").node("ask", async |_: &Numbers, cx: &stategraph_core::Cx| {
            let score: f64 = cx.once("score", async { Ok::<_, NodeError>(f64::NAN) }).await?;
            Ok::<_, NodeError>(Numbers::update().score(score))
        });
    let graph = graph.edge(START, "ask").edge("ask", END).compile().unwrap().with_store(memory());
    let error = graph.run(Numbers::default()).thread(thread("t")).await.expect_err("NaN");
    let RunError::Node { source, .. } = &error else { panic!("{error:?}") };
    assert!(source.to_string().contains("is NaN"), "{source}");
}
