//! One HTTP exchange below async-openai. Keeps what that client would lose (status, headers, the reason of a broken body) and passes on
//! only complete JSON or an event stream.

use std::error::Error;
use std::sync::{Arc, OnceLock};

use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Request, Response};
use serde_json::Value;

use super::super::error::{ModelErrorKind, Phase, RequestTimeout};
use super::answer_timer::AnswerTimer;
use super::endpoint::Endpoint;
use super::failure;

/// Maximum size of an answer, in bytes. The largest context windows are a twentieth of it.
const MAX_ANSWER: usize = 64 << 20;
/// Maximum size of an error body, in bytes.
const MAX_ERROR: usize = 64 << 10;

/// One HTTP request and its response, sent on behalf of async-openai.
pub(super) struct Exchange {
    /// Endpoint that receives the request.
    pub(super) endpoint: Arc<Endpoint>,
    /// Form in which the answer is handed to async-openai.
    pub(super) form: AnswerForm,
    /// Activity of the answer; every chunk of the body is reported to it.
    pub(super) timer: Arc<AnswerTimer>,
    /// Reason of a broken event stream. Kept here, because async-openai reduces all reasons to one text.
    pub(super) broken: Arc<OnceLock<ModelErrorKind>>,
}

/// The form in which an answer is handed to async-openai, independent of the form that the endpoint sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// An event stream; a complete JSON answer becomes one event.
    Events,
    /// One JSON value.
    Value,
}

impl Exchange {
    /// Sends `request` and returns a response that async-openai can read, in the form that it expects. A
    /// status other than success becomes an error with the endpoint's message.
    pub(super) async fn send(self, request: Request) -> Result<Response, ModelErrorKind> {
        let sent = self.endpoint.http().execute(request).await;
        let mut response = sent.map_err(|error| self.transport(&error, Phase::Headers))?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let content_type = content_type(response.headers());
        if self.form == AnswerForm::Value {
            return self.whole(Vec::new(), response, &content_type).await.map(|value| json_response(&value));
        }
        let (mut begin, mut blank) = (Vec::new(), 0);
        let is_stream = loop {
            if let Some(is_stream) = is_stream(&begin, &content_type) {
                break is_stream;
            }
            let Some(chunk) = self.chunk(&mut response).await? else { break false };
            begin.extend_from_slice(chunk.as_ref());
            // Leading white space is skipped, because some proxies send line breaks to keep a connection alive.
            if begin.trim_ascii_start().is_empty() {
                blank += begin.len();
                begin.clear();
            }
            if blank > MAX_ANSWER {
                return Err(ModelErrorKind::TooLarge { limit: MAX_ANSWER });
            }
        };
        if is_stream {
            return Ok(self.with_body_errors(begin, response));
        }
        self.timer.note_begin();
        self.whole(begin, response, &content_type).await.map(|value| event_response(&value))
    }

    /// Reads the rest of the body and parses all of it as JSON; `begin` is the part read so far.
    async fn whole(
        &self,
        begin: Vec<u8>,
        response: Response,
        content_type: &str,
    ) -> Result<Value, ModelErrorKind> {
        let body = self.read(begin, response, MAX_ANSWER).await?;
        let text = String::from_utf8_lossy(&body);
        let value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
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

    /// Makes the error of a response with a failure status, from its body and headers.
    async fn refusal(&self, response: Response) -> ModelErrorKind {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // A broken error body is ignored, because the status is enough.
        let body = self.read(Vec::new(), response, MAX_ERROR).await.unwrap_or_default();
        let reported = failure::from_body(&String::from_utf8_lossy(&body));
        ModelErrorKind::Status {
            status,
            code: reported.code,
            retry_after: failure::retry_after(&headers),
            request_id: failure::request_id(&headers),
            message: reported.message,
        }
    }

    /// Reads the rest of the body behind `begin`. Fails if it has more than `limit` bytes.
    async fn read(
        &self,
        begin: Vec<u8>,
        mut response: Response,
        limit: usize,
    ) -> Result<Vec<u8>, ModelErrorKind> {
        let mut body = begin;
        while let Some(chunk) = self.chunk(&mut response).await? {
            body.extend_from_slice(chunk.as_ref());
            if body.len() > limit {
                return Err(ModelErrorKind::TooLarge { limit });
            }
        }
        Ok(body)
    }

    /// Reads the next chunk of the body and tells the timer that bytes arrived; `None` at the end. The caller limits the size.
    async fn chunk(&self, response: &mut Response) -> Result<Option<impl AsRef<[u8]>>, ModelErrorKind> {
        let chunk = response.chunk().await.map_err(|error| self.transport(&error, Phase::Body));
        self.timer.note_bytes();
        chunk
    }

    /// Rebuilds the response from `begin` and the rest of its body, which is still streamed. If the body
    /// breaks or is too large, the reason is stored in `broken`.
    fn with_body_errors(self, begin: Vec<u8>, response: Response) -> Response {
        let mut seen = begin.len();
        let broken = self.broken.clone();
        let rest = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| self.transport(&error, Phase::Body))?;
            self.timer.note_bytes();
            seen += chunk.len();
            if seen > MAX_ANSWER {
                Err(ModelErrorKind::TooLarge { limit: MAX_ANSWER })
            } else {
                Ok(chunk.to_vec())
            }
        });
        let body = stream::iter([Ok(begin)]).chain(rest);
        let body = body.inspect_err(move |kind| drop(broken.set(kind.clone())));
        http::Response::new(reqwest::Body::wrap_stream(body)).into()
    }

    /// Makes the error of a failed connection; `phase` is the progress of the answer.
    fn transport(&self, error: &reqwest::Error, phase: Phase) -> ModelErrorKind {
        let reason = cause(error);
        match (error.is_timeout(), error.is_connect()) {
            (true, true) => ModelErrorKind::Timeout {
                which: RequestTimeout::Connect,
                limit: self.endpoint.connect_timeout(),
            },
            (false, true) => ModelErrorKind::Unreachable { reason },
            (_, false) => ModelErrorKind::Dropped { phase, reason },
        }
    }
}

/// Returns true if a body with this beginning is an event stream, false if not, `None` if more bytes are
/// needed. The bytes decide before the content type, because content types are often wrong, and endpoints may
/// answer a streaming request with plain JSON and the reverse.
fn is_stream(begin: &[u8], content_type: &str) -> Option<bool> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if MARK.starts_with(begin) {
        return None;
    }
    let begin = begin.strip_prefix(MARK).unwrap_or(begin).trim_ascii_start();
    match begin.first()? {
        b'{' | b'[' => return Some(false),
        _ if content_type.starts_with("text/event-stream") => return Some(true),
        _ => {}
    }
    // The name of an event field ends with a colon within six bytes; a comment begins with one.
    match begin.iter().take(6).position(|byte| *byte == b':') {
        Some(end) => Some([&b""[..], b"data", b"event", b"id", b"retry"].contains(&&begin[..end])),
        None => (begin.len() > 5).then_some(false),
    }
}

/// Returns the innermost reason of an error of the HTTP client: the outer ones repeat the address.
pub fn cause(error: &(dyn Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| (*error).source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Returns the content type in lower case, or a phrase for an error message if there is none.
fn content_type(headers: &HeaderMap) -> String {
    let value =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("something without a type");
    value.to_ascii_lowercase()
}

/// Returns a response whose body is the value.
fn json_response(value: &Value) -> Response {
    http::Response::new(value.to_string()).into()
}

/// Returns a response that is an event stream with one event, the value.
fn event_response(value: &Value) -> Response {
    http::Response::new(format!("data: {value}\n\n")).into()
}
