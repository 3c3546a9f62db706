//! Asks a model one typed question. Its answers are journaled; an invalid one is asked for again as often
//! as the caller allows.

use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::agent::{Spent, TypedQuestion};
use crate::engine::{Cx, NodeResult};
use crate::llm::{AskPolicy, ChatAnswer, ChatRequest, SharedModel, TypedRequest};
use crate::workflows::sections::services::{SectionsResources, SectionsServices};

/// Asks a question and parses the answer as `T`. Returns the value (`None` if no answer could be read), and
/// all answers that were given, because each was paid for. `key` is the key in the journal, `reasks` the
/// number of further tries.
pub(super) async fn ask_typed<T: DeserializeOwned + JsonSchema>(
    model: &SharedModel,
    key: &str,
    chat: ChatRequest,
    reasks: u32,
    cx: &Cx<SectionsServices>,
) -> NodeResult<(Option<T>, Vec<ChatAnswer>)> {
    let answers = Mutex::new(Vec::new());
    let keep = |answer: &ChatAnswer| {
        answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer.clone());
    };
    let asking = TypedRequest::new(chat, AskPolicy::reasks(reasks)).with_optional_fields();
    let question = TypedQuestion::new(cx, model, key, asking).on_answer(&keep);
    let reply = question.try_ask(|_: &T| Ok(())).await?;
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((reply.ok().map(|reply| reply.value), answers))
}

/// Returns the tokens and money that the answers cost, counted under a label.
pub(super) fn typed_spent(label: &str, answers: &[ChatAnswer], resources: &SectionsResources) -> Spent {
    let mut spent = Spent::default();
    for answer in answers {
        spent.answer(label, answer, resources.prices);
    }
    spent
}
