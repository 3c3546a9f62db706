//! Tools and toolboxes: what is offered, and what odd calls get.

use stategraph_agent::limit::{ARGUMENT_BYTES, TOOL_NAME_BYTES};
use stategraph_agent::{Tool, ToolFailure, ToolOutput, Toolbox, ToolboxError, blocking};

use super::{Broken, Echo, call, echo, toolbox};

async fn answer(name: &str, arguments: &str) -> ToolOutput {
    toolbox().call(&call("1", name, arguments)).await
}

#[test]
fn a_tool_added_is_offered_with_the_schema_of_its_arguments() {
    // EXP-20, DOC-106
    let toolbox = toolbox();
    let names: Vec<_> = toolbox.specs().iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["echo", "broken", "endless"]);
    let parameters = &toolbox.specs()[0].parameters;
    assert_eq!(
        **parameters,
        serde_json::json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
            "additionalProperties": false,
        })
    );
    assert_eq!(toolbox.specs()[1].parameters["type"], "object");
}

struct Named(&'static str);

impl Tool for Named {
    type Arguments = Vec<u8>;

    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Has arguments that are no object."
    }

    async fn run(&self, _: Vec<u8>) -> ToolOutput {
        ToolOutput::ok("")
    }
}

#[test]
fn tools_that_no_endpoint_would_take_are_refused() {
    // ENG-20
    let longest: &'static str = String::leak("n".repeat(TOOL_NAME_BYTES));
    let longer: &'static str = String::leak("n".repeat(TOOL_NAME_BYTES + 1));
    for name in ["", "read file", "lesen_ä", longer] {
        let refused = Toolbox::new().with(Named(name)).err();
        assert_eq!(refused, Some(ToolboxError::BadName { name: name.into() }));
    }
    let refused = Toolbox::new().with(Named(longest)).err();
    assert_eq!(refused, Some(ToolboxError::NotAnObject { name: longest.into() }));
    let twice = Toolbox::new().with(Echo).and_then(|tools| tools.with(Echo)).err();
    assert_eq!(twice, Some(ToolboxError::DuplicateName { name: "echo".into() }));
}

#[tokio::test]
async fn an_invented_name_gets_the_nearest_one() {
    // ENG-30
    let output = answer("ecko", "{}").await;
    assert_eq!(output.failure, Some(ToolFailure::UnknownTool));
    assert_eq!(output.content, "no tool `ecko`; did you mean `echo`? (tools: broken, echo, endless)");
    let output = answer("frobnicate", "{}").await;
    assert_eq!(output.content, "no tool `frobnicate` (tools: broken, echo, endless)");
    let output = Toolbox::new().call(&echo("1", "x")).await;
    assert_eq!(output.content, "no tool `echo` (there are no tools)");
    assert!(answer(&"x".repeat(10_000_000), "{}").await.content.len() < 400);
}

#[tokio::test]
async fn arguments_that_do_not_fit_say_how() {
    // ENG-10, CTX-45
    let deep = "[".repeat(100_000);
    let typed = format!("{{\"text\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    for (arguments, said) in [
        ("", "missing field `text`"),
        ("{}", "missing field `text`"),
        ("{\"text\": 7}", "invalid type: integer `7`, expected a string"),
        ("{\"txt\": \"x\"}", "unknown field `txt`, expected `text`"),
        ("{\"text\": \"x\"", "EOF while parsing"),
        ("please echo", "expected value"),
        ("{\"text\":\"x\"}{\"text\":\"y\"}", "trailing characters"),
        (deep.as_str(), "do not fit"),
        (typed.as_str(), "do not fit"),
    ] {
        let output = answer("echo", arguments).await;
        assert_eq!(output.failure, Some(ToolFailure::BadArguments), "{said}");
        assert!(output.content.contains(said), "{}", output.content);
        assert!(output.content.len() < 1000);
    }
}

#[tokio::test]
async fn a_tool_without_arguments_takes_nothing_null_and_an_empty_object() {
    for arguments in ["", " \n", "null", "{}"] {
        assert_eq!(answer("broken", arguments).await.failure, Some(ToolFailure::Panicked), "it was run");
    }
}

#[tokio::test]
async fn arguments_are_as_long_as_the_limit_and_no_longer() {
    // ENG-20
    let frame = r#"{"text":""}"#.len();
    for (bytes, taken) in [(ARGUMENT_BYTES - 1, true), (ARGUMENT_BYTES, true), (ARGUMENT_BYTES + 1, false)] {
        let output = toolbox().call(&echo("1", &"x".repeat(bytes - frame))).await;
        assert_eq!(output.is_success(), taken, "{bytes}");
    }
    let output = toolbox().call(&echo("1", &"x".repeat(10 * 1024 * 1024))).await;
    assert!(output.content.contains("they have 10485771 bytes, more than 1048576"));
    assert!(output.content.len() < 1000);
}

#[tokio::test]
async fn a_panic_is_a_result_also_on_another_thread() {
    // ENG-10
    let output = Toolbox::new().with(Broken).expect("one").call(&call("1", "broken", "{}")).await;
    assert_eq!(output.content, "the tool has a bug and panicked: index 7 out of bounds");
    let output = blocking(|| panic!("there")).await;
    assert_eq!(output.content, "the tool has a bug and panicked: there");
}

#[test]
fn an_output_is_json_with_an_error_on_failure_and_reads_back() {
    // DOC-65, CTX-45
    for (output, json) in [
        (ToolOutput::ok("text\n"), r#"{"success":true,"content":"text\n"}"#),
        (
            ToolOutput::ok("").warn("2 searches left"),
            r#"{"success":true,"content":"","budget_warning":"2 searches left"}"#,
        ),
        (ToolOutput::refused("no"), r#"{"success":false,"content":"no","error":"refused"}"#),
    ] {
        assert_eq!(serde_json::to_string(&output).expect("it serialises"), json);
        assert_eq!(serde_json::from_str::<ToolOutput>(json).expect("it reads back"), output);
    }
}
