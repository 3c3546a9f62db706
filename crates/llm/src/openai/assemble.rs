//! Assembles an answer from chunks or a whole completion. Reads JSON values instead of types, because some endpoint omits each field, sends
//! null or another type. Pure except for the sink.

use serde_json::Value;

use super::super::error::ModelErrorKind;
use super::super::message::{ChatRequest, ToolCall, estimated_tokens};
use super::super::model::{ChatAnswer, Finish, TokenDemand, TokenSink, Usage, UsageSource};
use super::answer_timer::AnswerTimer;
use super::failure;

/// An answer that is being assembled from the chunks of a stream, or from one whole completion.
#[derive(Default)]
pub(super) struct Assembly {
    model: String,
    text: String,
    refusal: String,
    calls: Vec<PartialCall>,
    finish: Option<String>,
    usage: Option<Usage>,
    shape: AnswerShape,
}

/// The form of the choices that have arrived.
#[derive(Clone, Copy, Default, PartialEq)]
enum AnswerShape {
    /// No choice has arrived.
    #[default]
    NoChoice,
    /// Chunks (`delta`) of a streamed choice.
    Pieces,
    /// A complete choice (`message`).
    Whole,
}

/// A tool call that is being assembled from pieces.
#[derive(Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Assembly {
    /// Adds a chunk or a whole completion. Passes its text to `sink`, and reports tokens and the end of the
    /// answer to `timer`. Fails if the endpoint reports a failure in it. Of several choices only the one with
    /// index 0 is used.
    pub(super) fn add(
        &mut self,
        value: &Value,
        sink: &dyn TokenSink,
        timer: &AnswerTimer,
    ) -> Result<(), ModelErrorKind> {
        if let Some(reported) = failure::find_reported(value) {
            return Err(reported.into());
        }
        if let Some(model) = value["model"].as_str().filter(|model| !model.is_empty()) {
            model.clone_into(&mut self.model);
        }
        if let Some(usage) = usage(&value["usage"]) {
            self.usage = Some(usage);
        }
        // Only the first choice is used, because only one is requested.
        let Some(choice) =
            value["choices"].as_array().and_then(|choices| choices.iter().find(|c| is_first(c)))
        else {
            return Ok(());
        };
        if let Some(reported) = failure::find_reported(choice) {
            return Err(reported.into());
        }
        let (shape, part) = match choice.get("message") {
            Some(message) if message.is_object() => (AnswerShape::Whole, message),
            _ => (AnswerShape::Pieces, &choice["delta"]),
        };
        self.shape = shape;
        if holds_a_token(part) {
            timer.note_token();
        }
        self.add_part(part, sink);
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        if self.is_whole() {
            timer.note_end();
        }
        Ok(())
    }

    /// Returns true if the answer is complete: the model gave a finish reason, or a whole completion arrived.
    pub(super) fn is_whole(&self) -> bool {
        self.finish.is_some() || self.shape == AnswerShape::Whole
    }

    /// Returns the answer, or an error if no choice came, the answer is incomplete or the model refused.
    /// `request` serves to estimate token counts that the endpoint does not report.
    pub(super) fn finish(self, request: &ChatRequest) -> Result<ChatAnswer, ModelErrorKind> {
        if self.shape == AnswerShape::NoChoice {
            return Err(ModelErrorKind::EmptyChoices);
        }
        if !self.is_whole() {
            let detail =
                format!("the stream ended after {} characters without a finish_reason", self.text.len());
            return Err(ModelErrorKind::Truncated { detail });
        }
        if !self.refusal.is_empty() {
            return Err(ModelErrorKind::Refused { message: self.refusal });
        }
        let finish = finish(self.finish.as_deref(), &self.calls)?;
        let usage = self.usage.unwrap_or_else(|| Usage {
            prompt_tokens: request.estimated_tokens(),
            completion_tokens: estimated_tokens(&self.text),
            source: UsageSource::Estimated,
        });
        let tool_calls = self.calls.into_iter().enumerate().map(|(n, call)| call.complete(n)).collect();
        Ok(ChatAnswer { text: self.text, tool_calls, usage, cost: None, model: self.model, finish })
    }

    /// Adds the text, the refusal and the tool calls of a `delta` or `message`.
    fn add_part(&mut self, part: &Value, sink: &dyn TokenSink) {
        let text = text(&part["content"]);
        if !text.is_empty() && sink.token_demand() == TokenDemand::Tokens {
            sink.token(&text);
        }
        self.text.push_str(&text);
        self.refusal.push_str(part["refusal"].as_str().unwrap_or_default());
        for call in part["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(call);
        }
    }

    /// Adds a piece of a tool call: to the call that it continues, or as a new call.
    fn add_call(&mut self, piece: &Value) {
        let id = piece["id"].as_str().unwrap_or_default();
        let function = &piece["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let index = piece["index"].as_u64();
        let open = self.calls.iter().rposition(|call| call.continues(index, id, name));
        let at = open.unwrap_or_else(|| {
            self.calls.push(PartialCall { index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            Value::Null => {}
            object => call.arguments.push_str(&object.to_string()),
        }
    }
}

impl PartialCall {
    /// Returns true if a piece with this index, id and name belongs to this call. The index alone is not
    /// enough, because some endpoints omit it or always send 0.
    fn continues(&self, index: Option<u64>, id: &str, name: &str) -> bool {
        let same_id = id.is_empty() || id == self.id;
        match index {
            Some(_) => self.index == index && same_id,
            None => same_id && (name.is_empty() || !id.is_empty()),
        }
    }

    /// Returns the finished call. A call without an id gets one from its position.
    fn complete(self, position: usize) -> ToolCall {
        let id = if self.id.is_empty() { format!("call_{position}") } else { self.id };
        ToolCall { id, name: self.name, arguments: self.arguments }
    }
}

/// Returns true if a `delta` or `message` has content: text, reasoning or a call. One with only the role has
/// none; some servers send it before the model begins.
fn holds_a_token(part: &Value) -> bool {
    let fields = part.as_object().into_iter().flatten();
    fields.filter(|(name, _)| *name != "role").any(|(_, value)| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    })
}

/// Returns true for the choice with index 0, or without an index.
fn is_first(choice: &Value) -> bool {
    choice["index"].as_u64().unwrap_or(0) == 0
}

/// Returns the text of a message: the string, or the joined texts of its content blocks (CTX-71).
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Returns the token counts of a `usage` object; `None` if it has no prompt tokens.
fn usage(value: &Value) -> Option<Usage> {
    let count = |key: &str| value[key].as_u64();
    let prompt_tokens = count("prompt_tokens")?;
    Some(Usage {
        prompt_tokens,
        completion_tokens: count("completion_tokens").unwrap_or(0),
        source: UsageSource::Reported,
    })
}

/// Returns the reason for the end of the answer, or an error for a failed model or a content filter.
fn finish(reason: Option<&str>, calls: &[PartialCall]) -> Result<Finish, ModelErrorKind> {
    Ok(match reason {
        Some("error") => {
            return Err(ModelErrorKind::Failed {
                code: None,
                message: "the model behind the endpoint failed (finish_reason: error)".into(),
            });
        }
        Some("content_filter") => {
            return Err(ModelErrorKind::Refused {
                message: "the endpoint's content filter stopped it".into(),
            });
        }
        Some("length") => Finish::Length,
        // Some endpoints say `stop` after tool calls, some say nothing at all.
        Some("stop") | None if calls.is_empty() => Finish::Stop,
        Some("stop" | "tool_calls" | "function_call") | None => Finish::ToolCalls,
        Some(other) => Finish::Other(other.to_owned()),
    })
}
