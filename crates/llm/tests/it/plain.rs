//! Whole answers: what endpoints send that is right, or near enough.

use serde_json::json;
use stategraph_llm::{ChatModel, Finish, NoTokens, ToolCall, UsageSource};

use super::{ask_whole, model_at, question};
use stategraph_testing::fake_server::{FakeServer, Play, completion};

#[tokio::test]
async fn a_plain_answer_is_given_with_what_it_took() {
    let outcome = ask_whole(vec![Play::says("hello")]).await;
    let answer = outcome.answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("hello", "fake-1"));
    assert_eq!((answer.usage.prompt_tokens, answer.usage.completion_tokens), (7, 3)); // ENG-13
    assert_eq!((answer.usage.source, answer.finish), (UsageSource::Reported, Finish::Stop));
    assert_eq!(outcome.requests, 1);
}

#[tokio::test]
async fn an_answer_in_single_bytes_is_the_same() {
    let outcome = ask_whole(vec![Play::says("hello").in_pieces_of(1)]).await;
    assert_eq!(outcome.answer.unwrap().text, "hello");
}

#[tokio::test]
async fn fields_that_other_vendors_add_leave_out_or_change_do_no_harm() {
    let body = json!({
        "model": "m", "service_tier": "on_demand", "reasoning": "kept aside",
        "choices": [{ "finish_reason": "stop", "message": { "content": "hello", "refusal": null, "tool_calls": null } }],
        "usage": null,
    });
    let answer = ask_whole(vec![Play::json(200, &body)]).await.answer.unwrap();
    assert_eq!(answer.text, "hello");
    assert_eq!(answer.usage.source, UsageSource::Estimated);
    assert_eq!(answer.usage.completion_tokens, 2);
}

#[tokio::test]
async fn several_content_blocks_become_one_text() {
    // CTX-71
    let mut body = completion("");
    body["choices"][0]["message"]["content"] =
        json!([{ "type": "text", "text": "hel" }, { "type": "image" }, { "type": "text", "text": "lo" }]);
    assert_eq!(ask_whole(vec![Play::json(200, &body)]).await.answer.unwrap().text, "hello");
}

#[tokio::test]
async fn tool_calls_are_read_even_without_ids_and_with_arguments_as_objects() {
    let mut body = completion("");
    body["choices"][0]["message"] = json!({ "content": null, "tool_calls": [
        { "id": "a", "type": "function", "function": { "name": "read", "arguments": "{\"path\":\"x\"}" } },
        { "function": { "name": "list", "arguments": { "depth": 1 } } },
    ]});
    let answer = ask_whole(vec![Play::json(200, &body)]).await.answer.unwrap();
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    assert_eq!(
        answer.tool_calls,
        [call("a", "read", r#"{"path":"x"}"#), call("call_1", "list", r#"{"depth":1}"#)]
    );
    assert_eq!(answer.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn the_model_the_key_and_own_headers_arrive() {
    let server = FakeServer::playing(vec![Play::says("x")]).await;
    let mut config = super::config(&server);
    config.headers.insert("HTTP-Referer".into(), "https://example.org".to_owned().into());
    super::providers(config).model("local/vendor/any").unwrap().chat(&question(), &NoTokens).await.unwrap();
    let asked = &server.requests()[0];
    assert_eq!(asked.line, "POST /v1/chat/completions");
    assert_eq!(asked.headers["authorization"], format!("Bearer {}", super::KEY));
    assert_eq!(asked.headers["http-referer"], "https://example.org");
    assert_eq!(asked.body["model"], "vendor/any");
    assert_eq!(asked.body["stream"], true);
}

#[tokio::test]
async fn a_refusal_and_a_content_filter_are_errors_that_say_so() {
    let mut refusal = completion("");
    refusal["choices"][0]["message"]["refusal"] = json!("I will not");
    let mut filtered = completion("half");
    filtered["choices"][0]["finish_reason"] = json!("content_filter");
    for body in [refusal, filtered] {
        let outcome = ask_whole(vec![Play::json(200, &body)]).await;
        assert!(outcome.answer.unwrap_err().to_string().contains("refused to answer"), "{body}");
        assert_eq!(outcome.requests, 1);
    }
}

#[tokio::test]
async fn connections_are_closed_when_the_question_is_dropped() {
    let server = FakeServer::playing(vec![Play::default().silence()]).await;
    let model = model_at(&server);
    let question = question();
    tokio::select! {
        biased;
        _ = model.chat(&question, &NoTokens) => panic!("nothing was answered"),
        () = until_asked(&server) => {}
    }
    assert_eq!(server.requests().len(), 1);
}

async fn until_asked(server: &FakeServer) {
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
}
