//! Whatever stands in an expression or a template, a graph file with it is refused with defects, or its run ends: with a state or
//! an error, soon, without reading files or the environment.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use stategraph::definition::expression::EvalScope;
use stategraph::definition::inline::{FileOrigin, JsonState, JsonUpdate};
use stategraph::definition::kind::Kind;
use stategraph::definition::{Definition, InlineNode, NodeSpec};
use stategraph::engine::{Command, Cx, ErasedNode, NodeError, NodeResult};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

/// A node that writes what its expressions give, without the layers that models and tools need.
struct Writes(Kind);

impl ErasedNode<JsonState, ()> for Writes {
    fn call<'a>(
        &'a self,
        state: &'a Arc<JsonState>,
        _: &'a Cx<()>,
    ) -> BoxFuture<'a, NodeResult<Command<JsonState>>> {
        Box::pin(async move {
            let scope = EvalScope::new(state);
            let values: Vec<(String, Value)> = match &self.0 {
                Kind::Set(entries) => {
                    let mut values = Vec::new();
                    for (channel, write) in entries.iter() {
                        values.extend(write.evaluate(&scope)?.map(|value| (channel.to_owned(), value)));
                    }
                    values
                }
                Kind::Template(text) => vec![("text".to_owned(), text.render(&scope)?.into())],
                other => unreachable!("the file below has no {other:?}"),
            };
            let mut update = JsonUpdate::default();
            for (channel, value) in values {
                state.schema().add_write(&mut update, &channel, value).map_err(NodeError::msg)?;
            }
            Ok(Command::update(update))
        })
    }
}

fuzz_target!(|text: &str| {
    let file = json!({
        "name": "fuzzed",
        "state": {
            "a": "any",
            "n": { "type": "integer", "default": 3 },
            "text": { "type": "string", "default": "one two" },
            "list": { "type": "list", "default": [1, "b", null] },
        },
        "nodes": { "set": { "set": { "a": text } }, "write": { "template": text, "to": "text" } },
        "edges": [
            { "from": "START", "to": "set" },
            { "from": "set", "to": "write", "when": text },
            { "from": "set", "else": "END" },
            { "from": "write", "to": "END" },
        ],
    });
    let Ok(definition) = Definition::parse(file.to_string(), "fuzzed.yaml") else { return };
    let make = |spec: NodeSpec<'_>| -> InlineNode<()> { Arc::new(Writes(spec.kind.clone())) };
    let Ok(graph) = definition.build_inline(FileOrigin::new("fuzzed.yaml", text), &make) else { return };
    let Ok(graph) = graph.compile() else { return };
    let state = JsonState::new(definition.schema().expect("the file has one").clone());
    let run = async { tokio::time::timeout(Duration::from_secs(5), async { graph.run(state).await }).await };
    let _ = RUNTIME.block_on(run).expect("expressions have fuel");
});
