//! Any endpoint that speaks OpenAI's chat completions, through async-openai. One request, one attempt:
//! retries, deadlines and rates are layers; see `layer`.
//!
//! Every answer is asked for as a stream, also where the caller wants it whole, because only a stream tells a model that thinks
//! from a connection that is dead (`answer_timer`). What endpoints really send is wider than what the specification says, so answers are
//! read as JSON values (`assemble`), statuses and broken bodies are caught below async-openai (`exchange`), and what an error body
//! means is told in `failure`. `form` is how an endpoint is asked, and how else when it refuses; `endpoint` is the address with its
//! key, `body` writes the request, `strict` fits a schema to it; `embeddings` asks for vectors instead of completions.

mod answer_timer;
mod assemble;
mod body;
mod embeddings;
mod endpoint;
mod exchange;
mod failure;
mod form;
mod strict;

use std::sync::{Arc, Mutex, OnceLock};

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::FutureExt;
use futures_util::StreamExt;
use serde_json::Value;

pub use answer_timer::AnswerTimeouts;
pub use embeddings::OpenAiEmbeddings;
pub(super) use endpoint::is_loopback;
pub use endpoint::{ApiKey, Endpoint, EndpointSpec, LimitField, Structured, Transport, client, install_tls};
pub use exchange::cause;
pub use failure::retry_after;

use super::error::{ModelError, ModelErrorKind, Phase};
use super::message::ChatRequest;
use super::model::{AnswerFuture, ChatAnswer, ChatModel, ModelName, TokenSink};
use super::redact::RedactedSink;
use super::request_notice::RequestNotice;
use answer_timer::AnswerTimer;
use assemble::Assembly;
use exchange::{AnswerForm, Exchange};
use form::{RequestForm, Streaming};

/// Directives that a log filter must contain besides the user's, because async-openai logs whole bodies of failed requests, and the HTTP
/// stack logs headers. In the syntax of `tracing_subscriber::EnvFilter`.
pub const LOG_FILTER: &str = "async_openai=off,hyper=off,hyper_util=off,reqwest=off,rustls=off";

/// A model at an OpenAI-compatible endpoint. It remembers the form of requests that the endpoint accepts.
pub struct OpenAi {
    name: ModelName,
    endpoint: Arc<Endpoint>,
    client: Client<Arc<dyn Config>>,
    form: Mutex<RequestForm>,
}

impl OpenAi {
    /// Makes the model `name` at `endpoint`; models of one endpoint share its connections.
    pub fn new(name: impl Into<ModelName>, endpoint: Arc<Endpoint>) -> Self {
        let config: Arc<dyn Config> = endpoint.clone();
        let client = Client::build(endpoint.http().clone(), config);
        let form =
            Mutex::new(RequestForm { structured: endpoint.structured(), streaming: Streaming::WithUsage });
        Self { name: name.into(), endpoint, client, form }
    }

    /// Sends the request in the strongest form that the endpoint supports. After a refusal tries the next weaker form and remembers it.
    async fn ask(
        &self,
        request: &ChatRequest,
        sink: &dyn TokenSink,
        notice: &RequestNotice,
    ) -> Result<ChatAnswer, ModelErrorKind> {
        loop {
            let form = self.form();
            let answer = self.ask_as(form, request, sink, notice).await;
            let Some(weaker) = answer.as_ref().err().and_then(|kind| form.weaker(request, kind)) else {
                return answer;
            };
            tracing::debug!(model = %self.name, ?form, ?weaker, "the endpoint refuses this form of requests");
            if weaker.streaming == Streaming::WithoutUsage {
                self.endpoint.refuses_usage();
            }
            *self.form.lock().expect("no holder of this lock panics") = weaker;
        }
    }

    /// Returns the current form. Support of `stream_options` is remembered per endpoint, everything else per model.
    fn form(&self) -> RequestForm {
        let form = *self.form.lock().expect("no holder of this lock panics");
        match form.streaming {
            Streaming::WithUsage if !self.endpoint.takes_usage() => {
                RequestForm { streaming: Streaming::WithoutUsage, ..form }
            }
            _ => form,
        }
    }

    /// Sends the request once in this form and assembles the streamed answer.
    async fn ask_as(
        &self,
        form: RequestForm,
        request: &ChatRequest,
        sink: &dyn TokenSink,
        notice: &RequestNotice,
    ) -> Result<ChatAnswer, ModelErrorKind> {
        let body = body::of(request, self.name.model(), form, &self.endpoint);
        let broken = Arc::new(OnceLock::new());
        let timer = Arc::new(AnswerTimer::new(self.endpoint.limits()));
        let client = self.watched_client(&timer, &broken);
        let mut assembly = Assembly::default();
        let events = timer.within(client.chat().create_stream_byot::<Value, Value>(body)).await?;
        let mut events = events.map_err(|error| kind_of(error, &broken))?;
        loop {
            let event = timer
                .within(events.next())
                .await
                .map(|next| next.map(|event| event.map_err(|error| kind_of(error, &broken))));
            match event {
                Ok(Some(Ok(value))) => {
                    notice.piece();
                    assembly.add(&value, sink, &timer)?;
                }
                Ok(None) => break,
                // An error after the end of the answer is ignored, because the model had finished.
                Ok(Some(Err(_))) | Err(_) if assembly.is_whole() => break,
                Ok(Some(Err(kind))) | Err(kind) => return Err(kind),
            }
        }
        assembly.finish(request)
    }

    /// Converts an error for the caller: redacts and shortens all texts from outside, and adds model and
    /// endpoint.
    fn error(&self, kind: ModelErrorKind) -> ModelError {
        let kind = kind.with_texts(|text| failure::excerpt(&self.endpoint.scrubber().text(text)));
        ModelError::new(&self.name, kind).at(self.endpoint.base_url())
    }

    /// Makes an async-openai client for one request, which sends through our `Exchange`: it reports bytes to
    /// `timer` and stores the reason of a failure in `broken`.
    fn watched_client(
        &self,
        timer: &Arc<AnswerTimer>,
        broken: &Arc<OnceLock<ModelErrorKind>>,
    ) -> Client<Arc<dyn Config>> {
        let (endpoint, timer, broken) = (self.endpoint.clone(), timer.clone(), broken.clone());
        self.client.clone().with_http_service(tower::service_fn(move |factory: HttpRequestFactory| {
            let (endpoint, timer, broken) = (endpoint.clone(), timer.clone(), broken.clone());
            let exchange = Exchange { endpoint, form: AnswerForm::Events, timer, broken };
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

    fn endpoint(&self) -> Option<&str> {
        Some(self.endpoint.base_url())
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let redactor = self.endpoint.redactor();
            let sink = RedactedSink::new(sink, redactor);
            let notice = RequestNotice::asked(
                &request.label,
                &self.name.to_string(),
                self.endpoint.base_url(),
                self.endpoint.limits(),
            );
            let answer = self.ask(request, &sink, &notice).await.map_err(|kind| self.error(kind))?;
            sink.finish();
            Ok(redactor.answer(answer))
        }
        .boxed()
    }
}

/// Returns the error in `broken` or that of our HTTP service, if there is one; otherwise converts
/// async-openai's error.
fn kind_of(error: OpenAIError, broken: &OnceLock<ModelErrorKind>) -> ModelErrorKind {
    if let Some(kind) = broken.get() {
        return kind.clone();
    }
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<ModelErrorKind>() {
            Ok(kind) => *kind,
            Err(other) => ModelErrorKind::Failed { code: None, message: other.to_string() },
        },
        OpenAIError::JSONDeserialize(error, _) if error.is_eof() => {
            ModelErrorKind::Truncated { detail: "the JSON of an event is cut".into() }
        }
        OpenAIError::JSONDeserialize(_, content) => {
            ModelErrorKind::NotJson { content_type: "an event".into(), excerpt: content }
        }
        OpenAIError::StreamError(error) => {
            ModelErrorKind::Dropped { phase: Phase::Body, reason: error.to_string() }
        }
        other => ModelErrorKind::Failed { code: None, message: other.to_string() },
    }
}
