//! Embeddings of an OpenAI-compatible endpoint. One request, one attempt, within the provider's time.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::FutureExt;
use serde_json::{Value, json};

use super::super::embeddings::{EmbedFuture, Embeddings};
use super::super::error::{ModelError, ModelErrorKind, RequestTimeout};
use super::super::model::ModelName;
use super::answer_timer::AnswerTimer;
use super::endpoint::Endpoint;
use super::exchange::{AnswerForm, Exchange};
use super::{failure, kind_of};

/// A model of an OpenAI-compatible endpoint that embeds texts.
pub struct OpenAiEmbeddings {
    name: ModelName,
    endpoint: Arc<Endpoint>,
    timeout: Duration,
}

impl OpenAiEmbeddings {
    /// Makes the model `name` at `endpoint`; a request that takes longer than `timeout` fails.
    pub fn new(name: impl Into<ModelName>, endpoint: Arc<Endpoint>, timeout: Duration) -> Self {
        Self { name: name.into(), endpoint, timeout }
    }

    /// Sends one request for the vectors of `texts`, within the timeout.
    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelErrorKind> {
        let body = json!({ "model": self.name.model(), "input": texts, "encoding_format": "float" });
        let broken = Arc::default();
        let client = self.client(&broken);
        let asked = client.embeddings();
        let answer = tokio::time::timeout(self.timeout, asked.create_byot::<Value, Value>(body)).await;
        let answer = answer
            .map_err(|_| ModelErrorKind::Timeout { which: RequestTimeout::Overall, limit: self.timeout })?;
        vectors(&answer.map_err(|error| kind_of(error, &broken))?, texts.len())
    }

    /// Makes an async-openai client that sends through our `Exchange`, which stores the reason of a failure
    /// in `broken`.
    fn client(&self, broken: &Arc<OnceLock<ModelErrorKind>>) -> Client<Arc<dyn Config>> {
        let config: Arc<dyn Config> = self.endpoint.clone();
        let (endpoint, broken) = (self.endpoint.clone(), broken.clone());
        let service = tower::service_fn(move |factory: HttpRequestFactory| {
            let (endpoint, broken) = (endpoint.clone(), broken.clone());
            let timer = Arc::new(AnswerTimer::new(endpoint.limits()));
            let exchange = Exchange { endpoint, form: AnswerForm::Value, timer, broken };
            async move {
                let request = factory.build().await?;
                exchange.send(request).await.map_err(|kind| OpenAIError::Boxed(Box::new(kind)))
            }
        });
        Client::build(self.endpoint.http().clone(), config).with_http_service(service)
    }
}

impl Embeddings for OpenAiEmbeddings {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        let error = |kind: ModelErrorKind| {
            let kind = kind.with_texts(|text| failure::excerpt(&self.endpoint.scrubber().text(text)));
            ModelError::new(&self.name, kind).at(self.endpoint.base_url())
        };
        async move { self.ask(texts).await.map_err(error) }.boxed()
    }
}

/// Returns the vectors of an answer in the order of their `index`. Fails unless there are `texts` vectors of
/// one length.
fn vectors(answer: &Value, texts: usize) -> Result<Vec<Vec<f32>>, ModelErrorKind> {
    if let Some(reported) = failure::find_reported(answer) {
        return Err(reported.into());
    }
    let wrong =
        |message: &str| ModelErrorKind::Failed { code: None, message: format!("no embeddings: {message}") };
    let list = answer["data"].as_array().ok_or_else(|| wrong("there is no list `data`"))?;
    let mut vectors = vec![Vec::new(); texts];
    for (position, item) in list.iter().enumerate() {
        let at = item["index"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(position);
        let vector: Vec<f32> = serde_json::from_value(item["embedding"].clone())
            .map_err(|_| wrong("an `embedding` is no list of numbers"))?;
        *vectors.get_mut(at).ok_or_else(|| wrong("there are more than texts"))? = vector;
    }
    let length = vectors.first().map_or(0, Vec::len);
    if texts > 0 && (length == 0 || vectors.iter().any(|vector| vector.len() != length)) {
        return Err(wrong("one is missing, or they differ in length"));
    }
    Ok(vectors)
}
