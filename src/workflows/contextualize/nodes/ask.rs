//! One request to a model inside a node. Its answer is journaled; an invalid answer is not asked for again, because the number of calls is
//! part of the contract (CTX-9, CTX-20, CTX-31).

use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agent::{Spent, TypedQuestion, Words, no_answer};
use crate::engine::{Cx, NodeResult};
use crate::llm::{AskPolicy, Asking, ChatAnswer, ChatModel as _, ChatRequest, RefusedAnswer, Reply};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::services::{ContextRequest, ContextServices};

/// Asks for a typed answer once. `mend` normalises the answer before it is validated.
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
    };
    let asking = Asking::new(chat, AskPolicy::reasks(0).mend(mend)).with_optional_fields();
    let question = TypedQuestion::new(cx, &resources.model, request.name(), asking).on_answer(&count);
    let reply = question.try_ask(|_| Ok(())).await?;
    Ok((reply, spent.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Asks for a text once.
pub(super) async fn ask_text(
    request: ContextRequest,
    chat: ChatRequest,
    cx: &Cx<ContextServices>,
) -> NodeResult<(ChatAnswer, Spent)> {
    let resources = cx.services().resources()?;
    announce(request, &chat, cx)?;
    let key = request.name();
    let call = async { resources.model.chat(&chat, &Words::new(cx, key)).await.map_err(no_answer) };
    let answer: ChatAnswer = cx.once(key, call).await?;
    let mut spent = Spent::default();
    spent.answer(key, &answer, resources.prices);
    Ok((answer, spent))
}

fn announce(request: ContextRequest, chat: &ChatRequest, cx: &Cx<ContextServices>) -> NodeResult<()> {
    let model = cx.services().resources()?.model.name().to_string();
    let tokens = chat.estimated_tokens();
    cx.emit(ContextEvent::NAME, &ContextEvent::Asking { request: request.name().to_owned(), model, tokens })
}
