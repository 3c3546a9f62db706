//! The form of a request: streamed or whole, with which kind of schema; and the next weaker form for an endpoint that refuses one.
//! Pure.

use super::super::error::ModelErrorKind;
use super::super::message::ChatRequest;
use super::endpoint::Structured;

/// How an endpoint is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) structured: Structured,
    pub(super) streaming: Streaming,
}

/// How an endpoint is asked to stream, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streaming {
    /// With `stream_options`, so that it counts the tokens.
    WithUsage,
    /// Without; the tokens are estimated where it does not count them unasked.
    WithoutUsage,
    /// Not at all.
    Off,
}

impl Form {
    /// The form to ask in next, when `kind` says that the endpoint does not take this one.
    pub(super) fn weaker(self, request: &ChatRequest, kind: &ModelErrorKind) -> Option<Self> {
        let ModelErrorKind::Status { status, message, .. } = kind else { return None };
        let message = message.to_lowercase();
        let is_refusal = match status {
            400 | 404 | 422 | 501 => true,
            // Servers of llama.cpp before 2025-05.
            500 => message.contains("with stream"),
            _ => false,
        };
        if !is_refusal {
            return None;
        }
        let names =
            |word: &str| message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|it| it == word);
        if self.streaming == Streaming::WithUsage && (names("stream_options") || names("include_usage")) {
            return Some(Self { streaming: Streaming::WithoutUsage, ..self });
        }
        // Before the schema: some take each of the two, but not both at once, and the schema is worth more.
        if self.streaming != Streaming::Off && (names("stream") || names("streaming")) {
            return Some(Self { streaming: Streaming::Off, ..self });
        }
        request.answer.as_ref()?;
        let about_the_schema =
            ["response_format", "response format", "json_schema", "json_object", "schema", "grammar"];
        let weaker =
            about_the_schema.iter().any(|word| message.contains(word)).then(|| self.structured.weaker());
        Some(Self { structured: weaker.flatten()?, ..self })
    }
}
