//! Whatever stands in an expression or a template, a graph file with it is refused with defects, or its run ends: with a state or
//! an error, soon, without reading files or the environment.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use stategraph::definition::Definition;
use stategraph::definition::inline::JsonState;
use stategraph::kinds::{Models, Services, graph, rules};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

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
    let Ok(graph) = graph(&definition) else { return };
    let services = Services::new(Models::One(Arc::new(rules())));
    let Ok(graph) = graph.compile_with(services) else { return };
    let state = JsonState::new(definition.schema().expect("the file has one").clone());
    let run = async { tokio::time::timeout(Duration::from_secs(5), async { graph.run(state).await }).await };
    let _ = RUNTIME.block_on(run).expect("expressions have fuel");
});
