//! The form of a request: streamed or whole, and the kind of schema; and the next weaker form for an endpoint that refuses one. Pure.

use super::super::error::ModelErrorKind;
use super::super::message::ChatRequest;
use super::endpoint::Structured;

/// The form of a request: the way to ask for structured answers, and the streaming options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestForm {
    pub(super) structured: Structured,
    pub(super) streaming: Streaming,
}

/// The streaming options of a request, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streaming {
    /// With `stream_options`, so that the endpoint reports token counts.
    WithUsage,
    /// Without `stream_options`; tokens are estimated if the endpoint does not report them.
    WithoutUsage,
    /// Not streamed.
    Off,
}

impl RequestForm {
    /// Returns the next weaker form if the error `kind` says that the endpoint does not support this one.
    /// `None` if the error has another reason, or no weaker form remains.
    pub(super) fn weaker(self, request: &ChatRequest, kind: &ModelErrorKind) -> Option<Self> {
        let ModelErrorKind::Status { status, message, .. } = kind else { return None };
        let message = message.to_lowercase();
        let is_refusal = match status {
            400 | 404 | 422 | 501 => true,
            // llama.cpp servers before 2025-05 answer 500.
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
        // Streaming is given up before the schema, because some endpoints support each but not both, and the schema is worth more.
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
