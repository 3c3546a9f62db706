//! The web service of the examples over loopback: clients that disconnect at random moments, questions, two instances on one folder.

// The program's own `main` is not run here.
#[allow(dead_code, reason = "the example is a program")]
#[path = "../../examples/web_service.rs"]
mod web_service;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use stategraph::engine::{CheckpointStore, StoreError};
use stategraph::prelude::ThreadId;
use stategraph::store::SledStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use web_service::{Model, PARTS, Service};

/// Clients that are active at the same time.
const AT_ONCE: usize = 16;
/// The number of requests of each client that it abandons.
const ABANDONED: u64 = 3;

/// Makes a model whose answers take this long.
fn model(latency: Duration) -> Arc<Model> {
    Arc::new(Model { latency, ..Model::default() })
}

/// Starts an instance of the service on this folder.
async fn serve(folder: &Path, model: &Arc<Model>) -> (SocketAddr, Service) {
    let service = Service::open(folder, model.clone()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = service.router();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, service)
}

/// The response to a request, as far as the client read it.
#[derive(Debug)]
struct Reply {
    /// `None` when the client left before the head of the response had come.
    status: Option<u16>,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the events that came whole.
    fn events(&self) -> Vec<Value> {
        let whole = self.body.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
        let lines = whole.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the number of the newest checkpoint that the client was told of; 0 for none.
    fn told(&self) -> u64 {
        self.events().iter().filter_map(|event| number_of(&event["checkpoint"])).max().unwrap_or(0)
    }
}

/// Returns the number of a checkpoint, written `thread@7`.
fn number_of(checkpoint: &Value) -> Option<u64> {
    checkpoint.as_str()?.rsplit_once('@')?.1.parse().ok()
}

/// Sends a request, reads at most `limit` bytes of the response, and disconnects.
async fn call(address: SocketAddr, method: &str, path: &str, body: &Value, limit: usize) -> Reply {
    let body = body.to_string();
    let length = body.len();
    // Of the first version, so that the body is not cut into chunks.
    let request = format!(
        "{method} {path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    while read.len() < limit {
        let mut part = vec![0; (limit - read.len()).min(64)];
        match connection.read(&mut part).await.unwrap() {
            0 => break,
            length => read.extend_from_slice(&part[..length]),
        }
    }
    let text = String::from_utf8(read).unwrap();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return Reply { status: None, body: String::new() };
    };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status: Some(status), body: body.to_owned() }
}

/// Numbers that look random and are the same in every run of the test.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound).unwrap()
    }
}

/// A client with a thread of its own, and what it knows of it.
struct Client {
    address: SocketAddr,
    thread: String,
    chance: Chance,
    /// The newest checkpoint that it was told of.
    told: u64,
    /// The number of responses that it left before their end.
    left_early: u64,
}

impl Client {
    fn new(address: SocketAddr, number: u64) -> Self {
        let chance = Chance(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self { address, thread: format!("client-{number}"), chance, told: 0, left_early: 0 }
    }

    async fn look(&self) -> Reply {
        call(self.address, "GET", &format!("/threads/{}", self.thread), &Value::Null, usize::MAX).await
    }

    /// Does the next thing that the thread needs, and reads at most `limit` bytes. Returns false when nothing is left to do.
    async fn go_on(&mut self, limit: usize) -> bool {
        let seen = self.look().await;
        let path = |end: &str| format!("/threads/{}/{end}", self.thread);
        let (path, body) = if seen.status == Some(404) {
            assert_eq!(self.told, 0, "a checkpoint that the client was told of is gone");
            (path("runs"), json!({ "topic": self.thread }))
        } else {
            let seen = seen.json();
            let newest = number_of(&seen["checkpoint"]).unwrap();
            assert!(newest >= self.told, "checkpoint {} is gone: {seen}", self.told);
            if seen["next"].as_array().unwrap().is_empty() {
                return false;
            }
            let questions = seen["questions"].as_array().unwrap();
            let answers = questions.iter().map(|question| (question["id"].as_str().unwrap(), true));
            (path("resume"), json!({ "answers": answers.collect::<BTreeMap<_, _>>() }))
        };
        let reply = call(self.address, "POST", &path, &body, limit).await;
        match reply.status {
            None | Some(200) => {}
            // The service has not noticed yet that the client left the run before.
            Some(409) => tokio::task::yield_now().await,
            // The run before has taken the answer in the meantime.
            Some(404) => assert!(path.ends_with("resume"), "{reply:?}"),
            Some(_) => panic!("{reply:?}"),
        }
        let ended = reply.events().last().is_some_and(|event| event["event"] == "run_finished");
        self.left_early += u64::from(reply.status != Some(409) && !ended);
        self.told = self.told.max(reply.told());
        true
    }

    /// Abandons a request after a random part of the response, which has about 2,500 bytes.
    async fn abandon(&mut self) {
        let limit = self.chance.below(2_500);
        self.go_on(limit).await;
    }

    /// Goes on to the end of the thread.
    async fn finish(&mut self) -> Value {
        while self.go_on(usize::MAX).await {}
        self.look().await.json()
    }
}

/// Waits until no run holds the thread.
async fn wait_until_free(store: &SledStore, thread: &str) {
    let thread = ThreadId::new(thread).unwrap();
    loop {
        match store.claim(&thread).await {
            Ok(_) => return,
            Err(StoreError::Busy { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

fn clients() -> u64 {
    std::env::var("SERVICE_CLIENTS").map_or(50, |number| number.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_disconnect_at_random_moments_leave_nothing_running_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(Duration::from_millis(1));
    let (address, _service) = serve(folder.path(), &model).await;
    let abandon = async |number: u64| {
        let mut client = Client::new(address, number);
        for _ in 0..ABANDONED {
            client.abandon().await;
        }
        client
    };
    let all: Vec<Client> = stream::iter(0..clients()).map(abandon).buffered(AT_ONCE).collect().await;
    let left_early: u64 = all.iter().map(|client| client.left_early).sum();
    assert!(left_early > clients(), "{left_early} responses of {} clients were left early", clients());

    // Nothing runs on: once the threads are free, they stand still while another client needs many answers.
    let store = SledStore::open(folder.path()).unwrap();
    let mut stood = Vec::new();
    for client in &all {
        wait_until_free(&store, &client.thread).await;
        stood.push(client.look().await.body);
    }
    let answers = model.answers.load(Relaxed);
    Client::new(address, clients()).finish().await;
    assert_eq!(model.answers.load(Relaxed), answers + PARTS);
    for (client, stood) in all.iter().zip(&stood) {
        assert_eq!(&client.look().await.body, stood);
    }

    // Nothing is lost, and every thread resumes.
    let finish = async |mut client: Client| {
        let end = client.finish().await;
        let parts: Vec<String> = (1..=PARTS).map(|part| format!("{}, part {part}", client.thread)).collect();
        assert_eq!(end["state"], json!({ "topic": client.thread, "parts": parts, "is_approved": true }));
    };
    stream::iter(all).map(finish).buffered(AT_ONCE).collect::<Vec<()>>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_instances_on_one_folder_the_second_is_told_that_the_thread_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    // The first instance never gets an answer of its model.
    let (first, _service) = serve(folder.path(), &model(Duration::MAX)).await;
    let (second, _other) = serve(folder.path(), &model(Duration::ZERO)).await;
    let request = r#"{"topic":"rain"}"#;
    let headers = format!("Content-Type: application/json\r\nContent-Length: {}", request.len());
    let mut held = TcpStream::connect(first).await.unwrap();
    let text = format!("POST /threads/t/runs HTTP/1.0\r\n{headers}\r\n\r\n{request}");
    held.write_all(text.as_bytes()).await.unwrap();
    let mut read = String::new();
    while !read.contains("\"checkpoint\":\"t@1\"") {
        let mut part = [0; 64];
        let length = held.read(&mut part).await.unwrap();
        read += std::str::from_utf8(&part[..length]).unwrap();
    }
    let nothing = json!({});
    let resume = async || call(second, "POST", "/threads/t/resume", &nothing, usize::MAX).await;
    let busy = resume().await;
    assert_eq!(busy.status, Some(409), "{busy:?}");
    assert!(busy.json()["error"].as_str().unwrap().starts_with("thread `t` is being run by"), "{busy:?}");
    assert!(!busy.json()["hint"].as_str().unwrap().contains("--"), "{busy:?}");

    // The client of the first leaves: the second may go on.
    drop(held);
    let goes_on = loop {
        let reply = resume().await;
        if reply.status != Some(409) {
            break reply;
        }
    };
    let last = goes_on.events().pop().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&json!("run_finished"), &json!("waiting")), "{goes_on:?}");
    let seen = call(first, "GET", "/threads/t", &Value::Null, usize::MAX).await.json();
    assert_eq!(seen["questions"][0]["payload"], "Send this letter?", "{seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mistake_of_the_client_has_a_status_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (address, service) = serve(folder.path(), &model(Duration::ZERO)).await;
    let post = async |path: &str, body: Value| call(address, "POST", path, &body, usize::MAX).await;
    assert_eq!(post("/threads/none/resume", json!({})).await.status, Some(404));
    assert_eq!(post("/threads/a%2Fb/runs", json!({ "topic": "x" })).await.status, Some(400));
    assert_eq!(post("/threads/t/runs", json!({ "subject": "x" })).await.status, Some(422));
    assert_eq!(post("/threads/t/runs", json!({ "topic": "x" })).await.status, Some(200));
    let unknown = post("/threads/t/resume", json!({ "answers": { "9.0.0": true } })).await;
    assert_eq!(unknown.status, Some(404), "{unknown:?}");

    // After a drain every run ends before its next superstep, and says so.
    service.drain();
    let drained = post("/threads/t/runs", json!({ "topic": "y" })).await;
    assert_eq!(drained.events().last().unwrap()["status"], "drained");
}
