//! Parses error bodies: OpenAI's object, Gemini's array, plain text, HTML. Pure.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::super::error::{ModelErrorKind, RetryAfter};

/// Maximum length of a body's excerpt in an error, in characters.
const EXCERPT: usize = 300;

/// A failure as an endpoint reports it in JSON.
#[derive(Debug, PartialEq)]
pub(super) struct Reported {
    /// Error code, as text.
    pub(super) code: Option<String>,
    /// Error message.
    pub(super) message: String,
}

impl From<Reported> for ModelErrorKind {
    fn from(reported: Reported) -> Self {
        Self::Failed { code: reported.code, message: reported.message }
    }
}

/// Returns the failure in the field `error` of a JSON object, or of the first object of a list; `None`
/// without one.
pub(super) fn find_reported(value: &Value) -> Option<Reported> {
    let object = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    match object.get("error")? {
        Value::Null => None,
        Value::String(message) => Some(Reported { code: None, message: message.clone() }),
        error => Some(Reported { code: code(error), message: message(error) }),
    }
}

/// Returns the failure in the body of a refused request. Of a body without an `error`, the message is the
/// field `message` or `detail`, or the whole text.
pub(super) fn from_body(text: &str) -> Reported {
    let value = serde_json::from_str(text).unwrap_or(Value::Null);
    find_reported(&value).unwrap_or_else(|| {
        let spoken = ["message", "detail"].iter().find_map(|key| value.get(key)?.as_str());
        Reported { code: None, message: spoken.unwrap_or(text).to_owned() }
    })
}

/// Parses the delay in the header `Retry-After`, as seconds (rounded up) or a date. `None` if it is missing
/// or invalid.
pub fn retry_after(headers: &HeaderMap) -> Option<RetryAfter> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    if let Ok(seconds) = whole.parse::<u64>() {
        return Some(RetryAfter::Seconds(seconds + u64::from(whole != text)));
    }
    let moment = httpdate::parse_http_date(text).ok()?;
    Some(RetryAfter::At(moment.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs()))
}

/// Returns the id that the endpoint gave the request, for its support.
pub(super) fn request_id(headers: &HeaderMap) -> Option<String> {
    let found = ["x-request-id", "request-id"].iter().find_map(|name| headers.get(*name));
    found.and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Returns the first 300 characters of `text` on one line. Control characters become spaces, because an
/// answer must not control the terminal.
pub(super) fn excerpt(text: &str) -> String {
    let spaced: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(EXCERPT * 8).collect();
    let line = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "(nothing)".into(),
        None => line,
    }
}

/// Returns the code of a reported error as text, or its `type` if it has no code.
fn code(error: &Value) -> Option<String> {
    match error.get("code") {
        Some(Value::String(code)) => Some(code.clone()),
        Some(Value::Number(code)) => Some(code.to_string()),
        _ => error.get("type").and_then(Value::as_str).map(str::to_owned),
    }
}

/// Returns the message of a reported error, or the whole error as JSON.
fn message(error: &Value) -> String {
    error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned)
}
