//! The node kind `http`: one request to an allowed host. The size of the answer is bounded; a redirect is a
//! result and is not followed. It sends once; the policy of the node decides about retries by the class of
//! the error.

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::{Value, json};

use super::node::{expression_error, too_large_error};
use super::services::Services;
use super::work::WorkContext;
use stategraph_agent::around::off_the_tape;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::Entries;
use stategraph_files::expression::{EvalScope, SECRETS, Template};
use stategraph_files::inline::{JsonState, LimitExceeded, json_text_size};
use stategraph_files::kind::{HttpKind, RequestBody};
use stategraph_llm::openai::{cause, retry_after};
use stategraph_llm::{Redactor, RetryAfter};
use stategraph_repo::{ContentHash, cut};

/// Maximum length of the body of an answer in an error, in characters.
const SHOWN_CHARS: usize = 300;

/// A complete request that has not been sent, with the values of secrets filled in.
struct PreparedRequest {
    url: Url,
    client: Client,
    method: reqwest::Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<Vec<u8>>,
}

/// Sends the request of an `http` node, or takes its answer from the journal or the tape. Returns
/// `{ status, body }`. Secrets in the answer and in errors are redacted.
pub(super) async fn run(
    kind: &HttpKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let (secrets, now_ms) = (&cx.services().secrets, cx.services().clock.now_ms());
    let scope = scope.clone().with_local(SECRETS, secrets.placeholders(&work.file.secrets));
    let prepared = prepare(kind, &scope, cx).map_err(|error| secrets.redact_error(error))?;
    let input = prepared.recording_key(&work.journal_key("http"), secrets.redactor());
    let answer = async {
        // Redacted before it is stored, because a server may repeat the request.
        let mut answer = send_request(prepared, kind.limit(), scope.state(), now_ms)
            .await
            .map_err(|error| secrets.redact_error(error))?;
        secrets.redactor().value(&mut answer);
        Ok::<_, NodeError>(answer)
    };
    let effect = cx.services().tape.effect("http", input, off_the_tape, answer);
    cx.once(&work.journal_key("http"), effect).await
}

impl PreparedRequest {
    /// Returns the input under which the answer is recorded on the tape: the journal key `key`, and a digest
    /// of the request, because headers and body may be private. Secrets count by their names, so that a
    /// recording replays with other values.
    fn recording_key(&self, key: &str, redactor: &Redactor) -> Value {
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
            .collect();
        let body = self.body.as_deref().map(String::from_utf8_lossy);
        let mut whole = json!([self.method.as_str(), self.url.as_str(), headers, body]);
        redactor.value(&mut whole);
        json!({ "request": key, "digest": ContentHash::of(whole.to_string().as_bytes()) })
    }
}

/// Evaluates the templates of the node, fills in secrets and checks the host.
fn prepare(kind: &HttpKind, scope: &EvalScope<'_>, cx: &Cx<Services>) -> NodeResult<PreparedRequest> {
    let secrets = &cx.services().secrets;
    let text = |template: &Template| secrets.fill(template.render(scope).map_err(expression_error)?);
    let url = text(&kind.url)?;
    let (url, client) = cx.services().hosts.admit(url.trim()).map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    let mut headers = Vec::new();
    for (name, value) in kind.headers.iter().flat_map(Entries::iter) {
        let value = text(value)?;
        headers.push((
            parse_header(name, name.parse::<HeaderName>())?,
            parse_header(name, value.parse::<HeaderValue>())?,
        ));
    }
    let body = match kind.request_body() {
        RequestBody::Empty => None,
        RequestBody::Text(body) => Some(text(body)?.into_bytes()),
        RequestBody::Json(value) => {
            let value = secrets.fill_value(value.evaluate(scope).map_err(expression_error)?)?;
            headers.insert(0, (CONTENT_TYPE, HeaderValue::from_static("application/json")));
            Some(value.to_string().into_bytes())
        }
    };
    let method = kind.method.unwrap_or_default().name().parse().expect("the names are HTTP's own");
    Ok(PreparedRequest { url, client, method, headers, body })
}

/// Converts the result of parsing a part of the header `name` to a permanent error of the node.
fn parse_header<T, E: std::fmt::Display>(name: &str, parsed: Result<T, E>) -> NodeResult<T> {
    parsed.map_err(|error| NodeError::msg(format!("the header `{name}` cannot be sent: {error}")).permanent())
}

/// Sends a request and reads the answer, of at most `limit` bytes. A status of 400 or more is an error. A
/// failure is temporary if a repetition is safe: the request never arrived, or its method is idempotent.
async fn send_request(
    prepared: PreparedRequest,
    limit: usize,
    state: &JsonState,
    now_ms: u64,
) -> NodeResult<Value> {
    let PreparedRequest { url, client, method, headers, body } = prepared;
    let host = url.host_str().unwrap_or_default().to_owned();
    // A request that may have taken effect is retried only if the method is idempotent or the node demands it.
    let is_safe_again = method.is_idempotent();
    let mut request = client.request(method, url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(body) = body {
        request = request.body(body);
    }
    let response = request.send().await.map_err(|error| {
        let never_arrived = error.is_connect();
        let failed = NodeError::msg(format!("`{host}` did not answer: {}", cause(&error)));
        if error.is_builder() {
            failed.permanent()
        } else if never_arrived || is_safe_again {
            failed.temporary(None)
        } else {
            failed
        }
    })?;
    let status = response.status();
    let is_json = content_type(&response).contains("json");
    let after = retry_after(response.headers()).map(|after| wait_duration(after, now_ms));
    let text = read_body(response, limit, is_safe_again).await?;
    // A short JSON text may be a very large value.
    let (bytes, most) = (json_text_size(&text), state.limits().value);
    if is_json && bytes > most {
        let exceeded = LimitExceeded::new(format!("the answer of `{host}`"), bytes, most, "value");
        return Err(too_large_error(&exceeded.to_string(), &exceeded));
    }
    if status.is_client_error() || status.is_server_error() {
        let error = NodeError::msg(format!("`{host}` answered {status}: {}", cut(text.trim(), SHOWN_CHARS)));
        return Err(status_error(error, status, after));
    }
    let parsed: Option<Value> = is_json.then(|| serde_json::from_str(&text).ok()).flatten();
    let body = parsed.unwrap_or_else(|| text.into());
    Ok(json!({ "status": status.as_u16(), "body": body }))
}

/// Sets the class of an error for a refused request: temporary for the status 429 and 5xx, after the wait
/// `after` that the server asks for; permanent for any other.
fn status_error(error: NodeError, status: StatusCode, after: Option<Duration>) -> NodeError {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return error.permanent();
    }
    let error = error.temporary(after);
    match after {
        Some(after) => error.with_hint(format!(
            "the server asks to be left alone for {after:?}: resume then, or raise `longest_wait` of the node's `retry`"
        )),
        None => error,
    }
}

/// Converts a `Retry-After` to the time to wait from `now_ms`, milliseconds since 1970.
fn wait_duration(after: RetryAfter, now_ms: u64) -> Duration {
    match after {
        RetryAfter::Seconds(seconds) => Duration::from_secs(seconds),
        RetryAfter::At(moment) => Duration::from_secs(moment).saturating_sub(Duration::from_millis(now_ms)),
    }
}

/// Returns the content type in lower case; empty if there is none.
fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

/// Reads the body as text; bytes that are not UTF-8 become U+FFFD. Fails if it is longer than `limit` bytes.
async fn read_body(response: Response, limit: usize, is_safe_again: bool) -> NodeResult<String> {
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| {
            let broken = NodeError::msg(format!("the answer broke off: {}", cause(&error)));
            if is_safe_again { broken.temporary(None) } else { broken }
        })?;
        if bytes.len() + piece.len() > limit {
            let error = NodeError::msg(format!("the answer has more than {limit} bytes")).permanent();
            return Err(error.with_hint("raise `limit` of the node"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
