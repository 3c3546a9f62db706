//! Models: what endpoints really send, the layers, typed answers, recordings, names, prompts, secrets.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod asked;
mod embeddings;
mod failures;
mod layers;
mod messages;
mod offline;
mod patience;
mod plain;
mod prompts;
mod providers;
mod redaction;
mod secrets;
mod streams;
mod structured;
mod tapes;

use std::collections::BTreeMap;
use std::sync::Mutex;

use stategraph_llm::{
    ChatAnswer, ChatModel, ChatRequest, Message, ModelError, ModelErrorKind, NoTokens, ProviderConfig,
    Providers, Restart, SharedModel, TokenDemand, TokenSink,
};

use stategraph_testing::fake_server::{FakeServer, Play};

/// The key that must never be seen.
const KEY: &str = "sk-test-0123456789abcdef";

/// Settings for `server` that do not make a test wait.
fn config(server: &FakeServer) -> ProviderConfig {
    serde_json::from_value(serde_json::json!({
        "base_url": server.base_url(),
        "api_key_env": "LOCAL_KEY",
        "connect_timeout_s": 1,
        "first_token_timeout_s": 5,
        "idle_timeout_s": 0.4,
        "retry": { "attempts": 3, "base_s": 0.001, "max_wait_s": 0.02 },
    }))
    .expect("the settings are right")
}

/// Providers with `local` at `config` and the key in the environment.
fn providers(config: ProviderConfig) -> Providers {
    let env = BTreeMap::from([("LOCAL_KEY".to_owned(), KEY.to_owned())]);
    Providers::new(env)
        .configured(BTreeMap::from([("local".to_owned(), config)]))
        .expect("the provider is right")
        .seed(1)
}

pub(crate) fn model_at(server: &FakeServer) -> SharedModel {
    providers(config(server)).model("local/any").expect("the name is right")
}

fn question() -> ChatRequest {
    ChatRequest::new("tester", vec![Message::system("Be brief."), Message::user("Say hello.")])
}

/// What came of one question to a server that plays `plays`, and how often it was asked.
struct Outcome {
    answer: Result<ChatAnswer, ModelError>,
    requests: usize,
    pieces: Vec<String>,
}

impl Outcome {
    /// The error's kind.
    fn kind(&self) -> ModelErrorKind {
        *self.answer.as_ref().expect_err("this should have failed").kind.clone()
    }
}

async fn ask_whole(plays: Vec<Play>) -> Outcome {
    let server = FakeServer::playing(plays).await;
    let answer = model_at(&server).chat(&question(), &NoTokens).await;
    Outcome { answer, requests: server.requests().len(), pieces: Vec::new() }
}

async fn ask_streaming(plays: Vec<Play>) -> Outcome {
    let server = FakeServer::playing(plays).await;
    let sink = Pieces::default();
    let answer = model_at(&server).chat(&question(), &sink).await;
    Outcome { answer, requests: server.requests().len(), pieces: sink.taken() }
}

/// A sink that keeps the pieces, and gives them up when told to.
struct Pieces {
    kept: Mutex<Vec<String>>,
    restart: Restart,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { kept: Mutex::default(), restart: Restart::Refused }
    }
}

impl Pieces {
    fn that_restart() -> Self {
        Self { restart: Restart::Accepted, ..Self::default() }
    }

    fn taken(&self) -> Vec<String> {
        self.kept.lock().expect("no holder panics").clone()
    }
}

impl TokenSink for Pieces {
    fn token_demand(&self) -> TokenDemand {
        TokenDemand::Tokens
    }

    fn token(&self, text: &str) {
        self.kept.lock().expect("no holder panics").push(text.to_owned());
    }

    fn restart(&self) -> Restart {
        if self.restart == Restart::Accepted {
            self.kept.lock().expect("no holder panics").clear();
        }
        self.restart
    }
}
