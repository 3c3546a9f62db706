//! Texts of prompts, answers and tools in spans. They do not pass through fields of `tracing`, which any
//! subscriber would log, but only to the export layer of this crate, and only if the user switched their
//! capture on. Secrets are replaced and long texts are cut before that.

use stategraph_base::redact_secrets;
use tracing::Span;

use super::names;

/// Maximum length of one text of a span, in bytes, without the note about its full length.
pub const TEXT_BYTES: usize = 8 << 10;
/// Number of bytes behind the limit that are also searched for secrets, because a secret that the cut splits
/// must not leave its first half.
const MARGIN_BYTES: usize = 1 << 10;

/// The kinds of text content that a span may carry, each captured only if the user asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpanContent {
    /// Input of a chain, agent or evaluator.
    Input,
    /// Output of a chain, agent or evaluator.
    Output,
    /// Messages of a request.
    InputMessages,
    /// Messages of an answer.
    OutputMessages,
    /// System prompt.
    SystemInstructions,
    /// Tools that a request offers.
    ToolDefinitions,
    /// Arguments of a tool call.
    ToolArguments,
    /// Result of a tool call.
    ToolResult,
    /// Reason for a score.
    Explanation,
}

impl SpanContent {
    /// Returns the name of the span attribute for this content.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::Input => names::INPUT,
            Self::Output => names::OUTPUT,
            Self::InputMessages => names::INPUT_MESSAGES,
            Self::OutputMessages => names::OUTPUT_MESSAGES,
            Self::SystemInstructions => names::SYSTEM_INSTRUCTIONS,
            Self::ToolDefinitions => names::TOOL_DEFINITIONS,
            Self::ToolArguments => names::TOOL_ARGUMENTS,
            Self::ToolResult => names::TOOL_RESULT,
            Self::Explanation => names::EXPLANATION,
        }
    }
}

/// Returns true if the span is exported and the user asked for this kind of content. Callers ask before they
/// build long texts.
pub fn is_captured(span: &Span, content: SpanContent) -> bool {
    with_layer(span, |layer, _, _| layer.captures(content))
}

/// Sets an attribute with content on an open span, if the content is captured. `text` is called only then; it
/// must return text that [`clean_text`] made, or JSON of such texts.
pub fn record_content(span: &Span, content: SpanContent, text: impl FnOnce() -> String) {
    with_layer(span, |layer, id, dispatch| {
        let is_captured = layer.captures(content);
        if is_captured {
            layer.record_text(dispatch, id, content.attribute(), text());
        }
        is_captured
    });
}

/// Returns a text as it may enter a span: secrets replaced, then cut to [`TEXT_BYTES`] with a note of its full length.
///
/// ```
/// use stategraph_trace::clean_text;
///
/// assert_eq!(clean_text("API_TOKEN=q8Zr1TvX0mLw93KdPa7c"), "API_TOKEN=[secret]");
/// assert!(clean_text(&"a".repeat(10_000)).ends_with("… [10000 bytes]"));
/// ```
pub fn clean_text(text: &str) -> String {
    let window = &text[..text.floor_char_boundary(TEXT_BYTES + MARGIN_BYTES)];
    let redacted = redact_secrets(window);
    if window.len() == text.len() && redacted.len() <= TEXT_BYTES {
        return redacted.into_owned();
    }
    let kept = &redacted[..redacted.floor_char_boundary(TEXT_BYTES)];
    format!("{kept}… [{} bytes]", text.len())
}

/// Calls `act` with the export layer of the span's subscriber and returns its result; false if the span is
/// not exported.
#[cfg(feature = "export")]
fn with_layer(
    span: &Span,
    act: impl FnOnce(&super::export::ExportLayer, &tracing::Id, &tracing::Dispatch) -> bool,
) -> bool {
    let found = span.with_subscriber(|(id, dispatch)| {
        dispatch.downcast_ref::<super::export::ExportLayer>().is_some_and(|layer| act(layer, id, dispatch))
    });
    found.unwrap_or(false)
}

/// Returns false: without the feature `export` there is no layer that could collect content.
#[cfg(not(feature = "export"))]
fn with_layer(_: &Span, _: impl FnOnce(&NoLayer, &tracing::Id, &tracing::Dispatch) -> bool) -> bool {
    false
}

/// A type without values, in the place of the export layer.
#[cfg(not(feature = "export"))]
enum NoLayer {}

#[cfg(not(feature = "export"))]
impl NoLayer {
    fn captures(&self, _: SpanContent) -> bool {
        match *self {}
    }

    fn record_text(&self, _: &tracing::Dispatch, _: &tracing::Id, _: &'static str, _: String) {
        match *self {}
    }
}
