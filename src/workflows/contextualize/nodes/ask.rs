//! One request to a model inside a node. Its answer is journaled; an invalid answer is not asked for again, because the number of calls is
//! part of the contract (CTX-9, CTX-20, CTX-31).

use std::sync::{Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agent::{Spent, StreamedAnswer, TypedQuestion, UsageEvent, no_answer};
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{
    AskPolicy, ChatAnswer, ChatModel as _, ChatRequest, RefusedAnswer, Reply, Restart, TokenDemand,
    TokenSink, TypedRequest,
};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::services::{ContextRequest, ContextServices};

/// Sends one request for a typed answer, and journals it. `mend` changes the JSON before it is validated.
/// Returns the value, or the refused answer, and the spending.
pub(super) async fn ask_typed<T: DeserializeOwned + JsonSchema>(
    request: ContextRequest,
    chat: ChatRequest,
    mend: fn(&mut Value),
    cx: &Cx<ContextServices>,
) -> NodeResult<(Result<Reply<T>, RefusedAnswer>, Spent)> {
    let resources = cx.services().resources()?;
    announce(request, &chat, cx)?;
    let spent = Mutex::new(Spent::default());
    let count = |answer: &ChatAnswer| {
        let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.answer(request.name(), answer, resources.prices);
        // A subscriber that is gone must not cost an answer.
        let _ = show_text(&format!("answer to {}", request.name()), &answer.text, cx);
    };
    let asking = TypedRequest::new(chat, AskPolicy::reasks(0).mend(mend)).with_optional_fields();
    let question = TypedQuestion::new(cx, &resources.model, request.name(), asking).on_answer(&count);
    let reply = question.try_ask(|_| Ok(())).await?;
    Ok((reply, spent.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Sends one request for a text, streams its words, and journals the answer. Returns the answer and the
/// spending.
pub(super) async fn ask_text(
    request: ContextRequest,
    chat: ChatRequest,
    cx: &Cx<ContextServices>,
) -> NodeResult<(ChatAnswer, Spent)> {
    let resources = cx.services().resources()?;
    announce(request, &chat, cx)?;
    let key = request.name();
    let sink = TextLines::new(cx, key);
    let call = async {
        let answer = resources.model.chat(&chat, &sink).await.map_err(no_answer)?;
        UsageEvent::of(resources.model.name(), &answer).tell(cx)?;
        Ok::<_, NodeError>(answer)
    };
    let answer: ChatAnswer = cx.once(key, call).await?;
    show_text(&format!("answer to {key}"), &answer.text, cx)?;
    let mut spent = Spent::default();
    spent.answer(key, &answer, resources.prices);
    Ok((answer, spent))
}

fn announce(request: ContextRequest, chat: &ChatRequest, cx: &Cx<ContextServices>) -> NodeResult<()> {
    let model = cx.services().resources()?.model.name().to_string();
    let tokens = chat.estimated_tokens();
    cx.emit(ContextEvent::NAME, &ContextEvent::Asking { request: request.name().to_owned(), model, tokens })?;
    for message in &chat.messages {
        show_text(
            &format!("{:?} prompt of {}", message.role, request.name()).to_lowercase(),
            &message.content,
            cx,
        )?;
    }
    Ok(())
}

/// Emits a prompt or an answer as an event; does nothing without `--debug`.
pub(super) fn show_text(title: &str, text: &str, cx: &Cx<ContextServices>) -> NodeResult<()> {
    if !cx.services().resources()?.options.is_debugging {
        return Ok(());
    }
    cx.emit(ContextEvent::NAME, &ContextEvent::Exchange { title: title.to_owned(), text: text.to_owned() })
}

/// Sink for the tokens of an answer: passes them to subscribers of messages and, if the user wants it, line
/// by line to the terminal (CTX-98).
pub(super) struct TextLines<'a> {
    cx: &'a Cx<ContextServices>,
    words: StreamedAnswer<'a, ContextServices>,
    is_streaming: bool,
    line: Mutex<String>,
}

impl<'a> TextLines<'a> {
    pub(super) fn new(cx: &'a Cx<ContextServices>, key: &str) -> Self {
        let is_streaming = cx.services().resources().is_ok_and(|resources| resources.options.is_streaming);
        Self { cx, words: StreamedAnswer::new(cx, key), is_streaming, line: Mutex::default() }
    }

    fn line(&self) -> MutexGuard<'_, String> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the last line, which has no line break, and clears it.
    fn show_rest(&self) {
        let line = std::mem::take(&mut *self.line());
        if !line.is_empty() {
            self.show(&line);
        }
    }

    fn show(&self, line: &str) {
        let event = ContextEvent::Line { text: line.to_owned() };
        // A subscriber that is gone must not cost an answer.
        let _ = self.cx.emit(ContextEvent::NAME, &event);
    }
}

impl TokenSink for TextLines<'_> {
    fn begin(&self) {
        self.show_rest();
        self.words.begin();
    }

    fn token_demand(&self) -> TokenDemand {
        if self.is_streaming { TokenDemand::Tokens } else { self.words.token_demand() }
    }

    fn token(&self, text: &str) {
        self.words.token(text);
        if !self.is_streaming {
            return;
        }
        let mut line = self.line();
        line.push_str(text);
        while let Some(end) = line.find('\n') {
            self.show(&line[..end]);
            line.drain(..=end);
        }
    }

    fn restart(&self) -> Restart {
        self.line().clear();
        self.words.restart()
    }
}

impl Drop for TextLines<'_> {
    fn drop(&mut self) {
        self.show_rest();
    }
}
