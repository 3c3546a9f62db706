//! A graph behind HTTP. Each run is a stream of server-sent events, and a client that disconnects cancels its run.
//! `web_service ADDRESS FOLDER` serves until Ctrl-C; several processes may serve one folder.
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::{Path, State as Extract};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::StreamExt;
use serde_json::{Value, json};
use stategraph::engine::{QuestionId, RunRequest, with_causes};
use stategraph::prelude::*;
use stategraph::store::SledStore;

/// The number of parts of a letter.
pub(crate) const PARTS: usize = 5;

#[derive(State, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Letter {
    topic: String,
    #[state(append)]
    parts: Vec<String>,
    is_approved: Option<bool>,
}

/// Stands for a model: each answer takes time.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) latency: Duration,
    pub(crate) answers: AtomicUsize,
}

impl Model {
    async fn answer(&self, topic: &str, part: usize) -> Result<String, NodeError> {
        tokio::time::sleep(self.latency).await;
        self.answers.fetch_add(1, Relaxed);
        Ok(format!("{topic}, part {part}"))
    }
}

async fn write(letter: &Letter, cx: &Cx<Arc<Model>>) -> NodeResult<LetterUpdate> {
    let answer = cx.services().answer(&letter.topic, letter.parts.len() + 1);
    // Journaled: a run that is cancelled after the answer and resumed does not ask again.
    let part: String = cx.once("part", answer).await?;
    Ok(Letter::update().parts(part))
}

async fn review(_: &Letter, cx: &Cx<Arc<Model>>) -> NodeResult<LetterUpdate> {
    let is_approved: bool = cx.interrupt("Send this letter?").await?;
    Ok(Letter::update().is_approved(Some(is_approved)))
}

/// The routes and their state. Clones serve the same runs.
#[derive(Clone)]
pub(crate) struct Service {
    graph: CompiledGraph<Letter, Arc<Model>>,
    stop: Stop,
}

impl Service {
    pub(crate) fn open(
        folder: &std::path::Path,
        model: Arc<Model>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let is_short = |letter: &Letter| letter.parts.len() < PARTS;
        let graph = StateGraph::new("letter")
            .node("write", write)
            .node("review", review)
            .edge(START, "write")
            .branch("write", is_short, [(true, "write"), (false, "review")])
            .edge("review", END)
            .compile_with(model)?
            .with_store(Arc::new(SledStore::open(folder)?));
        Ok(Self { graph, stop: Stop::new() })
    }

    pub(crate) fn router(&self) -> Router {
        Router::new()
            .route("/threads/{thread}", get(look))
            .route("/threads/{thread}/runs", post(start))
            .route("/threads/{thread}/resume", post(resume))
            .with_state(self.clone())
    }

    /// Ends all runs after their supersteps. Clients are told `drained`, and resume at another instance.
    pub(crate) fn drain(&self) {
        self.stop.drain();
    }

    /// Starts the run before the response begins, so that its errors have a status.
    async fn events(
        &self,
        run: RunRequest<Letter, Arc<Model>>,
    ) -> Result<impl IntoResponse + use<>, Failure> {
        let run = run.stop(&self.stop).stream(EventKinds::UPDATES | EventKinds::CHECKPOINTS).await?;
        // When the client disconnects, the response is dropped. The run is dropped with it, and its thread is free.
        Ok(Sse::new(run.map(|event| Ok::<_, Infallible>(to_sse(&event)))).keep_alive(KeepAlive::default()))
    }
}

fn to_sse(event: &stategraph::engine::Event) -> Event {
    let event = Event::default().id(event.seq.to_string()).json_data(event);
    event.expect("the data of an event is JSON already")
}

#[derive(Deserialize)]
struct Start {
    topic: String,
}

/// Starts a thread, or continues it with another topic. The client chooses the id, and so it can resume a run whose response it never saw.
async fn start(
    Extract(service): Extract<Service>,
    Path(thread): Path<ThreadId>,
    Json(Start { topic }): Json<Start>,
) -> Result<impl IntoResponse, Failure> {
    service.events(service.graph.invoke(&thread, Letter::update().topic(topic))).await
}

#[derive(Deserialize)]
struct Resume {
    #[serde(default)]
    answers: BTreeMap<QuestionId, Value>,
}

/// Continues a thread at its newest checkpoint, with answers to its questions.
async fn resume(
    Extract(service): Extract<Service>,
    Path(thread): Path<ThreadId>,
    Json(Resume { answers }): Json<Resume>,
) -> Result<impl IntoResponse, Failure> {
    let run = service.graph.resume(&thread);
    service.events(answers.iter().fold(run, |run, (question, answer)| run.answer(*question, answer))).await
}

/// Returns the state of a thread, its next nodes and its open questions. The thread may be running, also in another instance.
async fn look(
    Extract(service): Extract<Service>,
    Path(thread): Path<ThreadId>,
) -> Result<impl IntoResponse, Failure> {
    Ok(Json(service.graph.state(&thread, None).await?))
}

struct Failure(RunError);

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match &self.0 {
            error if error.is_not_found() => StatusCode::NOT_FOUND,
            // The thread runs elsewhere, or was written in the meantime.
            error if error.is_conflict() => StatusCode::CONFLICT,
            RunError::AnswerRefused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": with_causes(&self.0), "hint": self.0.hint() }))).into_response()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: web_service ADDRESS FOLDER".into());
    };
    let model = Model { latency: Duration::from_millis(500), ..Model::default() };
    let service = Service::open(folder.as_ref(), Arc::new(model))?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    let router = service.router();
    let stopped = async move {
        // Without a signal handler the service is stopped by a kill, which costs no committed superstep either.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        service.drain();
    };
    axum::serve(listener, router).with_graceful_shutdown(stopped).await?;
    Ok(())
}
