//! Asks a model for a typed answer inside a node, repeats the request after an invalid answer, and journals
//! every answer: after a crash no answer is requested twice, not even an invalid one. Uses no tools; see
//! `turn`.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::next::no_answer;
use super::usage::UsageEvent;
use super::words::StreamedAnswer;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_llm::{
    ChatAnswer, ChatModel as _, ModelError, RefusedAnswer, Reply, SharedModel, TypedRequest,
};

/// Maximum length of the invalid answer that an error quotes, in characters.
const SHOWN_CHARS: usize = 300;

/// A request of a node to a model for an answer of type `T`, built step by step and sent by `ask` or
/// `try_ask`.
pub struct TypedQuestion<'a, T, D> {
    cx: &'a Cx<D>,
    model: &'a SharedModel,
    key: String,
    asking: TypedRequest<T>,
    convert_error: fn(ModelError) -> NodeError,
    on_answer: Option<&'a (dyn Fn(&ChatAnswer) + Sync)>,
    advice: Option<&'static str>,
}

/// The action when a resumed run finds only invalid answers in its journal and no re-ask is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterRefusal {
    /// Ask once more, because the invalid answer was an error of the node: otherwise each resume would fail
    /// the same way.
    AskAgain,
    /// Return the last invalid answer, because the node continues without a valid one.
    Settle,
}

impl<'a, T: DeserializeOwned + JsonSchema, D: Send + Sync> TypedQuestion<'a, T, D> {
    /// Makes a question to `model`. `asking` has the request and the number of re-asks. Answers are journaled
    /// under `key.1`, `key.2`, ….
    pub fn new(
        cx: &'a Cx<D>,
        model: &'a SharedModel,
        key: impl Into<String>,
        asking: TypedRequest<T>,
    ) -> Self {
        Self { cx, model, key: key.into(), asking, convert_error: no_answer, on_answer: None, advice: None }
    }

    /// Appends a number to the key, to distinguish questions of the same name in one task.
    #[must_use]
    pub fn numbered(mut self, number: usize) -> Self {
        self.key = format!("{}-{number}", self.key);
        self
    }

    /// Sets the conversion of errors of the model; [`no_answer`] unless set, which makes them permanent.
    #[must_use]
    pub fn convert_error(mut self, convert: fn(ModelError) -> NodeError) -> Self {
        self.convert_error = convert;
        self
    }

    /// Sets a function that is called with each answer, before it is validated. A resumed run calls it with journaled answers too.
    #[must_use]
    pub fn on_answer(mut self, callback: &'a (dyn Fn(&ChatAnswer) + Sync)) -> Self {
        self.on_answer = Some(callback);
        self
    }

    /// Sets the beginning of the error's hint for the case that all answers are invalid; the hint of the
    /// model's error follows it.
    #[must_use]
    pub fn advice(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }

    /// Returns the first valid answer. `check` verifies rules that the schema cannot express; its `Err` is
    /// told to the model. Fails when all re-asks are used up; a run that is resumed after this error asks
    /// once more.
    pub async fn ask(
        mut self,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> NodeResult<Reply<T>> {
        let reply = self.run(AfterRefusal::AskAgain, check).await?;
        reply.map_err(|refused| refusal_error(refused, self.model, self.advice))
    }

    /// Returns the first valid answer, or the last invalid one when all re-asks are used up. For nodes that
    /// continue without a valid answer: a resumed run does not ask again. The outer error occurs only if the
    /// model gives no answer.
    pub async fn try_ask(
        mut self,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> NodeResult<Result<Reply<T>, RefusedAnswer>> {
        self.run(AfterRefusal::Settle, check).await
    }

    /// Asks until an answer is valid or the re-asks are used up. Each answer is journaled and then reported
    /// to the callback.
    async fn run(
        &mut self,
        after_refusal: AfterRefusal,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> NodeResult<Result<Reply<T>, RefusedAnswer>> {
        let mut number = 0_u32;
        loop {
            number += 1;
            let is_new = AtomicBool::new(false);
            let key = format!("{}.{number}", self.key);
            let call = async {
                is_new.store(true, Ordering::Relaxed);
                let answer =
                    self.model.chat(self.asking.request(), &StreamedAnswer::new(self.cx, &key)).await;
                let answer = answer.map_err(self.convert_error)?;
                UsageEvent::of(self.model.name(), &answer).tell(self.cx)?;
                Ok::<_, NodeError>(answer)
            };
            let answer: ChatAnswer = self.cx.once(&key, call).await?;
            if let Some(callback) = self.on_answer {
                callback(&answer);
            }
            let refused = match self.asking.judge(answer, &check) {
                Ok(reply) => return Ok(Ok(reply)),
                Err(refused) => refused,
            };
            let may_end = after_refusal == AfterRefusal::Settle || is_new.load(Ordering::Relaxed);
            if !self.asking.may_reask() && may_end {
                return Ok(Err(refused));
            }
        }
    }
}

/// Makes the permanent error of a node whose model gave only invalid answers. Its hint has the advice, then
/// the beginning of the last answer (ENG-14).
fn refusal_error(refused: RefusedAnswer, model: &SharedModel, own: Option<&str>) -> NodeError {
    let said = excerpt(&refused.raw);
    let error = refused.by(model);
    let advice = own.map(str::to_owned).into_iter().chain(error.hint()).collect::<Vec<_>>().join("; ");
    NodeError::from(error)
        .permanent()
        .with_hint(format!("{advice}; resume to ask it once more. Its answer: {said}"))
}

/// Returns the beginning of an answer on one line, with the number of characters left out; `nothing` for a
/// blank one.
fn excerpt(raw: &str) -> String {
    let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => {
            let left = line[end..].chars().count();
            format!("{}… ({left} more characters)", &line[..end])
        }
        None if line.is_empty() => "nothing".to_owned(),
        None => line,
    }
}
