//! Arguments that are text where the schema wants something else (DOC-36).

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use stategraph_agent::{Tool, ToolFailure, ToolOutput, Toolbox};

use super::call;

/// Says how it understood its arguments.
struct Typed;

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Inner {
    depth: u8,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Arguments {
    pattern: String,
    max_results: Option<u32>,
    confidence: Option<f64>,
    exact: Option<bool>,
    extensions: Option<Vec<String>>,
    inner: Option<Inner>,
}

impl Tool for Typed {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "typed"
    }

    fn description(&self) -> &'static str {
        "Says how it understood."
    }

    async fn run(&self, arguments: Arguments) -> ToolOutput {
        let depth = arguments.inner.as_ref().map(|inner| inner.depth);
        let Arguments { pattern, max_results, confidence, exact, extensions, .. } = arguments;
        ToolOutput::ok(format!("{:?}", (pattern, max_results, confidence, exact, extensions, depth)))
    }
}

async fn told(arguments: &Value) -> ToolOutput {
    let toolbox = Toolbox::new().with(Typed).expect("one");
    toolbox.call(&call("1", "typed", &arguments.to_string())).await
}

#[tokio::test]
async fn numbers_booleans_and_lists_that_are_text_are_converted_by_the_schema() {
    // DOC-36
    let arguments = json!({
        "pattern": "5", "max_results": " 5 ", "confidence": "0.85", "exact": "True", "extensions": "[\"rs\"]",
        "inner": "{\"depth\": \"3\"}",
    });
    let expected = r#"("5", Some(5), Some(0.85), Some(true), Some(["rs"]), Some(3))"#;
    assert_eq!(told(&arguments).await, ToolOutput::ok(expected));
    let arguments = json!({ "pattern": "[1]", "max_results": "", "exact": "null" });
    assert_eq!(told(&arguments).await, ToolOutput::ok(r#"("[1]", None, None, None, None, None)"#));
}

#[tokio::test]
async fn what_cannot_be_converted_is_an_error_to_the_model() {
    // DOC-36, ENG-30
    for wrong in [json!("many"), json!("1.5"), json!("-1"), json!("[1]"), json!([1])] {
        let output = told(&json!({ "pattern": "x", "max_results": wrong })).await;
        assert_eq!(output.failure, Some(ToolFailure::BadArguments), "{wrong}");
    }
}

proptest! {
    #[test]
    fn any_number_as_text_is_that_number(number: u32, exact: bool) {
        // DOC-36
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let arguments = json!({ "pattern": "", "max_results": number.to_string(), "exact": exact.to_string() });
        let expected = format!(r#"("", Some({number}), None, Some({exact}), None, None)"#);
        prop_assert_eq!(runtime.block_on(told(&arguments)).content, expected);
    }
}
