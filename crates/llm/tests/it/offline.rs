//! The rules: the same typed requests, the same checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stategraph_llm::{
    AskError, AskPolicy, ChatModel, ChatRequest, Finish, ModelErrorKind, NoTokens, OFFLINE_MODEL, Offline,
    RuleError, ToolCall, Turn, UsageSource, ask,
};

use super::{Pieces, question};

#[derive(Serialize, Deserialize)]
struct Idea {
    text: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Draft {
    words: Vec<String>,
}

fn offline() -> Offline {
    Offline::builder()
        .rule("test.draft", |idea: Idea| match idea.text.as_str() {
            "" => Err(RuleError::new("the idea is empty")),
            text => Ok(Draft { words: text.split(' ').map(str::to_owned).collect() }),
        })
        .rule("test.title", |idea: Idea| Ok::<_, RuleError>(idea.text.to_uppercase()))
        .rule("test.wrong", |_: Idea| Ok::<_, RuleError>(vec!["not a draft"]))
        .turn("test.turn", |request, _| {
            let call = ToolCall { id: "1".into(), name: "read".into(), arguments: "{}".into() };
            let again = request.messages.len() > 2;
            Ok(if again {
                Turn { text: "done".into(), ..Turn::default() }
            } else {
                Turn { tool_calls: vec![call], ..Turn::default() }
            })
        })
        .build()
}

fn idea(task: &str, text: &str) -> ChatRequest {
    question().task(task, &Idea { text: text.into() })
}

async fn draft(task: &str, text: &str) -> Result<Draft, AskError> {
    let policy = AskPolicy::reasks(1);
    ask(&offline(), idea(task, text), policy, |_: &Draft| Ok(()), &NoTokens).await.map(|reply| reply.value)
}

#[tokio::test]
async fn a_rule_answers_the_typed_request_through_the_same_checks() {
    assert_eq!(draft("test.draft", "a b").await, Ok(Draft { words: vec!["a".into(), "b".into()] }));
    let Err(AskError::Malformed { problems, .. }) = draft("test.wrong", "a").await else {
        panic!("accepted")
    };
    assert!(problems[0].starts_with("at the answer:"), "{problems:?}");
}

#[tokio::test]
async fn two_runs_give_the_same_bytes_and_say_that_rules_made_them() {
    let model = offline();
    let request = idea("test.draft", "one two");
    let (first, second) =
        (model.chat(&request, &NoTokens).await.unwrap(), model.chat(&request, &NoTokens).await.unwrap());
    assert_eq!(first, second);
    assert_eq!((first.model.as_str(), first.usage.source), (OFFLINE_MODEL, UsageSource::Estimated));
    // 22 characters of questions and 25 of answer, a quarter each, rounded up.
    assert_eq!((first.usage.prompt_tokens, first.usage.completion_tokens), (5, 6));
}

#[tokio::test]
async fn prose_is_given_as_it_is_and_streams() {
    let sink = Pieces::default();
    let answer = offline().chat(&idea("test.title", "a title"), &sink).await.unwrap();
    assert_eq!((answer.text.as_str(), sink.taken()), ("A TITLE", vec!["A ".to_owned(), "TITLE".to_owned()]));
}

#[tokio::test]
async fn a_rule_can_hold_a_conversation_with_tools() {
    let first = offline().chat(&idea("test.turn", ""), &NoTokens).await.unwrap();
    assert_eq!((first.finish, first.tool_calls[0].name.as_str()), (Finish::ToolCalls, "read"));
    let mut request = idea("test.turn", "");
    request.messages.push(stategraph_llm::Message::tool("1", "text"));
    assert_eq!(offline().chat(&request, &NoTokens).await.unwrap().text, "done");
}

#[tokio::test]
async fn what_has_no_rule_is_named_with_what_has_one() {
    let error = offline().chat(&idea("test.other", ""), &NoTokens).await.unwrap_err();
    assert_eq!(error.to_string(), "model `offline`: no rule for the task `test.other`");
    assert_eq!(error.hint().unwrap(), "rules exist for: test.draft, test.title, test.turn, test.wrong");
    let error = offline().chat(&question(), &NoTokens).await.unwrap_err();
    assert_eq!(error.to_string(), "model `offline`: no rule for a request without a task");
}

#[tokio::test]
async fn a_rule_that_fails_and_an_input_of_another_type_say_why() {
    let Err(AskError::Model(error)) = draft("test.draft", "").await else { panic!("accepted") };
    let reason = "the idea is empty".to_owned();
    assert_eq!(*error.kind, ModelErrorKind::Rule { task: "test.draft".into(), reason });
    let error = offline().chat(&question().task("test.draft", &7), &NoTokens).await.unwrap_err();
    assert!(error.to_string().contains("the input is of another type"), "{error}");
}
