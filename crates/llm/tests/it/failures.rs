//! Whole answers that are none: every row of the table of what endpoints really send. Each asserts what is
//! said and how often was asked.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde_json::json;
use stategraph_llm::layer::BudgetLimits;
use stategraph_llm::{AskPolicy, ChatModel, ModelErrorKind, NoTokens, Phase, RetryAfter, ask};

use super::{ask_whole, config, model_at, providers, question};
use stategraph_testing::fake_server::{FakeServer, Play, completion};

fn limited(retry_after: &str) -> Play {
    let body = r#"{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limited"}}"#;
    let headers =
        [("content-type", "application/json"), ("retry-after", retry_after), ("x-request-id", "req-1")];
    Play::with_headers(429, &headers, body)
}

fn status(kind: &ModelErrorKind) -> (u16, &str) {
    match kind {
        ModelErrorKind::Status { status, message, .. } => (*status, message),
        other => panic!("no status: {other}"),
    }
}

#[tokio::test]
async fn a_429_that_passes_is_asked_again() {
    // ENG-15
    let outcome = ask_whole(vec![limited("0"), Play::says("hello")]).await;
    assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.requests), ("hello", 2));
}

#[tokio::test]
async fn a_429_for_ever_keeps_status_code_wish_and_request_id() {
    let outcome = ask_whole(vec![limited("0")]).await;
    let expected = ModelErrorKind::Status {
        status: 429,
        code: Some("rate_limited".into()),
        retry_after: Some(RetryAfter::Seconds(0)),
        request_id: Some("req-1".into()),
        message: "slow down".into(),
    };
    assert_eq!((outcome.kind(), outcome.requests), (expected, 3));
    let error = outcome.answer.unwrap_err();
    assert!(error.hint().unwrap().contains("requests_per_minute"), "{:?}", error.hint());
}

#[tokio::test]
async fn a_retry_after_beyond_the_limit_fails_at_once_and_says_when_to_resume() {
    // `max_wait_s` is 20 ms.
    let before = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let outcome = ask_whole(vec![limited("3600")]).await;
    let ModelErrorKind::TryLater { status: 429, wait_s: 3600, until, limit, .. } = outcome.kind() else {
        panic!("{}", outcome.kind())
    };
    assert_eq!((outcome.requests, limit), (1, Duration::from_millis(20)));
    assert!((before + 3600..before + 3700).contains(&until), "{until}");
    let error = outcome.answer.unwrap_err();
    assert!(!error.is_transient());
    assert!(
        error
            .to_string()
            .ends_with("slow down; it asks to wait 3600 s, longer than the 0.02 s that are waited"),
        "{error}"
    );
    let moment = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(until));
    let hint = error.hint().unwrap();
    assert!(hint.starts_with(&format!("resume after {moment}, or raise `max_wait_s`")), "{hint}");
}

#[tokio::test]
async fn a_retry_after_of_ages_has_no_date_and_does_no_harm() {
    for wish in ["999999999999", "18446744073709551615"] {
        let outcome = ask_whole(vec![limited(wish)]).await;
        assert_eq!(outcome.requests, 1);
        let hint = outcome.answer.unwrap_err().hint().unwrap();
        assert!(hint.starts_with("resume later, or raise"), "{hint}");
    }
}

#[tokio::test]
async fn a_retry_after_with_a_date_is_understood() {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    let outcome = ask_whole(vec![limited("Sun, 06 Nov 1994 08:49:37 GMT")]).await;
    let ModelErrorKind::Status { retry_after, .. } = outcome.kind() else { panic!("no status") };
    let seconds = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert_eq!((retry_after, outcome.requests), (Some(RetryAfter::At(seconds)), 3));
}

#[tokio::test]
async fn a_numeric_code_keeps_the_status_and_is_asked_again() {
    let body = json!({ "error": { "message": "Rate limited", "code": 429 } });
    let outcome = ask_whole(vec![Play::json(429, &body), Play::says("hello")]).await;
    assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.requests), ("hello", 2));
}

#[tokio::test]
async fn a_used_up_quota_is_not_asked_again() {
    let body = json!({ "error": { "message": "quota", "type": "insufficient_quota", "code": "insufficient_quota" } });
    let outcome = ask_whole(vec![Play::json(429, &body)]).await;
    assert_eq!((status(&outcome.kind()), outcome.requests), ((429, "quota"), 1));
    assert!(outcome.answer.unwrap_err().hint().unwrap().contains("credit"));
}

#[tokio::test]
async fn server_errors_are_asked_again_and_keep_their_status() {
    // ENG-15
    for code in [500, 502, 503, 529] {
        let outcome = ask_whole(vec![Play::body(code, "text/plain", "overloaded")]).await;
        assert_eq!((status(&outcome.kind()), outcome.requests), ((code, "overloaded"), 3));
    }
}

#[tokio::test]
async fn other_refusals_are_not_asked_again_and_keep_status_and_words() {
    // ENG-15
    let gemini = r#"[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]"#;
    let openai =
        r#"{"error":{"message":"no such model","type":"invalid_request_error","param":null,"code":null}}"#;
    let rows = [
        (400, "application/json", openai, "no such model"),
        (401, "text/html", "<html>\n<b>Unauthorized</b></html>", "<html> <b>Unauthorized</b></html>"),
        (404, "text/plain", "404 page not found", "404 page not found"),
        (400, "application/json", gemini, "API key not valid"),
        (422, "application/json", r#"{"detail":"bad field"}"#, "bad field"),
        (403, "application/json", r#"{"error":"forbidden"}"#, "forbidden"),
        (403, "text/plain", "", "(nothing)"),
    ];
    for (code, content_type, body, words) in rows {
        let outcome = ask_whole(vec![Play::body(code, content_type, body)]).await;
        assert_eq!((status(&outcome.kind()), outcome.requests), ((code, words), 1));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let headers = [("location", "http://127.0.0.1:9/"), ("content-type", "text/plain")];
    let outcome = ask_whole(vec![Play::with_headers(302, &headers, "moved")]).await;
    assert_eq!((status(&outcome.kind()), outcome.requests), ((302, "moved"), 1));
    assert!(outcome.answer.unwrap_err().hint().unwrap().contains("redirects"));
}

#[tokio::test]
async fn a_redirect_carries_no_key_to_another_host() {
    let other = FakeServer::playing(vec![Play::says("stolen")]).await;
    for code in [301, 302, 303, 307, 308] {
        let location = format!("{}/chat/completions", other.base_url());
        let headers = [("location", location.as_str()), ("content-type", "text/plain")];
        let outcome = ask_whole(vec![Play::with_headers(code, &headers, "moved")]).await;
        assert_eq!(status(&outcome.kind()), (code, "moved"));
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_200_that_reports_an_error_is_that_error() {
    let body = json!({ "error": { "message": "no credits", "code": "payment" } });
    let outcome = ask_whole(vec![Play::json(200, &body)]).await;
    let expected = ModelErrorKind::Failed { code: Some("payment".into()), message: "no credits".into() };
    assert_eq!((outcome.kind(), outcome.requests), (expected, 3));
}

#[tokio::test]
async fn a_200_that_reports_a_failure_is_asked_again_unless_its_code_blames_the_request() {
    // ENG-15
    for (code, requests) in [
        (json!(502), 2),
        (json!("502"), 2),
        (json!(429), 2),
        (json!(null), 2),
        (json!("server_error"), 2),
        (json!(1305), 2),
        (json!(401), 1),
        (json!("insufficient_quota"), 1),
        (json!("context_length_exceeded"), 1),
        (json!("INVALID_REQUEST_ERROR"), 1),
    ] {
        let body = json!({ "error": { "message": "upstream", "code": code } });
        let outcome = ask_whole(vec![Play::json(200, &body), Play::says("hello")]).await;
        assert_eq!((outcome.answer.is_ok(), outcome.requests), (requests == 2, requests), "{code}");
    }
}

#[tokio::test]
async fn a_200_that_is_empty_cut_or_without_a_choice_is_asked_again() {
    // ENG-15
    let cut = completion("hello").to_string();
    let mut broken_off = completion("half an ans");
    broken_off["choices"][0]["finish_reason"] = json!("error");
    for bad in [
        Play::body(200, "application/json", ""),
        Play::body(200, "text/event-stream", ""),
        Play::body(200, "application/json", &cut[..60]),
        Play::json(200, &json!({ "choices": [] })),
        Play::json(200, &broken_off),
        Play::stream(),
        Play::stream().piece("hel"),
        Play::stream().event("[DONE]"),
        Play::stream().piece("hel").event("{\"choices\": [{\"del"),
        Play::stream().piece("hel").event(&json!({ "error": { "message": "overloaded" } }).to_string()),
    ] {
        let outcome = ask_whole(vec![bad.clone(), Play::says("hello")]).await;
        assert_eq!(outcome.answer.map(|answer| answer.text), Ok("hello".to_owned()), "{bad:?}");
        assert_eq!(outcome.requests, 2, "{bad:?}");
    }
}

#[tokio::test]
async fn cut_json_and_an_empty_body_are_truncated_answers() {
    let whole = completion("hello").to_string();
    for (body, detail) in [(&whole[..60], "after 60 bytes"), ("", "empty"), ("  \n", "empty")] {
        let outcome = ask_whole(vec![Play::body(200, "application/json", body)]).await;
        let ModelErrorKind::Truncated { detail: found } = outcome.kind() else {
            panic!("{}", outcome.kind())
        };
        assert!(found.contains(detail), "{found}");
        assert_eq!(outcome.requests, 3);
    }
}

#[tokio::test]
async fn html_instead_of_json_is_shown_with_its_type() {
    let outcome =
        ask_whole(vec![Play::body(200, "text/html; charset=utf-8", "<h1>Welcome\u{1b}[31m</h1>")]).await;
    let expected = ModelErrorKind::NotJson {
        content_type: "text/html; charset=utf-8".into(),
        excerpt: "<h1>Welcome [31m</h1>".into(),
    };
    assert_eq!((outcome.kind(), outcome.requests), (expected, 1));
    assert!(outcome.answer.unwrap_err().hint().unwrap().contains("base_url"));
}

#[tokio::test]
async fn a_long_body_is_an_excerpt_in_the_error() {
    let outcome = ask_whole(vec![Play::body(400, "text/plain", &"ä".repeat(100_000))]).await;
    assert!(outcome.answer.unwrap_err().to_string().chars().count() < 500);
}

#[tokio::test]
async fn no_choices_are_an_error() {
    for body in [json!({ "choices": [] }), json!({ "choices": null }), json!({}), json!([])] {
        let outcome = ask_whole(vec![Play::json(200, &body)]).await;
        assert_eq!((outcome.kind(), outcome.requests), (ModelErrorKind::EmptyChoices, 3));
    }
}

#[tokio::test]
async fn a_finish_reason_of_error_is_a_failure() {
    let mut body = completion("half an ans");
    body["choices"][0]["finish_reason"] = json!("error");
    let outcome = ask_whole(vec![Play::json(200, &body)]).await;
    assert!(matches!(outcome.kind(), ModelErrorKind::Failed { .. }), "{}", outcome.kind());
    assert_eq!(outcome.requests, 3);
}

#[tokio::test]
async fn a_reset_before_the_headers_is_a_dropped_connection() {
    let outcome = ask_whole(vec![Play::default().reset()]).await;
    assert!(
        matches!(outcome.kind(), ModelErrorKind::Dropped { phase: Phase::Headers, .. }),
        "{}",
        outcome.kind()
    );
    assert_eq!(outcome.requests, 3);
}

#[tokio::test]
async fn a_reset_or_an_early_end_in_the_body_is_a_dropped_connection() {
    let begun = Play::default()
        .send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"choi");
    for play in [begun.clone().pause(Duration::from_millis(20)).reset(), begun] {
        let outcome = ask_whole(vec![play]).await;
        assert!(
            matches!(outcome.kind(), ModelErrorKind::Dropped { phase: Phase::Body, .. }),
            "{}",
            outcome.kind()
        );
        assert_eq!(outcome.requests, 3);
    }
}

#[tokio::test]
async fn a_refused_connection_is_unreachable_and_says_where() {
    let server = FakeServer::playing(vec![Play::says("never")]).await;
    let (config, base) = (config(&server), server.base_url());
    drop(server);
    tokio::task::yield_now().await;
    let error = providers(config).model("local/any").unwrap().chat(&question(), &NoTokens).await.unwrap_err();
    assert!(matches!(*error.kind, ModelErrorKind::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&base) && error.to_string().contains("local/any"), "{error}");
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_slow_body_that_never_falls_silent_is_waited_for() {
    let text = completion("hello").to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    let pause = Duration::from_millis(40);
    // Sixteen pieces take 640 ms; the idle patience is 400 ms.
    let size = text.len().div_ceil(16);
    let slow = text.as_bytes().chunks(size).fold(Play::default().send(&head), |play, piece| {
        play.pause(pause).send(std::str::from_utf8(piece).unwrap())
    });
    let outcome = ask_whole(vec![slow]).await;
    assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.requests), ("hello", 1));
}

#[tokio::test]
async fn a_key_with_a_trailing_line_break_works() {
    let server = FakeServer::playing(vec![Play::says("hello")]).await;
    let env = std::collections::BTreeMap::from([("LOCAL_KEY".to_owned(), format!("{}\r\n", super::KEY))]);
    let configs = std::collections::BTreeMap::from([("local".to_owned(), config(&server))]);
    let providers = stategraph_llm::Providers::new(env).configured(configs).unwrap();
    providers.model("local/any").unwrap().chat(&question(), &NoTokens).await.unwrap();
    assert_eq!(server.requests()[0].headers["authorization"], format!("Bearer {}", super::KEY));
}

#[tokio::test]
async fn the_error_of_one_model_does_not_spoil_the_next_call() {
    let server = FakeServer::playing(vec![Play::body(400, "text/plain", "no"), Play::says("hello")]).await;
    let model = model_at(&server);
    assert!(model.chat(&question(), &NoTokens).await.is_err());
    assert_eq!(model.chat(&question(), &NoTokens).await.unwrap().text, "hello");
}

#[tokio::test]
async fn a_body_without_end_is_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let mebibyte = " ".repeat(1 << 20);
    let endless = (0..65).fold(Play::default().send(head), |play, _| play.send(&mebibyte));
    let outcome = ask_whole(vec![endless]).await;
    assert_eq!((outcome.kind(), outcome.requests), (ModelErrorKind::TooLarge { limit: 64 << 20 }, 1));
}

#[tokio::test]
async fn every_error_names_the_model_and_its_endpoint() {
    // ENG-29
    let spent = BudgetLimits { tokens: Some(0), ..BudgetLimits::default() };
    for play in [
        Play::body(400, "text/plain", "no"),
        Play::body(200, "application/json", ""),
        Play::json(200, &json!({ "choices": [] })),
        Play::stream().piece("half"),
        Play::default().reset(),
        limited("3600"),
    ] {
        let server = FakeServer::playing(vec![play]).await;
        let place = format!("model `local/any` at {}: ", server.base_url());
        let error = model_at(&server).chat(&question(), &NoTokens).await.unwrap_err().to_string();
        assert!(error.starts_with(&place), "{error}");
    }
    let server = FakeServer::playing(vec![Play::says("no JSON")]).await;
    let place = format!("model `local/any` at {}", server.base_url());
    let model = model_at(&server);
    let asked = ask::<BTreeMap<String, u32>>(&model, question(), AskPolicy::reasks(0), |_| Ok(()), &NoTokens);
    let error = asked.await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{place} gave no acceptable answer")), "{error}");
    let budgeted = providers(config(&server)).budget(spent).model("local/any").unwrap();
    let error = budgeted.chat(&question(), &NoTokens).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{place}: the budget is used up")), "{error}");
}
