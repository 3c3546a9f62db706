//! `http` and `tool`: retries and their waits, permanent refusals, and results.

use futures_util::StreamExt;
use serde_json::{Value, json};
use stategraph_core::{EventKind, EventKinds, Host, HostRequest, HostStart, Retryable, RunError};
use stategraph_kinds::{HostPolicy, Services};
use stategraph_llm::{ModelErrorKind, Scripted, ScriptedAnswer, ToolCall};

use super::kinds::{asking, compiled, offline, one, start, value};
use stategraph_testing::fake_server::{FakeServer, Play};

/// The host of a server, with its port.
fn host(server: &FakeServer) -> String {
    server.base_url().trim_start_matches("http://").split('/').next().unwrap().to_owned()
}

fn open() -> Services {
    offline().hosts(HostPolicy::allow(["*".to_owned()]))
}

/// A node that gets `/x` of a server, with more keys.
fn getting(server: &FakeServer, more: &str) -> String {
    one(
        "{ out: any }",
        &format!("{{ http: {{ url: \"http://{}/x\" }}, to: {{ out: result.body }}{more} }}", host(server)),
    )
}

fn failed(error: &RunError) -> (String, u32, Retryable) {
    let RunError::Node { source, attempts, .. } = error else { panic!("{error:?}") };
    (source.to_string(), *attempts, source.retryable())
}

const SOON: &str = ", retry: { attempts: 3, first_wait: 1ms }";

fn busy(status: u16, after: &str) -> Play {
    Play::with_headers(status, &[("retry-after", after)], "busy")
}

#[tokio::test]
async fn a_server_that_is_busy_or_failed_is_asked_again_also_where_the_node_does_not_say_so() {
    let answers = vec![
        Play::body(503, "text/plain", "no"),
        Play::body(429, "text/plain", "no"),
        Play::body(200, "text/plain", "yes"),
    ];
    for more in ["", SOON] {
        let server = FakeServer::playing(answers.clone()).await;
        assert_eq!(value(&getting(&server, more), open(), "out").await.unwrap(), json!("yes"));
        assert_eq!(server.requests().len(), 3);
    }
    let server =
        FakeServer::playing(vec![Play::default().reset(), Play::body(200, "text/plain", "yes")]).await;
    assert_eq!(value(&getting(&server, SOON), open(), "out").await.unwrap(), json!("yes"));
}

#[tokio::test]
async fn a_node_that_asks_for_one_attempt_makes_one() {
    let server = FakeServer::playing(vec![Play::body(500, "text/plain", "broken")]).await;
    let error = value(&getting(&server, ", retry: { attempts: 1 }"), open(), "out").await.unwrap_err();
    assert_eq!(failed(&error).1, 1);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_request_that_is_refused_is_not_sent_again_whatever_the_node_says() {
    for status in [400, 401, 403, 404, 408, 409, 422] {
        let server = FakeServer::playing(vec![Play::body(status, "text/plain", "no")]).await;
        let error = value(&getting(&server, SOON), open(), "out").await.unwrap_err();
        assert_eq!(
            (failed(&error).1, failed(&error).2, server.requests().len()),
            (1, Retryable::Never, 1),
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_kept() {
    let server = FakeServer::playing(vec![busy(429, "1"), Play::body(200, "text/plain", "yes")]).await;
    let text = getting(&server, SOON);
    let graph = compiled(&text, open());
    let state = serde_json::to_value(start(&text)).unwrap();
    let mut request = HostRequest::new(HostStart::Input { state, thread: None });
    request.events = EventKinds::TASKS;
    let mut stream = (&graph as &dyn Host).stream(request).await.unwrap();
    let mut waits = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::TaskRetried { wait_ms, error, .. } = event.kind {
            waits.push(wait_ms);
            assert!(error.contains("429"), "{error}");
        }
    }
    assert_eq!(waits, [1_000], "the policy alone would wait a millisecond");
}

#[tokio::test]
async fn a_wait_beyond_the_longest_of_the_node_fails_at_once_and_says_when_to_resume() {
    let server = FakeServer::playing(vec![busy(503, "600")]).await;
    let error = value(&getting(&server, ""), open(), "out").await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
    let hint = error.hint().unwrap();
    assert!(hint.contains("600s: resume then, or raise `longest_wait`"), "{hint}");
}

#[tokio::test]
async fn a_post_that_may_have_been_done_is_not_sent_again_unless_the_node_says_so() {
    let answers = || vec![Play::default().reset(), Play::body(200, "text/plain", "yes")];
    let server = FakeServer::playing(answers()).await;
    let post =
        |server: &FakeServer, more: &str| getting(server, more).replace("http: {", "http: { method: POST,");
    value(&post(&server, ""), open(), "out").await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
    let server = FakeServer::playing(answers()).await;
    assert_eq!(value(&post(&server, SOON), open(), "out").await.unwrap(), json!("yes"));
}

#[tokio::test]
async fn a_host_without_a_port_is_allowed_at_every_port_and_one_with_a_port_at_that_port() {
    let server = FakeServer::playing(vec![Play::body(200, "text/plain", "yes")]).await;
    let (name, port) =
        host(&server).rsplit_once(':').map(|(name, port)| (name.to_owned(), port.to_owned())).unwrap();
    let asked = async |allowed: String| {
        value(&getting(&server, ""), offline().hosts(HostPolicy::allow([allowed])), "out").await.is_ok()
    };
    assert!(asked(name.clone()).await && asked(format!(" {name}:{port} ")).await && asked("*".into()).await);
    assert!(
        !asked(format!("{name}:1")).await && !asked("localhost".into()).await && !asked("[::1]".into()).await
    );
}

// The permanence of an error and its hint pass through the tool layer.
#[tokio::test]
async fn a_tool_that_sends_a_request_fails_as_the_request_does() {
    let tool = |server: &FakeServer| {
        let node = "{ tool: { name: ask, arguments: {} }, to: out, retry: { attempts: 3, first_wait: 1ms } }";
        let tools = format!(
            "tools:\n  ask:\n    description: Asks\n    http: {{ url: \"http://{}/x\" }}\n",
            host(server)
        );
        one("{ out: any }", node).replace("nodes:\n", &format!("{tools}nodes:\n"))
    };
    let server = FakeServer::playing(vec![Play::body(404, "text/plain", "no")]).await;
    let error = value(&tool(&server), open(), "out").await.unwrap_err();
    assert_eq!((failed(&error).1, failed(&error).2), (1, Retryable::Never));
    let closed = value(&tool(&server), offline(), "out").await.unwrap_err();
    assert_eq!(
        closed.hint().unwrap(),
        format!("if you trust this graph with it, allow HTTP to `{}`", host(&server))
    );
    assert_eq!(failed(&closed).1, 1);
    let server = FakeServer::playing(vec![busy(503, "0"), Play::json(200, &json!({ "n": [1, 2] }))]).await;
    // The answer of a tool is a value.
    let answer = json!({ "status": 200, "body": { "n": [1, 2] } });
    assert_eq!(value(&tool(&server), open(), "out").await.unwrap(), answer);
    // A node without `retry` is retried, too.
    let server = FakeServer::playing(vec![busy(503, "0"), Play::json(200, &json!({ "n": [1, 2] }))]).await;
    let silent = tool(&server).replace(", retry: { attempts: 3, first_wait: 1ms }", "");
    assert_eq!(value(&silent, open(), "out").await.unwrap(), answer);
}

#[tokio::test]
async fn a_request_of_a_tool_that_a_model_calls_is_sent_again_before_the_model_hears_of_it() {
    let asked = async |plays: Vec<Play>| -> (Value, usize) {
        let server = FakeServer::playing(plays).await;
        let tools = format!(
            "tools:\n  ask:\n    description: Asks\n    http: {{ url: \"http://{}/x\" }}\n",
            host(&server)
        );
        let text = one("{ out: string }", "{ agent: { task: t, tools: [ask] }, to: out }")
            .replace("nodes:\n", &format!("{tools}nodes:\n"));
        let call = ToolCall { id: "1".into(), name: "ask".into(), arguments: "{}".into() };
        let calling = ScriptedAnswer { tool_calls: vec![call], ..Default::default() };
        let (services, model) = asking(Scripted::new("test/m").reply(calling).answer("done"));
        value(&text, services.hosts(HostPolicy::allow(["*".to_owned()])), "out").await.unwrap();
        let read = model.requests()[1].messages.last().unwrap().content.clone();
        (serde_json::from_str(&read).unwrap(), server.requests().len())
    };
    let (read, requests) = asked(vec![busy(429, "0"), Play::json(200, &json!(7))]).await;
    assert_eq!((&read["success"], requests), (&json!(true), 2));
    let (read, requests) = asked(vec![Play::body(403, "text/plain", "no")]).await;
    assert_eq!((&read["success"], &read["again"], requests), (&json!(false), &json!("never"), 1));
    let (read, requests) = asked(vec![busy(503, "900")]).await;
    assert_eq!((&read["again"]["later"]["after_ms"], requests), (&json!(900_000), 1));
    assert!(read["hint"].as_str().unwrap().contains("900s: resume then"), "{read}");
}

#[tokio::test]
async fn a_json_body_is_a_value_and_a_text_becomes_one_by_fromjson() {
    let json = |content_type: &str| vec![Play::body(200, content_type, "{\"n\": [1, 2]}")];
    for content_type in ["application/json", "application/problem+json; charset=utf-8"] {
        let server = FakeServer::playing(json(content_type)).await;
        assert_eq!(value(&getting(&server, ""), open(), "out").await.unwrap(), json!({ "n": [1, 2] }));
    }
    let server = FakeServer::playing(json("text/plain")).await;
    let text = getting(&server, "");
    assert_eq!(value(&text, open(), "out").await.unwrap(), json!("{\"n\": [1, 2]}"));
    let read = text.replace("result.body", "\"(result.body | fromjson).n[1]\"");
    assert_eq!(value(&read, open(), "out").await.unwrap(), json!(2));
    let broken = one("{ out: any }", "{ set: { out: \"'{' | fromjson\" } }");
    let error = value(&broken, offline(), "out").await.unwrap_err();
    assert!(failed(&error).0.contains("the text is not JSON"), "{error:?}");
}

#[tokio::test]
async fn a_value_that_is_not_there_is_an_error_in_a_url_and_in_a_header() {
    let server = FakeServer::playing(vec![Play::body(200, "text/plain", "yes")]).await;
    let state = "{ token: string?, user: { type: object, default: { name: null } }, out: any }";
    let asking = |path: &str, header: &str| {
        let url = format!("http://{}/{path}", host(&server));
        one(
            state,
            &format!("{{ http: {{ url: \"{url}\", headers: {{ authorization: \"{header}\" }} }}, to: out }}"),
        )
    };
    for (path, header) in [
        ("", "Bearer {{ state.token }}"),
        ("", "{{ 'Bearer ' ~ state.token }}"),
        ("", "Bearer {{ state.user.name }}"),
        ("", "Bearer {{ state.user.key }}"),
        ("{{ state.token }}", "x"),
        ("{{ state.token | urlencode }}", "x"),
    ] {
        let error = value(&asking(path, header), open(), "out").await.unwrap_err();
        assert!(
            failed(&error).0.contains("reads something that is not there, or null"),
            "{path} {header}: {error:?}"
        );
        assert_eq!(failed(&error).2, Retryable::Never);
    }
    assert!(server.requests().is_empty(), "nothing is sent");
    let named = asking("{{ state.user.id }}", "x").replace("name: null", "name: null, id: 7");
    value(&named, open(), "out").await.unwrap();
    assert!(server.requests()[0].line.starts_with("GET /7"), "{:?}", server.requests());
    let given =
        asking("{% if state.token is none %}a{% endif %}", "{{ state.token | default('anonymous') }}");
    value(&given, open(), "out").await.unwrap();
    assert!(server.requests()[1].line.starts_with("GET /a"), "{:?}", server.requests());
    assert_eq!(server.requests()[1].headers["authorization"], "anonymous");
}

// The model layer has asked again itself; `retry` of a node wants more of it.
#[tokio::test]
async fn a_model_node_with_a_retry_asks_again_after_an_error_that_passes() {
    let text = |more: &str| one("{ out: string }", &format!("{{ model: {{ prompt: p }}, to: out{more} }}"));
    let down = || ModelErrorKind::Unreachable { reason: "down".into() };
    let (services, model) = asking(Scripted::new("test/m").fail(down()).answer("up"));
    assert_eq!(value(&text(SOON), services, "out").await.unwrap(), json!("up"));
    assert_eq!(model.requests().len(), 2);
    let (services, model) = asking(Scripted::new("test/m").fail(down()).answer("up"));
    value(&text(""), services, "out").await.unwrap_err();
    assert_eq!(model.requests().len(), 1);
    let refused = ModelErrorKind::Refused { message: "no".into() };
    let (services, model) = asking(Scripted::new("test/m").fail(refused).answer("up"));
    value(&text(SOON), services, "out").await.unwrap_err();
    assert_eq!(model.requests().len(), 1);
}
