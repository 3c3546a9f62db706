//! A model that returns fixed answers in order and records its requests (ENG-12). For tests and examples; `replay` plays recordings.

use std::sync::Mutex;

use futures_util::future::{self, FutureExt};
use serde_json::Value;

use super::error::{ModelError, ModelErrorKind};
use super::message::{ChatRequest, ToolCall, estimated_tokens};
use super::model::{
    AnswerFuture, ChatAnswer, ChatModel, Finish, ModelName, TokenDemand, TokenSink, Usage, UsageSource,
};

/// A model with fixed answers, returned one per request in order. A request after the last answer fails.
///
/// ```
/// use serde_json::json;
/// use stategraph_llm::{ChatModel, ChatRequest, Message, NoTokens, Scripted};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = Scripted::new("test/model").call("add", &json!({ "a": 1 })).answer("Done.");
/// let request = ChatRequest::new("example", vec![Message::user("Add.")]);
/// assert_eq!(model.chat(&request, &NoTokens).await?.tool_calls[0].name, "add");
/// assert_eq!(model.chat(&request, &NoTokens).await?.text, "Done.");
/// # Ok::<(), stategraph_llm::ModelError>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Scripted {
    name: ModelName,
    answers: Vec<Result<ScriptedAnswer, ModelErrorKind>>,
    asked: Mutex<Vec<ChatRequest>>,
}

/// An answer of a [`Scripted`] model. Fields that are not set get plausible values.
#[derive(Clone, Debug, Default)]
pub struct ScriptedAnswer {
    /// The text.
    pub text: String,
    /// The tools called.
    pub tool_calls: Vec<ToolCall>,
    /// Tokens used; estimated unless set.
    pub usage: Option<Usage>,
    /// Reason of the end; stop or tool calls unless set.
    pub finish: Option<Finish>,
}

impl Scripted {
    /// Makes a model without answers.
    pub fn new(name: impl Into<ModelName>) -> Self {
        Self { name: name.into(), answers: Vec::new(), asked: Mutex::default() }
    }

    /// Appends an answer with this text.
    pub fn answer(self, text: impl Into<String>) -> Self {
        self.reply(ScriptedAnswer { text: text.into(), ..ScriptedAnswer::default() })
    }

    /// Appends an answer that calls this tool with these arguments. The id of the call is `call_1` for the
    /// first answer of the script, and so on.
    pub fn call(self, tool: impl Into<String>, arguments: &Value) -> Self {
        let id = format!("call_{}", self.answers.len() + 1);
        let call = ToolCall { id, name: tool.into(), arguments: arguments.to_string() };
        self.reply(ScriptedAnswer { tool_calls: vec![call], ..ScriptedAnswer::default() })
    }

    /// Appends `answer`.
    pub fn reply(mut self, answer: ScriptedAnswer) -> Self {
        self.answers.push(Ok(answer));
        self
    }

    /// Appends a failure in the place of an answer.
    pub fn fail(mut self, kind: ModelErrorKind) -> Self {
        self.answers.push(Err(kind));
        self
    }

    /// Returns the requests so far, in order.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.asked.lock().expect("no holder of this lock panics").clone()
    }

    /// Records the request and returns the next answer of the script.
    fn next(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelErrorKind> {
        let mut asked = self.asked.lock().expect("no holder of this lock panics");
        asked.push(request.clone());
        let question = asked.len();
        let ended = ModelErrorKind::ScriptEnded { answers: self.answers.len(), question };
        let answer = self.answers.get(question - 1).cloned().unwrap_or(Err(ended))?;
        Ok(answer.complete(request, &self.name))
    }
}

impl ScriptedAnswer {
    /// Fills the fields that are not set and returns the answer to `request`.
    fn complete(self, request: &ChatRequest, name: &ModelName) -> ChatAnswer {
        let usage = self.usage.unwrap_or_else(|| Usage {
            prompt_tokens: request.estimated_tokens(),
            completion_tokens: estimated_tokens(&self.text),
            source: UsageSource::Estimated,
        });
        let natural = if self.tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let finish = self.finish.unwrap_or(natural);
        ChatAnswer {
            text: self.text,
            tool_calls: self.tool_calls,
            usage,
            cost: None,
            model: name.to_string(),
            finish,
        }
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        deliver(self.next(request), &self.name, sink)
    }
}

/// Returns a ready future with `answer`, for models that need no time. First passes the text to the sink word
/// by word, if the sink wants tokens. `by` is the model that a failure names.
pub(super) fn deliver<'a>(
    answer: Result<ChatAnswer, ModelErrorKind>,
    by: &ModelName,
    sink: &dyn TokenSink,
) -> AnswerFuture<'a> {
    if let (Ok(answer), TokenDemand::Tokens) = (&answer, sink.token_demand()) {
        answer.text.split_inclusive(' ').for_each(|piece| sink.token(piece));
    }
    future::ready(answer.map_err(|kind| ModelError::new(by, kind))).boxed()
}
