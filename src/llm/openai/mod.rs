//! Any endpoint that speaks OpenAI's chat completions, through async-openai. One request, one attempt:
//! retries, deadlines and rates are layers; see `layer`.
//!
//! What endpoints really send is wider than what the specification says, so answers are read as JSON values
//! (`assemble`), statuses and broken bodies are caught below async-openai (`exchange`), and what an error
//! body means is told in `failure`. `endpoint` is the address with its key, `body` writes the request,
//! `strict` fits a schema to it; `embeddings` asks for vectors
//! instead of completions.

mod assemble;
mod body;
mod embeddings;
mod endpoint;
mod exchange;
mod failure;
mod strict;

use std::sync::{Arc, Mutex, OnceLock};

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::FutureExt;
use futures_util::StreamExt;
use serde_json::Value;

pub use embeddings::OpenAiEmbeddings;
#[cfg(feature = "kinds")]
pub(crate) use endpoint::client;
pub(super) use endpoint::is_loopback;
pub use endpoint::{Endpoint, EndpointSpec, Key, LimitField, Structured, Transport};
#[cfg(feature = "kinds")]
pub(crate) use exchange::cause;

use super::error::{ModelError, ModelErrorKind, Phase};
use super::message::ChatRequest;
use super::model::{AnswerFuture, Appetite, ChatAnswer, ChatModel, ModelName, TokenSink};
use assemble::Assembly;
use exchange::Exchange;

/// What a log filter must hold next to the user's own directives: async-openai logs whole bodies of failed
/// requests, and the HTTP stack logs headers. In the syntax of `tracing_subscriber::EnvFilter`.
pub const LOG_FILTER: &str = "async_openai=off,hyper=off,hyper_util=off,reqwest=off,rustls=off";

/// A model at an OpenAI-compatible endpoint.
pub struct OpenAi {
    name: ModelName,
    endpoint: Arc<Endpoint>,
    client: Client<Arc<dyn Config>>,
    structured: Mutex<Structured>,
}

impl OpenAi {
    /// The model `name` at `endpoint`; models of one endpoint share its connections.
    pub fn new(name: impl Into<ModelName>, endpoint: Arc<Endpoint>) -> Self {
        let config: Arc<dyn Config> = endpoint.clone();
        let client = Client::build(endpoint.http().clone(), config);
        let structured = Mutex::new(endpoint.structured());
        Self { name: name.into(), endpoint, client, structured }
    }

    /// Asks in the strongest form the endpoint takes: one that refuses a form is asked in the next weaker
    /// one, and is remembered.
    async fn ask(&self, request: &ChatRequest, sink: &dyn TokenSink) -> Result<ChatAnswer, ModelErrorKind> {
        loop {
            let form = *self.structured.lock().expect("no holder of this lock panics");
            let answer = self.ask_as(form, request, sink).await;
            let Some(weaker) = answer.as_ref().err().and_then(|kind| weaker_form(request, kind, form)) else {
                return answer;
            };
            tracing::debug!(model = %self.name, ?form, ?weaker, "the endpoint refuses this form of structured answers");
            *self.structured.lock().expect("no holder of this lock panics") = weaker;
        }
    }

    async fn ask_as(
        &self,
        form: Structured,
        request: &ChatRequest,
        sink: &dyn TokenSink,
    ) -> Result<ChatAnswer, ModelErrorKind> {
        let appetite = sink.appetite();
        let body = body::of(request, self.name.model(), form, &self.endpoint, appetite);
        let broken = Arc::new(OnceLock::new());
        let client = self.watched_client(appetite, &broken);
        let mut assembly = Assembly::default();
        match appetite {
            Appetite::Nothing => {
                let value: Value =
                    client.chat().create_byot(body).await.map_err(|error| kind_of(error, &broken))?;
                assembly.add(&value, sink)?;
            }
            Appetite::Tokens => {
                let events = client.chat().create_stream_byot::<Value, Value>(body).await;
                let mut events = events.map_err(|error| kind_of(error, &broken))?;
                while let Some(event) = events.next().await {
                    match event {
                        Ok(value) => assembly.add(&value, sink)?,
                        Err(_) if assembly.is_whole() => break,
                        Err(error) => return Err(kind_of(error, &broken)),
                    }
                }
            }
        }
        assembly.finish(request)
    }

    /// The error to show. Here, in one place, texts from outside lose the keys they may repeat and are then
    /// cut to size.
    fn error(&self, kind: ModelErrorKind) -> ModelError {
        let kind = kind.with_texts(|text| failure::excerpt(&self.endpoint.scrub(text)));
        ModelError::new(&self.name, kind).at(self.endpoint.base_url())
    }

    /// async-openai's client with a service of our own below it, for one request.
    fn watched_client(
        &self,
        appetite: Appetite,
        broken: &Arc<OnceLock<ModelErrorKind>>,
    ) -> Client<Arc<dyn Config>> {
        let (endpoint, broken) = (self.endpoint.clone(), broken.clone());
        self.client.clone().with_http_service(tower::service_fn(move |factory: HttpRequestFactory| {
            let exchange = Exchange { endpoint: endpoint.clone(), appetite, broken: broken.clone() };
            async move {
                let request = factory.build().await?;
                exchange.send(request).await.map_err(|kind| OpenAIError::Boxed(Box::new(kind)))
            }
        }))
    }
}

impl ChatModel for OpenAi {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move { self.ask(request, sink).await.map_err(|kind| self.error(kind)) }.boxed()
    }
}

/// What the service below said, or what the body did, or what async-openai made of it.
fn kind_of(error: OpenAIError, broken: &OnceLock<ModelErrorKind>) -> ModelErrorKind {
    if let Some(kind) = broken.get() {
        return kind.clone();
    }
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<ModelErrorKind>() {
            Ok(kind) => *kind,
            Err(other) => ModelErrorKind::Failed { code: None, message: other.to_string() },
        },
        OpenAIError::JSONDeserialize(_, content) => {
            ModelErrorKind::NotJson { content_type: "an event".into(), excerpt: content }
        }
        OpenAIError::StreamError(error) => {
            ModelErrorKind::Dropped { phase: Phase::Body, reason: error.to_string() }
        }
        other => ModelErrorKind::Failed { code: None, message: other.to_string() },
    }
}

/// The form to ask in next, when `kind` says that the endpoint does not take `form`.
fn weaker_form(request: &ChatRequest, kind: &ModelErrorKind, form: Structured) -> Option<Structured> {
    let ModelErrorKind::Status { status: 400 | 404 | 422 | 501, message, .. } = kind else { return None };
    request.answer.as_ref()?;
    let message = message.to_lowercase();
    let about_the_form =
        ["response_format", "response format", "json_schema", "json_object", "schema", "grammar"];
    about_the_form.iter().any(|word| message.contains(word)).then(|| form.weaker()).flatten()
}
