//! One HTTP exchange below async-openai: keeps what that client would lose (status, headers, why a body
//! broke) and lets only whole JSON or an event stream through.

use std::error::Error;
use std::sync::{Arc, OnceLock};

use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Request, Response};
use serde_json::Value;

use super::super::error::{ModelErrorKind, Patience, Phase};
use super::super::model::Appetite;
use super::endpoint::Endpoint;
use super::failure;

/// The most that is read of an answer, in bytes. The largest context windows are a twentieth of it.
const MAX_ANSWER: usize = 64 << 20;
/// The most that is read of an error, in bytes.
const MAX_ERROR: usize = 64 << 10;

/// One exchange.
pub(super) struct Exchange {
    /// With whom.
    pub(super) endpoint: Arc<Endpoint>,
    /// Whether the answer should come as events.
    pub(super) appetite: Appetite,
    /// Where the reason is left when the event stream breaks: async-openai makes one text of all reasons.
    pub(super) broken: Arc<OnceLock<ModelErrorKind>>,
}

impl Exchange {
    /// Sends `request` and lets through what a caller can use.
    pub(super) async fn send(self, request: Request) -> Result<Response, ModelErrorKind> {
        let sent = self.endpoint.http().execute(request).await;
        let response = sent.map_err(|error| self.transport(&error, Phase::Headers))?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let content_type = content_type(response.headers());
        match self.appetite {
            Appetite::Nothing => self.whole(response, &content_type).await.map(|value| json_response(&value)),
            Appetite::Tokens if content_type.starts_with("text/event-stream") => Ok(self.watched(response)),
            // Asked for a stream, the endpoint answered at once: one event that holds everything.
            Appetite::Tokens => self.whole(response, &content_type).await.map(|value| event_response(&value)),
        }
    }

    /// The whole body as JSON that reports no failure.
    async fn whole(&self, response: Response, content_type: &str) -> Result<Value, ModelErrorKind> {
        let body = self.read(response, MAX_ANSWER).await?;
        let text = String::from_utf8_lossy(&body);
        let value = serde_json::from_str(&text).map_err(|error| {
            if text.trim().is_empty() {
                return ModelErrorKind::Truncated { detail: "the body is empty".into() };
            }
            if error.is_eof() {
                return ModelErrorKind::Truncated {
                    detail: format!("the JSON ends after {} bytes", body.len()),
                };
            }
            ModelErrorKind::NotJson {
                content_type: content_type.to_owned(),
                excerpt: text.clone().into_owned(),
            }
        })?;
        Ok(value)
    }

    async fn refusal(&self, response: Response) -> ModelErrorKind {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // The status says enough when the body breaks.
        let body = self.read(response, MAX_ERROR).await.unwrap_or_default();
        let reported = failure::from_body(&String::from_utf8_lossy(&body));
        ModelErrorKind::Status {
            status,
            code: reported.code,
            retry_after: failure::retry_after(&headers),
            request_id: failure::request_id(&headers),
            message: reported.message,
        }
    }

    async fn read(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, ModelErrorKind> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.transport(&error, Phase::Body))? {
            body.extend_from_slice(&chunk);
            if body.len() > limit {
                return Err(ModelErrorKind::TooLarge { limit });
            }
        }
        Ok(body)
    }

    /// The same response; when its body breaks, the reason is left behind.
    fn watched(self, response: Response) -> Response {
        let mut seen = 0_usize;
        let body = response.bytes_stream().map(move |chunk| {
            let kept = chunk.map_err(|error| self.transport(&error, Phase::Body)).and_then(|chunk| {
                seen += chunk.len();
                if seen > MAX_ANSWER {
                    Err(ModelErrorKind::TooLarge { limit: MAX_ANSWER })
                } else {
                    Ok(chunk)
                }
            });
            kept.inspect_err(|kind| drop(self.broken.set(kind.clone())))
        });
        http::Response::new(reqwest::Body::wrap_stream(body)).into()
    }

    fn transport(&self, error: &reqwest::Error, phase: Phase) -> ModelErrorKind {
        let reason = cause(error);
        match (error.is_timeout(), error.is_connect()) {
            (true, true) => {
                ModelErrorKind::Timeout { which: Patience::Connect, limit: self.endpoint.connect_timeout() }
            }
            (true, false) => {
                ModelErrorKind::Timeout { which: Patience::Idle, limit: self.endpoint.idle_timeout() }
            }
            (false, true) => ModelErrorKind::Unreachable { reason },
            (false, false) => ModelErrorKind::Dropped { phase, reason },
        }
    }
}

/// The innermost reason: the outer ones repeat the address.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| (*error).source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn content_type(headers: &HeaderMap) -> String {
    let value =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("something without a type");
    value.to_ascii_lowercase()
}

fn json_response(value: &Value) -> Response {
    http::Response::new(value.to_string()).into()
}

fn event_response(value: &Value) -> Response {
    http::Response::new(format!("data: {value}\n\n")).into()
}
