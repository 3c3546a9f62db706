//! Tool calls as XML in the text: DOC-33 to 36.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;
use stategraph_agent::xml::{XmlTools, blocks, parse_calls};
use stategraph_agent::{Agent, Conversation, Ended};
use stategraph_llm::{ChatModel, ChatRequest, Finish, Message, NoTokens, Scripted, ToolCall, ToolSpec};

use super::{assert_whole, call, echo, toolbox};

fn check(answer: &str, text: &str, calls: &[(&str, &[(&str, &str)])]) {
    let read = parse_calls(answer);
    assert_eq!(read.text, text, "{answer}");
    let found: Vec<_> = read.calls.iter().map(|call| (&*call.name, call.parameters.clone())).collect();
    let owned = |of: &[(&str, &str)]| of.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let expected: Vec<(&str, Vec<(String, String)>)> =
        calls.iter().map(|(name, parameters)| (*name, owned(parameters))).collect();
    assert_eq!(found, expected, "{answer}");
    assert!(read.calls.iter().all(|call| call.problem.is_none()), "{:?}", read.calls);
}

#[test]
fn several_blocks_in_any_letter_case_with_values_of_several_lines_are_read() {
    // DOC-33, DOC-35
    check("no calls, <b>only</b> text & more < >", "no calls, <b>only</b> text & more < >", &[]);
    check(
        "First.\n<function_calls>\n<invoke name=\"grep\">\n<parameter name=\"pattern\">\n a < b && c </p>\n</parameter>\n\
         <parameter name='limit'>5</parameter>\n</invoke>\n<invoke name=\"memory\"/>\n</function_calls>\nThen.\n\
         <FUNCTION_CALLS><Invoke NAME = outline ><PARAMETER name=\"path\">src/a.rs</Parameter ></INVOKE></Function_Calls> End.",
        "First.\n\nThen.\n End.",
        &[
            ("grep", &[("pattern", "a < b && c </p>"), ("limit", "5")]),
            ("memory", &[]),
            ("outline", &[("path", "src/a.rs")]),
        ],
    );
    // A block that somebody talks about is no call.
    check("Use <invoke name=\"grep\"></invoke> then.", "Use <invoke name=\"grep\"></invoke> then.", &[]);
}

#[test]
fn tags_that_are_not_closed_are_read_where_nothing_is_lost() {
    // DOC-35
    let open = "<function_calls><invoke name=\"a\"><parameter name=\"x\">1</parameter>\
                <invoke name=\"b\"><parameter name=\"y\">2</parameter>";
    let expected: [(&str, &[(&str, &str)]); 2] = [("a", &[("x", "1")]), ("b", &[("y", "2")])];
    check(open, "", &expected);
    check(&format!("{open}</function_calls> rest"), "rest", &expected);
    check(&format!("{open}</invoke>"), "", &expected);
}

#[test]
fn what_is_broken_is_a_call_that_says_how() {
    // DOC-35, ENG-30
    for (answer, problem) in [
        (
            "<function_calls></function_calls>",
            "the `function_calls` block holds no `invoke` that can be read",
        ),
        ("<function_calls>grep main", "the `function_calls` block holds no `invoke` that can be read"),
        ("<function_calls><invoke></invoke></function_calls>", "the `invoke` has no name"),
        (
            "<function_calls><invoke name=\"a\"><parameter>1</parameter></invoke></function_calls>",
            "a `parameter` has no name",
        ),
        ("<function_calls><invoke name=\"a\"><parameter name=\"x\">cut o", "the parameter `x` has no end"),
        (
            "<function_calls><invoke name=\"a\"><parameter name=\"x\">1</parameter><parameter name=\"x\">2</parameter>",
            "the parameter `x` is there twice",
        ),
        (
            "<function_calls><invoke name=\"a\"><parameter name=\"x\">1<parameter name=\"y\">2</parameter></invoke>",
            "the parameter `x` has no end",
        ),
    ] {
        let read = parse_calls(answer);
        assert_eq!(read.calls.len(), 1, "{answer}");
        assert_eq!(read.calls[0].problem.as_deref(), Some(problem), "{answer}");
        assert_eq!(read.text, "");
    }
}

#[test]
fn blocks_of_other_names_are_found_as_well() {
    // DOC-34, DOC-35
    let answer =
        "<phase_complete>{\"confidence\": 1}</phase_complete> <PHASE_COMPLETE />\n<Phase_Complete> open";
    assert_eq!(blocks(answer, "phase_complete"), ["{\"confidence\": 1}", "", "open"]);
    assert_eq!(blocks(answer, "phase"), [""; 0]);
}

fn says(text: &str) -> XmlTools<Scripted> {
    XmlTools::new(Scripted::new("test").answer(text))
}

async fn native(text: &str, parameters: serde_json::Value) -> Vec<ToolCall> {
    let spec = ToolSpec { name: "t".into(), description: String::new(), parameters: parameters.into() };
    let request = ChatRequest::new("x", vec![Message::user("go")]).tools(vec![spec]);
    let answer = says(text).chat(&request, &NoTokens).await.unwrap();
    assert_eq!(answer.finish, Finish::ToolCalls);
    answer.tool_calls
}

#[tokio::test]
async fn values_that_look_like_json_are_json_unless_the_tool_wants_text() {
    // DOC-35, DOC-36
    let text = "<function_calls><invoke name=\"t\"><parameter name=\"a\">{\"x\": [1]}</parameter>\
                <parameter name=\"b\">[1]</parameter><parameter name=\"c\">[a-z]</parameter></invoke></function_calls>";
    let parameters = json!({ "type": "object", "properties": { "b": { "type": "string" } } });
    let calls = native(text, parameters).await;
    let arguments: serde_json::Value = serde_json::from_str(&calls[0].arguments).unwrap();
    assert_eq!(arguments, json!({ "a": { "x": [1] }, "b": "[1]", "c": "[a-z]" }));
}

#[tokio::test]
async fn a_model_without_tools_goes_through_the_same_loop() {
    // DOC-24, DOC-33, DOC-106, ENG-10
    let first = "Let me see.\n<function_calls>\n<invoke name=\"echo\">\n<parameter name=\"text\">hello</parameter>\n</invoke>\n\
                 <invoke name=\"echo\">\n<parameter name=\"text\">cut o\n</invoke>\n<invoke name=\"ehco\"></invoke>\n</function_calls>";
    let script = std::sync::Arc::new(Scripted::new("test").answer(first).answer("done"));
    let (model, toolbox) = (XmlTools::new(script.clone()), toolbox());
    let mut conversation = Conversation::new("You work.", "Say hello.");
    let ended = Agent::new("x", &model, &toolbox).converse(&mut conversation).await.unwrap();
    assert_eq!(ended, Ended::Answered("done".into()));
    assert_whole(&conversation);
    let said = &conversation.messages;
    assert_eq!(said[2].content, "Let me see.");
    assert_eq!(said[2].tool_calls[0], echo("call_1", "hello"));
    assert_eq!(said[3].content, r#"{"success":true,"content":"hello"}"#);
    assert!(said[4].content.contains("the parameter `text` has no end"), "{}", said[4].content);
    assert!(said[5].content.contains("did you mean `echo`?"), "{}", said[5].content);

    let asked = script.requests();
    assert!(asked.iter().all(|request| request.tools.is_empty()));
    let system = &asked[0].messages[0].content;
    assert!(system.starts_with("You work.\n\n") && system.contains("- echo: Says it again.\n"), "{system}");
    let second = &asked[1].messages;
    assert_eq!(second.len(), 4);
    assert!(second.iter().all(|message| message.tool_calls.is_empty() && message.tool_call_id.is_none()));
    // What is sent of earlier calls reads back as those calls.
    let again = parse_calls(&second[2].content);
    assert_eq!((&*again.text, &*again.calls[0].name), ("Let me see.", "echo"));
    assert!(second[3].content.starts_with("<function_results>\n<result name=\"echo\">\n{\"success\":true"));
}

#[tokio::test]
async fn native_calls_of_such_a_model_are_kept() {
    let reply = super::calling(vec![call("1", "echo", "{}")]);
    let model = XmlTools::new(Scripted::new("test").reply(reply));
    let answer = model.chat(&ChatRequest::new("x", vec![Message::user("go")]), &NoTokens).await.unwrap();
    assert_eq!(answer.tool_calls, [call("1", "echo", "{}")]);
}

fn in_case(text: &str, upper: bool) -> String {
    if upper { text.to_uppercase() } else { text.to_owned() }
}

prop_compose! {
    fn a_call()(
        name in "[a-z_]{1,8}",
        parameters in prop::collection::btree_map("[a-z]{1,6}", "[ -;=?-~é日\n]{0,20}", 0..4),
    ) -> (String, Vec<(String, String)>) {
        (name, parameters.into_iter().collect())
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(calls in prop::collection::vec(a_call(), 1..5), upper: bool, split: bool) {
        // DOC-33, DOC-35
        let (open, close) = (in_case("<function_calls>", upper), in_case("</function_calls>", upper));
        let mut text = open.clone();
        for (at, (name, parameters)) in calls.iter().enumerate() {
            if at > 0 && split {
                write!(text, "{close} and {open}").unwrap();
            }
            write!(text, "<{} name=\"{name}\">", in_case("invoke", upper)).unwrap();
            for (name, value) in parameters {
                write!(text, "<parameter name=\"{name}\">{value}</{}>", in_case("parameter", upper)).unwrap();
            }
            text.push_str("</invoke>\n");
        }
        text.push_str(&close);
        let trimmed = |(name, parameters): &(String, Vec<(String, String)>)| {
            let values = parameters.iter().map(|(name, value)| (name.clone(), value.trim().to_owned()));
            (name.clone(), values.collect::<Vec<_>>())
        };
        let expected: Vec<_> = calls.iter().map(trimmed).collect();
        let read: Vec<_> =
            parse_calls(&text).calls.into_iter().map(|call| (call.name, call.parameters)).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn anything_is_read_without_a_crash_and_every_block_is_heard(pieces in prop::collection::vec(
        prop_oneof![
            Just("<function_calls>"), Just("</function_calls>"), Just("<invoke name=\"a\">"), Just("<invoke"),
            Just("</invoke>"), Just("<parameter name=\"x\">"), Just("</parameter"), Just("</parameter>"), Just(">"),
            Just("\""), Just("é<"), Just("</"), Just("name="), Just(" text "), Just("<invoke name='b/>"),
        ], 0..24))
    {
        // DOC-35, ENG-30
        let text = pieces.concat();
        let read = parse_calls(&text);
        prop_assert!(!text.contains("<function_calls>") || !read.calls.is_empty());
        prop_assert_eq!(blocks(&text, "invoke").len(), blocks(&text, "INVOKE").len());
    }

    #[test]
    fn no_text_breaks_the_reader(text in any::<String>()) {
        // ENG-30
        prop_assert_eq!(parse_calls(&text).calls, []);
    }
}
