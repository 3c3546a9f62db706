//! Spans for run and node, nested as they ran. ENG-28.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use stategraph_core::{Cx, Frozen, State};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

use crate::watched::install_collector;

use super::kit::{Builder, Trail, TrailUpdate, empty, memory, thread, wired};

/// Notes every span with its fields and its parent.
#[derive(Default, Clone)]
struct Spans(Arc<Mutex<Noted>>);

#[derive(Default)]
struct Noted {
    /// By number, from 1.
    spans: Vec<(String, &'static Metadata<'static>)>,
    entered: Vec<u64>,
    lines: Vec<String>,
}

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("stategraph")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut noted = self.0.lock().unwrap();
        let mut name = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut name));
        let parent = noted.entered.last().map_or(String::new(), |id| {
            format!(" in {}", noted.spans[usize::try_from(*id).unwrap() - 1].0.split(' ').next().unwrap())
        });
        noted.lines.push(format!("{name}{parent}"));
        noted.spans.push((name, span.metadata()));
        Id::from_u64(noted.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut noted = self.0.lock().unwrap();
        let mut fields = String::new();
        values.record(&mut Fields(&mut fields));
        noted.lines.push(format!("span {} has{fields}", span.into_u64()));
    }

    fn current_span(&self) -> Current {
        let noted = self.0.lock().unwrap();
        let Some(id) = noted.entered.last() else { return Current::none() };
        Current::new(Id::from_u64(*id), noted.spans[usize::try_from(*id).unwrap() - 1].1)
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut noted = self.0.lock().unwrap();
        let at = noted.entered.iter().rposition(|id| *id == span.into_u64()).unwrap();
        noted.entered.remove(at);
    }
}

async fn calls(_: &Trail, cx: &Cx) -> TrailUpdate {
    let _inner = tracing::info_span!(target: "stategraph::test", "model_call").entered();
    Trail::update().log(cx.node())
}

#[test]
fn node_spans_stand_in_the_span_of_their_run_and_what_nodes_do_in_theirs() {
    let spans = Spans::default();
    let graph =
        Builder::new("spans").node("a", calls).node("b", calls).node("c", |_: Frozen<Trail>| async {});
    let graph =
        wired(graph, &["START a", "a b", "a c", "b END", "c END"]).compile().unwrap().with_store(memory());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = install_collector(spans.clone());
    runtime.block_on(graph.run(empty()).thread(thread("t")).into_future()).unwrap();
    drop(guard);
    let lines = spans.0.lock().unwrap().lines.clone();
    assert_eq!(
        lines,
        [
            "run graph=\"spans\"",
            "span 1 has thread=t",
            "node name=\"a\" step=1 attempt=1 in run",
            "model_call in node",
            "span 2 has outcome=\"ok\"",
            "node name=\"b\" step=2 attempt=1 in run",
            "model_call in node",
            "span 4 has outcome=\"ok\"",
            "node name=\"c\" step=2 attempt=1 in run",
            "span 6 has outcome=\"ok\"",
            "span 1 has outcome=\"done\"",
            "span 1 has steps=2",
            "span 1 has checkpoint=t@3",
        ]
    );
}

/// A callsite of this test alone: another test could meet a shared one first, and prove nothing.
fn outside() {
    drop(tracing::info_span!(target: "stategraph::test", "met_elsewhere_first"));
}

#[test]
fn a_span_that_a_thread_without_a_collector_meets_first_is_collected_all_the_same() {
    let spans = Spans::default();
    let _guard = install_collector(spans.clone());
    std::thread::spawn(outside).join().unwrap();
    assert_eq!(spans.0.lock().unwrap().lines, [""; 0], "it is of another thread");
    outside();
    assert_eq!(spans.0.lock().unwrap().lines, ["met_elsewhere_first"]);
}
