//! Streamed answers, whole and broken.

use std::time::Duration;

use serde_json::{Value, json};
use stategraph_llm::{ChatModel, ModelErrorKind, NoTokens, Phase, RequestTimeout, UsageSource};

use super::{Pieces, ask_streaming, ask_whole, config, model_at, providers, question};
use stategraph_testing::fake_server::{FakeServer, Play, completion};

#[tokio::test]
async fn pieces_arrive_in_order_and_the_whole_is_their_sum() {
    let outcome = ask_streaming(vec![Play::streams(&["hel", "lo ", "you"])]).await;
    let answer = outcome.answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("hello you", "fake-1"));
    assert_eq!(outcome.pieces, ["hel", "lo ", "you"]);
    assert_eq!((answer.usage.total(), answer.usage.source), (10, UsageSource::Reported));
}

#[tokio::test]
async fn comments_and_single_bytes_do_not_matter() {
    let play =
        Play::stream().send(": keep-alive\n\n").piece("hé").send(": ping\r\n\r\n").piece("llo").end_of_text();
    let outcome = ask_streaming(vec![play.event("[DONE]").in_pieces_of(1)]).await;
    assert_eq!(outcome.answer.unwrap().text, "héllo");
    assert_eq!(outcome.pieces, ["hé", "llo"]);
}

#[tokio::test]
async fn a_stream_is_asked_for_with_its_usage() {
    let server = FakeServer::playing(vec![Play::streams(&["x"])]).await;
    model_at(&server).chat(&question(), &Pieces::default()).await.unwrap();
    let body = &server.requests()[0].body;
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn tool_calls_come_together_with_and_without_an_index() {
    let call =
        |delta: serde_json::Value| json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] }).to_string();
    let with_index = Play::stream()
        .event(&call(json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"p\"" } })))
        .event(&call(json!({ "index": 1, "id": "b", "function": { "name": "list", "arguments": "" } })))
        .event(&call(json!({ "index": 0, "function": { "arguments": ":1}" } })))
        .event(&call(json!({ "index": 1, "function": { "arguments": "{}" } })));
    let without_index = Play::stream()
        .event(&call(json!({ "id": "a", "function": { "name": "read", "arguments": "{\"p\":1}" } })))
        .event(&call(json!({ "id": "b", "function": { "name": "list", "arguments": "{" } })))
        .event(&call(json!({ "function": { "arguments": "}" } })));
    let all_zero = Play::stream()
        .event(&call(
            json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"p\":1}" } }),
        ))
        .event(&call(json!({ "index": 0, "id": "b", "function": { "name": "list", "arguments": "{}" } })));
    for play in [with_index, without_index, all_zero] {
        let end = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }).to_string();
        let answer = ask_streaming(vec![play.event(&end).event("[DONE]")]).await.answer.unwrap();
        let calls: Vec<_> = answer.tool_calls.iter().map(|c| (&*c.id, &*c.name, &*c.arguments)).collect();
        assert_eq!(calls, [("a", "read", "{\"p\":1}"), ("b", "list", "{}")]);
    }
}

#[tokio::test]
async fn a_reset_and_silence_in_mid_stream_are_told_apart() {
    let begun = Play::stream().piece("hel");
    let outcome = ask_streaming(vec![begun.clone().pause(Duration::from_millis(20)).reset()]).await;
    assert!(
        matches!(outcome.kind(), ModelErrorKind::Dropped { phase: Phase::Body, .. }),
        "{}",
        outcome.kind()
    );
    // A piece was shown and is not taken back: no second request.
    assert_eq!((outcome.pieces, outcome.requests), (vec!["hel".to_owned()], 1));

    let outcome = ask_streaming(vec![begun.silence()]).await;
    let idle = ModelErrorKind::Timeout { which: RequestTimeout::Idle, limit: Duration::from_millis(400) };
    assert_eq!((outcome.kind(), outcome.requests), (idle, 1));
}

#[tokio::test]
async fn a_reset_before_the_first_piece_is_asked_again() {
    let outcome = ask_streaming(vec![Play::stream().reset(), Play::streams(&["hello"])]).await;
    assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.requests), ("hello", 2));
}

#[tokio::test]
async fn a_sink_that_restarts_gets_the_pieces_once() {
    let broken = Play::stream().piece("hel").pause(Duration::from_millis(20)).reset();
    let server = FakeServer::playing(vec![broken, Play::streams(&["hel", "lo"])]).await;
    let sink = Pieces::that_restart();
    let answer = model_at(&server).chat(&question(), &sink).await.unwrap();
    assert_eq!((answer.text.as_str(), sink.taken()), ("hello", vec!["hel".to_owned(), "lo".to_owned()]));
}

#[tokio::test]
async fn a_clean_end_without_a_finish_reason_is_a_truncated_answer() {
    for play in [Play::stream().piece("hel"), Play::stream().piece("hel").event("[DONE]")] {
        let outcome = ask_streaming(vec![play]).await;
        let ModelErrorKind::Truncated { detail } = outcome.kind() else { panic!("{}", outcome.kind()) };
        assert!(detail.contains("finish_reason"), "{detail}");
        assert_eq!(outcome.requests, 1, "what was shown is not taken back");
    }
}

#[tokio::test]
async fn a_break_after_the_finish_reason_does_no_harm() {
    let play = Play::stream().piece("hello").end_of_text().pause(Duration::from_millis(20)).reset();
    let answer = ask_streaming(vec![play]).await.answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.source), ("hello", UsageSource::Estimated));
}

#[tokio::test]
async fn one_bad_chunk_fails_the_answer() {
    let outcome =
        ask_streaming(vec![Play::stream().piece("hel").event("{oops").piece("lo").end_of_text()]).await;
    let ModelErrorKind::NotJson { excerpt, .. } = outcome.kind() else { panic!("{}", outcome.kind()) };
    assert_eq!((excerpt.as_str(), outcome.requests), ("{oops", 1));
}

#[tokio::test]
async fn an_error_event_in_mid_stream_is_that_error() {
    let error = json!({ "error": { "message": "overloaded", "code": "overloaded_error" } }).to_string();
    let outcome = ask_streaming(vec![Play::stream().piece("hel").event(&error)]).await;
    let expected =
        ModelErrorKind::Failed { code: Some("overloaded_error".into()), message: "overloaded".into() };
    assert_eq!((outcome.kind(), outcome.requests), (expected, 1));
}

#[tokio::test]
async fn an_answer_is_read_whatever_its_form_and_its_content_type() {
    let events = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let json = completion("hello").to_string();
    let commented = format!(": OPENROUTER PROCESSING\n\n{events}");
    let named = format!("event: message\nid: 1\n{events}");
    for content_type in ["text/event-stream; charset=utf-8", "application/json", "text/plain", ""] {
        for body in
            [events, json.as_str(), &commented, &named, &format!("\r\n  {json}"), &format!("\u{feff}{json}")]
        {
            for size in [1, 100_000] {
                let play = Play::body(200, content_type, body).in_pieces_of(size);
                let outcome = ask_whole(vec![play]).await;
                assert_eq!(
                    outcome.answer.map(|answer| answer.text),
                    Ok("hello".to_owned()),
                    "{content_type}: {body}"
                );
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_wanted_whole_is_asked_for_as_a_stream_and_hands_no_pieces_on() {
    let server = FakeServer::playing(vec![Play::streams(&["hel", "lo"])]).await;
    let answer = model_at(&server).chat(&question(), &NoTokens).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.source), ("hello", UsageSource::Reported));
    assert_eq!(server.requests()[0].body["stream"], true);
}

/// A server that refuses requests for which `refuses` has words.
async fn choosy(status: u16, refuses: fn(&Value) -> Option<&'static str>) -> FakeServer {
    FakeServer::answering(move |_, asked| match refuses(&asked.body) {
        Some(words) => Play::json(status, &json!({ "error": { "message": words } })),
        None if asked.body["stream"] == true => Play::streams(&["hello"]),
        None => Play::says("hello"),
    })
    .await
}

#[tokio::test]
async fn an_endpoint_that_refuses_the_option_of_usage_is_asked_once_without_it_and_remembered() {
    let refuses = |body: &Value| {
        body.get("stream_options").map(|_| "Unrecognized request argument supplied: stream_options")
    };
    let server = choosy(400, refuses).await;
    let providers = providers(config(&server));
    for (name, requests) in [("local/one", 2), ("local/one", 3), ("local/two", 4)] {
        let answer = providers.model(name).unwrap().chat(&question(), &NoTokens).await.unwrap();
        assert_eq!((answer.text.as_str(), server.requests().len()), ("hello", requests), "{name}");
    }
    assert!(server.requests()[1..].iter().all(|asked| asked.body["stream"] == true));
}

#[tokio::test]
async fn a_model_that_refuses_to_stream_is_asked_for_the_whole_answer_and_remembered() {
    let rows: [(u16, &str); 3] = [
        (400, "Your organization must be verified to stream this model."),
        (422, "`stream`: true is not supported"),
        (500, "Cannot use tools with stream"),
    ];
    for (status, words) in rows {
        let server = FakeServer::answering(move |_, asked| {
            if asked.body["stream"] == true {
                return Play::json(status, &json!({ "error": { "message": words } }));
            }
            Play::says("hello")
        })
        .await;
        let model = model_at(&server);
        for requests in [2, 3] {
            let answer = model.chat(&question(), &NoTokens).await.unwrap();
            assert_eq!((answer.text.as_str(), server.requests().len()), ("hello", requests), "{words}");
        }
        assert_eq!(server.requests()[1].body.get("stream_options"), None, "{words}");
    }
}

#[tokio::test]
async fn words_that_only_sound_like_a_stream_are_no_refusal_of_streams() {
    let server = choosy(400, |_| Some("the upstream server rejects this")).await;
    model_at(&server).chat(&question(), &NoTokens).await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn json_answered_to_a_stream_is_taken_as_one_piece() {
    let outcome = ask_streaming(vec![Play::says("hello")]).await;
    assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.pieces), ("hello", vec!["hello".to_owned()]));
    let mut without_reason = completion("hello");
    without_reason["choices"][0]["finish_reason"] = json!(null);
    assert_eq!(ask_streaming(vec![Play::json(200, &without_reason)]).await.answer.unwrap().text, "hello");
}

#[tokio::test]
async fn html_answered_to_a_stream_is_an_error_and_a_429_keeps_its_status() {
    let outcome = ask_streaming(vec![Play::body(200, "text/html", "<p>hi</p>")]).await;
    assert!(matches!(outcome.kind(), ModelErrorKind::NotJson { .. }), "{}", outcome.kind());
    let outcome = ask_streaming(vec![Play::body(429, "text/plain", "slow down")]).await;
    assert!(matches!(outcome.kind(), ModelErrorKind::Status { status: 429, .. }), "{}", outcome.kind());
    assert_eq!(outcome.requests, 3);
}

#[tokio::test]
async fn a_stream_without_events_has_no_choices() {
    let outcome = ask_streaming(vec![Play::stream().event("[DONE]")]).await;
    assert_eq!(outcome.kind(), ModelErrorKind::EmptyChoices);
}
