//! How long an answer is waited for: the time to its first token and the silence between tokens. The clock is paused and goes on only
//! when a test says so, so that two minutes take none and no limit is reached by chance.

use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;
use stategraph_llm::{
    ChatAnswer, ChatModel, ModelError, ModelErrorKind, NoTokens, ProviderConfig, RequestTimeout, Seconds,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{providers, question};
use stategraph_testing::fake_server::completion;

const STREAM: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
const JSON: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n";
const COMMENT: &str = ": OPENROUTER PROCESSING\n\n";

/// A question to an endpoint that does what the test says, when it says so.
struct Exchange {
    client: JoinHandle<Result<ChatAnswer, ModelError>>,
    server: TcpStream,
    /// The clock of tokio advances by itself when nothing is to be done, but not while something blocks.
    _hold: mpsc::Sender<()>,
}

impl Exchange {
    /// Asks once, with the default limits.
    async fn begun() -> Self {
        Self::with(ProviderConfig::default()).await
    }

    async fn with(mut config: ProviderConfig) -> Self {
        let (hold, end) = mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || end.recv());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        config.base_url = Some(format!("http://{}/v1", listener.local_addr().unwrap()));
        config.retry.attempts = Some(1);
        let model = providers(config).model("local/any").unwrap();
        let client = tokio::spawn(async move { model.chat(&question(), &NoTokens).await });
        let (mut server, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"}") {
            server.read_buf(&mut head).await.unwrap();
        }
        Self { client, server, _hold: hold }
    }

    /// Sends, and lets the client read it.
    async fn send(&mut self, text: &str) {
        self.server.write_all(text.as_bytes()).await.unwrap();
        self.settle().await;
    }

    async fn piece(&mut self, delta: serde_json::Value) {
        self.send(&format!("data: {}\n\n", json!({ "choices": [{ "delta": delta }] }))).await;
    }

    /// Lets time pass.
    async fn wait(&mut self, seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
        self.settle().await;
    }

    /// Lets the client do all that it can: what was sent is there at once on loopback, and a turn of the reactor hands it on.
    async fn settle(&self) {
        for _ in 0..500 {
            tokio::task::yield_now().await;
        }
    }

    async fn end(mut self) -> Result<String, ModelErrorKind> {
        let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
        self.send(&format!("data: {end}\n\ndata: [DONE]\n\n")).await;
        self.answer().await
    }

    async fn answer(self) -> Result<String, ModelErrorKind> {
        self.client.await.unwrap().map(|answer| answer.text).map_err(|error| *error.kind)
    }
}

/// The completion that says `text`, not streamed.
fn whole(text: &str) -> String {
    let body = completion(text).to_string();
    let head = JSON.replace("\r\n\r\n", &format!("\r\ncontent-length: {}\r\n\r\n", body.len()));
    format!("{head}{body}")
}

fn out_of(which: RequestTimeout, seconds: u64) -> Result<String, ModelErrorKind> {
    Err(ModelErrorKind::Timeout { which, limit: Duration::from_secs(seconds) })
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what an exchange came to")]
fn said(text: &str) -> Result<String, ModelErrorKind> {
    Ok(text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_healthy_server_that_thinks_130_seconds_works_with_the_defaults() {
    // ENG-15
    let mut silent = Exchange::begun().await;
    silent.wait(130).await;
    silent.send(&whole("hello")).await;
    assert_eq!(silent.answer().await, said("hello"));

    let mut streaming = Exchange::begun().await;
    streaming.send(STREAM).await;
    streaming.wait(130).await;
    streaming.piece(json!({ "content": "hello" })).await;
    assert_eq!(streaming.end().await, said("hello"));
}

#[tokio::test(start_paused = true)]
async fn the_first_token_may_take_ten_minutes_and_no_longer() {
    let mut exchange = Exchange::begun().await;
    exchange.wait(599).await;
    assert!(!exchange.client.is_finished());
    exchange.wait(2).await;
    assert_eq!(exchange.answer().await, out_of(RequestTimeout::FirstToken, 600));
}

#[tokio::test(start_paused = true)]
async fn comments_and_empty_chunks_are_no_first_token() {
    let mut exchange = Exchange::begun().await;
    exchange.send(STREAM).await;
    for _ in 0..5 {
        exchange.wait(119).await;
        exchange.send(COMMENT).await;
        exchange.piece(json!({ "role": "assistant", "content": "" })).await;
    }
    assert!(!exchange.client.is_finished(), "they do not begin the limit of silence either");
    exchange.wait(6).await;
    assert_eq!(exchange.answer().await, out_of(RequestTimeout::FirstToken, 600));
}

#[tokio::test(start_paused = true)]
async fn a_role_at_once_and_a_token_after_130_seconds_is_a_healthy_answer() {
    let mut exchange = Exchange::begun().await;
    exchange.send(STREAM).await;
    exchange.piece(json!({ "role": "assistant", "content": "" })).await;
    exchange.wait(130).await;
    exchange.piece(json!({ "content": "hello" })).await;
    assert_eq!(exchange.end().await, said("hello"));
}

#[tokio::test(start_paused = true)]
async fn silence_between_tokens_ends_the_wait_after_two_minutes() {
    for first in [json!({ "content": "hel" }), json!({ "reasoning_content": "hm" })] {
        let mut exchange = Exchange::begun().await;
        exchange.send(STREAM).await;
        exchange.piece(first).await;
        exchange.wait(119).await;
        exchange.piece(json!({ "content": "lo" })).await;
        exchange.wait(119).await;
        assert!(!exchange.client.is_finished());
        exchange.wait(2).await;
        assert_eq!(exchange.answer().await, out_of(RequestTimeout::Idle, 120));
    }
}

#[tokio::test(start_paused = true)]
async fn comments_between_tokens_are_signs_of_life_for_as_long_as_a_first_token_may_take() {
    let mut exchange = Exchange::begun().await;
    exchange.send(STREAM).await;
    exchange.piece(json!({ "content": "hel" })).await;
    for _ in 0..5 {
        exchange.wait(119).await;
        exchange.send(COMMENT).await;
    }
    exchange.piece(json!({ "content": "lo" })).await;
    for _ in 0..5 {
        exchange.wait(119).await;
        exchange.send(COMMENT).await;
    }
    assert!(!exchange.client.is_finished());
    exchange.wait(6).await;
    assert_eq!(exchange.answer().await, out_of(RequestTimeout::FirstToken, 600));
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_whose_tokens_keep_coming_has_no_limit_of_time() {
    let mut exchange = Exchange::begun().await;
    exchange.send(STREAM).await;
    for _ in 0..20 {
        exchange.wait(100).await;
        exchange.piece(json!({ "content": "a" })).await;
    }
    assert_eq!(exchange.end().await, said(&"a".repeat(20)));
}

#[tokio::test(start_paused = true)]
async fn whole_json_that_falls_silent_or_dribbles_for_ever_is_given_up() {
    let mut silent = Exchange::begun().await;
    silent.send(&format!("{JSON}{{")).await;
    silent.wait(121).await;
    assert_eq!(silent.answer().await, out_of(RequestTimeout::Idle, 120));

    let mut dribbling = Exchange::begun().await;
    dribbling.send(&format!("{JSON}{{")).await;
    for _ in 0..6 {
        dribbling.wait(100).await;
        dribbling.send(" ").await;
    }
    dribbling.wait(1).await;
    assert_eq!(dribbling.answer().await, out_of(RequestTimeout::FirstToken, 600));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_stays_open_after_its_end_is_not_waited_for() {
    let mut exchange = Exchange::begun().await;
    exchange.send(STREAM).await;
    exchange.piece(json!({ "content": "hello" })).await;
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    exchange.send(&format!("data: {end}\n\n")).await;
    exchange.wait(6).await;
    assert_eq!(exchange.answer().await, said("hello"));
}

#[tokio::test(start_paused = true)]
async fn all_limits_can_be_set() {
    let seconds = |seconds| Some(Seconds::new(Duration::from_secs(seconds)));
    let config = || ProviderConfig {
        first_token_timeout_s: seconds(30),
        idle_timeout_s: seconds(3),
        ..ProviderConfig::default()
    };
    let mut slow = Exchange::with(config()).await;
    slow.wait(31).await;
    assert_eq!(slow.answer().await, out_of(RequestTimeout::FirstToken, 30));

    let mut silent = Exchange::with(config()).await;
    silent.send(STREAM).await;
    silent.piece(json!({ "content": "hel" })).await;
    silent.wait(4).await;
    assert_eq!(silent.answer().await, out_of(RequestTimeout::Idle, 3));

    let bounded = ProviderConfig { timeout_s: seconds(60), ..config() };
    let mut long = Exchange::with(bounded).await;
    long.send(STREAM).await;
    for _ in 0..31 {
        long.piece(json!({ "content": "a" })).await;
        long.wait(2).await;
    }
    assert_eq!(long.answer().await, out_of(RequestTimeout::Overall, 60));

    let patient = ProviderConfig { idle_timeout_s: seconds(1800), ..ProviderConfig::default() };
    let mut patient = Exchange::with(patient).await;
    patient.wait(1799).await;
    patient.send(&whole("hello")).await;
    assert_eq!(
        patient.answer().await,
        said("hello"),
        "a silence that is allowed later is allowed at the beginning"
    );
}

#[tokio::test(start_paused = true)]
async fn a_timeout_names_the_model_the_endpoint_and_its_setting() {
    let mut exchange = Exchange::begun().await;
    let base = format!("http://{}/v1", exchange.server.local_addr().unwrap());
    exchange.wait(601).await;
    let error = exchange.client.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), format!("model `local/any` at {base}: first-token timeout after 600s"));
    assert!(error.hint().unwrap().contains("`first_token_timeout_s` of provider `local`"), "{error}");
}
