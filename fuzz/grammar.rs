//! Whatever an expression or a template by grammar computes, with numbers that make filters run away: it ends soon, within 256 MiB
//! (`-rss_limit_mb`), and gives the same with the channels that it reads as with all.
#![no_main]

#[path = "../crates/testing/src/grammar.rs"]
mod grammar;

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use stategraph::definition::Definition;
use stategraph::definition::expression::EvalScope;
use stategraph::definition::inline::JsonState;
use stategraph::definition::kind::Kind;

use grammar::{CHANNELS, Choices, Numbers, expression, template};

/// What the nodes of a file with this expression and this template make.
fn made(expression: &str, template: &str) -> Option<(Result<Value, String>, Result<String, String>)> {
    let channels: Map<String, Value> = serde_json::from_str(CHANNELS).expect("it is JSON");
    let state: Map<String, Value> = channels
        .into_iter()
        .map(|(name, value)| (name, json!({ "type": "any", "default": value })))
        .collect();
    let file = json!({
        "name": "grown", "state": state,
        "nodes": { "set": { "set": { "n": expression } }, "write": { "template": template, "to": "text" } },
        "edges": [
            { "from": "START", "to": "set" },
            { "from": "set", "to": "write" },
            { "from": "write", "to": "END" },
        ],
    });
    let definition = Definition::parse(file.to_string(), "fuzzed.yaml").ok()?;
    let state = JsonState::new(definition.schema().expect("the file declares one").clone());
    let scope = EvalScope::new(&state);
    let mut nodes = definition.nodes().map(|node| node.kind);
    let (Some(Kind::Set(entries)), Some(Kind::Template(template))) = (nodes.next(), nodes.next()) else {
        unreachable!("these are the nodes of the file")
    };
    let (_, operand) = entries.iter().next().expect("it sets one channel");
    let value = operand.evaluate(&scope).map(Option::unwrap_or_default).map_err(|error| error.reason);
    Some((value, template.render(&scope).map_err(|error| error.reason)))
}

/// Whether a bound ended it: that may come a little sooner with more channels.
fn is_bound<T>(result: &Result<T, String>) -> bool {
    let told = ["it makes more", "it looks at more", "it takes more", "nested more", "has more than"];
    result.as_ref().err().is_some_and(|reason| told.iter().any(|told| reason.contains(told)))
}

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices(bytes);
    let expression = expression(&mut choices, Numbers::Huge, 4);
    let template = template(&mut choices, Numbers::Huge, 2);
    let read = made(&format!("[{expression}, 1][0]"), &format!("{template}."));
    let all =
        made(&format!("[{expression}, state][0]"), &format!("{template}{{% if state %}}.{{% endif %}}"));
    let (Some(read), Some(all)) = (read, all) else { return };
    if !is_bound(&read.0) && !is_bound(&all.0) {
        assert_eq!(read.0.ok(), all.0.ok(), "{expression}");
    }
    if !is_bound(&read.1) && !is_bound(&all.1) {
        assert_eq!(read.1.ok(), all.1.ok(), "{template}");
    }
});
