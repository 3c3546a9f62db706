//! Spans of calls of tools of servers.

use std::sync::{Arc, Mutex};

use serde_json::json;
use stategraph_agent::{CallPolicy, PlannedCall, Stack, run_planned};
use stategraph_llm::ToolCall;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::kit::{has_python, toolbox};

/// Notes each span of ours with the name of its parent.
#[derive(Clone, Default)]
struct Noted(Arc<Mutex<Spans>>);

#[derive(Default)]
struct Spans {
    /// By number, from 1.
    names: Vec<&'static str>,
    entered: Vec<u64>,
    lines: Vec<String>,
}

impl Subscriber for Noted {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("stategraph") && metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let name = span.metadata().name();
        let parent = spans.entered.last().map(|id| spans.names[usize::try_from(*id).unwrap() - 1]);
        let line = parent.map_or_else(|| name.to_owned(), |parent| format!("{name} in {parent}"));
        spans.lines.push(line);
        spans.names.push(name);
        Id::from_u64(spans.names.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut spans = self.0.lock().unwrap();
        let at = spans.entered.iter().rposition(|id| *id == span.into_u64());
        at.map(|at| spans.entered.remove(at));
    }
}

// ENG-28, CTX-99: a call of a tool of a server has a span of its own, in the span of the model's tool call.
#[test]
fn the_call_of_a_server_stands_in_the_span_of_the_tool_call() {
    if !has_python() {
        return;
    }
    let noted = Noted::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let output = tracing::subscriber::with_default(noted.clone(), || {
        runtime.block_on(async {
            let toolbox = toolbox("good", json!({})).await.unwrap();
            let arguments = json!({ "text": "hello" }).to_string();
            let call = ToolCall { id: "1".into(), name: "mcp__x__echo".into(), arguments };
            let calls = [PlannedCall::new(call)];
            run_planned(&toolbox, &calls, &Stack::new(), &CallPolicy::default()).await.unwrap()
        })
    });
    assert_eq!(output[0].output.content, "hello");
    assert_eq!(noted.0.lock().unwrap().lines, ["tool_call", "mcp_call in tool_call"]);
}
