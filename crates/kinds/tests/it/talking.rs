//! Conversations in graph files: channels of the type `messages`, and models that go on with them.

use serde_json::{Value, json};
use stategraph_core::RunError;
use stategraph_llm::{Role, Scripted, ScriptedAnswer, ToolCall};

use super::kinds::{asking, compiled, offline, one, start, value};

/// Returns the conversation after these writes, each by a node of its own.
async fn after(default: &str, writes: &[&str]) -> Result<Value, RunError> {
    let node = |(at, write): (usize, &&str)| format!("  n{at}: {{ {write} }}\n");
    let nodes: Vec<String> = writes.iter().enumerate().map(node).collect();
    let edge = |at: usize| match writes.get(at + 1) {
        None => format!("  - {{ from: n{at}, to: END }}\n"),
        Some(_) => format!("  - {{ from: n{at}, to: n{} }}\n", at + 1),
    };
    let edges: Vec<String> = (0..writes.len()).map(edge).collect();
    let text = format!(
        "name: t\nstate:\n  chat: {{ type: messages{default} }}\nnodes:\n{}edges:\n  - {{ from: START, to: n0 }}\n{}",
        nodes.concat(),
        edges.concat()
    );
    value(&text, offline(), "chat").await
}

fn said(chat: &Value) -> Vec<String> {
    let line = |message: &Value| {
        let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}: {}", text("id"), text("role"), text("content"))
    };
    chat.as_array().unwrap().iter().map(line).collect()
}

// F12: appended, replaced by id, removed, all removed.
#[tokio::test]
async fn messages_are_appended_replaced_and_removed() {
    let hello = "set: { chat: \"'hello'\" }";
    let answer = "set: { chat: \"{'role': 'assistant', 'content': 'hi'}\" }";
    assert_eq!(said(&after("", &[hello, answer]).await.unwrap()), ["m1 user: hello", "m2 assistant: hi"]);
    let better = "set: { chat: { id: \"'m2'\", role: \"'assistant'\", content: \"'good day'\" } }";
    assert_eq!(said(&after("", &[hello, answer, better]).await.unwrap())[1], "m2 assistant: good day");
    let without = after("", &[hello, answer, "set: { chat: { remove: \"'m1'\" } }", hello]).await.unwrap();
    assert_eq!(said(&without), ["m2 assistant: hi", "m3 user: hello"]);
    let several = "set: { chat: [{ remove_all: true }, \"'anew'\", \"'and on'\"] }";
    assert_eq!(said(&after("", &[hello, several]).await.unwrap()), ["m1 user: anew", "m2 user: and on"]);
    let whole = "overwrite: { chat: [{ role: \"'user'\", content: \"'only this'\" }] }";
    assert_eq!(said(&after("", &[hello, whole]).await.unwrap()), ["m1 user: only this"]);
    let begun = after(", default: [{ role: system, content: Be kind. }]", &[hello]).await.unwrap();
    assert_eq!(said(&begun), ["m1 system: Be kind.", "m2 user: hello"]);
}

// F12, D10: LangGraph refuses it too
#[tokio::test]
async fn a_message_that_is_not_there_cannot_be_removed() {
    let hello = "set: { chat: \"'hello'\" }";
    let cases = [
        ("set: { chat: { remove: \"'m11'\" } }", "there is no message `m11` to remove; did you mean `m1`?"),
        ("set: { chat: [{ remove_all: true }, { remove: \"'m1'\" }] }", "there is no message `m1` to remove"),
    ];
    for (node, reason) in cases {
        let error = after("", &[hello, node]).await.unwrap_err();
        assert!(matches!(error, RunError::Node { .. }), "{error:?}");
        assert!(format!("{error:?}").contains(reason), "{error:?}");
    }
    // A message that the same write adds can be removed.
    let both = "set: { chat: [\"'again'\", { remove: \"'m2'\" }] }";
    assert_eq!(said(&after("", &[hello, both]).await.unwrap()), ["m1 user: hello"]);
}

// D10
#[tokio::test]
async fn what_is_no_message_is_refused_by_the_node_that_writes_it() {
    for wrong in ["set: { chat: 3 }", "set: { chat: { role: \"'robot'\", content: \"'beep'\" } }"] {
        let error = after("", &[wrong]).await.unwrap_err();
        assert!(format!("{error:?}").contains("it is no message"), "{error:?}");
        assert!(matches!(error, RunError::Node { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_model_hears_the_conversation_and_goes_on_with_it() {
    let node = "{ model: { history: chat, system: Be brief., prompt: \"And {{ state.chat | length }}?\" }, to: out }";
    let state = "{ chat: { type: messages, default: [{ role: user, content: one }, { role: assistant, content: two }] }, out: string }";
    let text = one(state, node);
    let (services, model) = asking(Scripted::new("test/m").answer("four"));
    let end = compiled(&text, services).run(start(&text)).await.unwrap().state;
    let heard: Vec<_> =
        model.requests()[0].messages.iter().map(|message| (message.role, message.content.clone())).collect();
    let expected =
        [(Role::System, "Be brief."), (Role::User, "one"), (Role::Assistant, "two"), (Role::User, "And 2?")];
    assert_eq!(heard, expected.map(|(role, text)| (role, text.to_owned())));
    let chat = end.get("chat").unwrap();
    assert_eq!(said(chat), ["m1 user: one", "m2 assistant: two", "m3 user: And 2?", "m4 assistant: four"]);
    assert!(chat[3]["usage"]["completion_tokens"].is_number(), "{chat}");
    assert_eq!(end.get("out"), Some(&json!("four")));
}

// Calls and their results are part of the conversation, so that another node can continue it.
#[tokio::test]
async fn an_agent_leaves_its_calls_and_their_results_in_the_conversation() {
    let text = one(
        "{ chat: { type: messages, default: [{ role: user, content: look }] } }",
        "{ agent: { history: chat, tools: [read_file] } }",
    );
    let call = ToolCall { id: "1".into(), name: "read_file".into(), arguments: "{}".into() };
    let script = Scripted::new("test/m")
        .reply(ScriptedAnswer { tool_calls: vec![call], ..Default::default() })
        .answer("nothing there");
    let (services, _) = asking(script);
    let chat = value(&text, services, "chat").await.unwrap();
    assert_eq!(chat.as_array().unwrap().len(), 4);
    assert_eq!(chat[1]["tool_calls"][0]["name"], "read_file");
    assert_eq!((&chat[2]["role"], &chat[2]["tool_call_id"]), (&json!("tool"), &json!("1")));
    assert_eq!(chat[3]["content"], "nothing there");
    let silent = text.replace(", default: [{ role: user, content: look }]", "");
    let error = value(&silent, asking(Scripted::new("test/m")).0, "chat").await.unwrap_err();
    assert!(format!("{error:?}").contains("`chat` has no messages yet"), "{error:?}");
}
