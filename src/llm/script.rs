//! A model that gives fixed answers in order and remembers what it was asked (ENG-12). For tests and examples; a recorded
//! conversation is `replay`.

use std::sync::Mutex;

use futures_util::future::{self, BoxFuture, FutureExt};

use super::error::{ModelError, ModelErrorKind};
use super::message::{ChatRequest, ToolCall, estimated_tokens};
use super::model::{Appetite, ChatAnswer, ChatModel, Finish, ModelName, TokenSink, Usage, UsageSource};

/// Fixed answers in order.
#[derive(Debug)]
pub struct Scripted {
    name: ModelName,
    answers: Vec<Result<ScriptedAnswer, ModelErrorKind>>,
    asked: Mutex<Vec<ChatRequest>>,
}

/// One answer of a script; what it leaves out is made up consistently.
#[derive(Clone, Debug, Default)]
pub struct ScriptedAnswer {
    /// The text.
    pub text: String,
    /// The tools called.
    pub tool_calls: Vec<ToolCall>,
    /// What it took; estimated where absent.
    pub usage: Option<Usage>,
    /// Why it ended; stop or tool calls where absent.
    pub finish: Option<Finish>,
}

impl Scripted {
    /// A model with no answers yet.
    pub fn new(name: impl Into<ModelName>) -> Self {
        Self { name: name.into(), answers: Vec::new(), asked: Mutex::default() }
    }

    /// Then it says `text`.
    pub fn answer(self, text: impl Into<String>) -> Self {
        self.reply(ScriptedAnswer { text: text.into(), ..ScriptedAnswer::default() })
    }

    /// Then it gives `answer`.
    pub fn reply(mut self, answer: ScriptedAnswer) -> Self {
        self.answers.push(Ok(answer));
        self
    }

    /// Then it fails.
    pub fn fail(mut self, kind: ModelErrorKind) -> Self {
        self.answers.push(Err(kind));
        self
    }

    /// What it was asked so far, in order.
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().expect("no holder of this lock panics").clone()
    }

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

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a dyn TokenSink,
    ) -> BoxFuture<'a, Result<ChatAnswer, ModelError>> {
        let answer = self.next(request).map_err(|kind| ModelError::new(&self.name, kind));
        if let Ok(answer) = &answer {
            stream_text(&answer.text, sink);
        }
        future::ready(answer).boxed()
    }
}

/// Gives a finished text to a sink word by word, for models that have it all at once.
pub(super) fn stream_text(text: &str, sink: &dyn TokenSink) {
    if sink.appetite() == Appetite::Tokens {
        text.split_inclusive(' ').for_each(|piece| sink.token(piece));
    }
}
