//! Asks a model for a typed answer inside a node, again after an invalid answer, and journals every answer: after a crash no answer is
//! requested twice, not even a refused one. Uses no tools; see `turn`.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::next::no_answer;
use super::usage::UsageEvent;
use super::words::Words;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_llm::{Asking, ChatAnswer, ChatModel as _, ModelError, RefusedAnswer, Reply, SharedModel};

/// Characters of a refused answer that an error shows.
const SHOWN_CHARS: usize = 300;

/// A question of a node to a model, with the type of its answer.
pub struct TypedQuestion<'a, T, D> {
    cx: &'a Cx<D>,
    model: &'a SharedModel,
    key: String,
    asking: Asking<T>,
    convert_error: fn(ModelError) -> NodeError,
    on_answer: Option<&'a (dyn Fn(&ChatAnswer) + Sync)>,
    advice: Option<&'static str>,
}

/// The action of a resumed run that finds only refused answers in its journal, with no re-ask left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterRefusal {
    /// Ask once more, because the refusal was an error: without a new answer, each resume would fail the same way.
    AskAgain,
    /// Ask no more, because the node continues after a refusal.
    Settle,
}

impl<'a, T: DeserializeOwned + JsonSchema, D: Send + Sync> TypedQuestion<'a, T, D> {
    /// Makes a question to `model`. Its answers are journaled as `key.1`, `key.2`, ….
    pub fn new(cx: &'a Cx<D>, model: &'a SharedModel, key: impl Into<String>, asking: Asking<T>) -> Self {
        Self { cx, model, key: key.into(), asking, convert_error: no_answer, on_answer: None, advice: None }
    }

    /// Sets a number that tells this question from others of the same name in one task.
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

    /// Sets advice for the case that all answers are refused; the advice of the model's error follows it.
    #[must_use]
    pub fn advice(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }

    /// Returns the first valid answer. `check` verifies what the schema cannot express. Fails when all re-asks are used up; a run that is
    /// resumed after this error asks once more.
    pub async fn ask(
        mut self,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> NodeResult<Reply<T>> {
        let reply = self.run(AfterRefusal::AskAgain, check).await?;
        reply.map_err(|refused| refusal_error(refused, self.model, self.advice))
    }

    /// Returns the first valid answer, or the last refused one when all re-asks are used up. For nodes that continue after a refusal: a
    /// resumed run does not ask once more. Fails only if the model gives no answer.
    pub async fn try_ask(
        mut self,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> NodeResult<Result<Reply<T>, RefusedAnswer>> {
        self.run(AfterRefusal::Settle, check).await
    }

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
                let answer = self.model.chat(self.asking.request(), &Words::new(self.cx, &key)).await;
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

/// Makes the permanent error of a node that gives up after a refused answer. Its hint shows the beginning of the answer (ENG-14).
fn refusal_error(refused: RefusedAnswer, model: &SharedModel, own: Option<&str>) -> NodeError {
    let said = excerpt(&refused.raw);
    let error = refused.by(model);
    let advice = own.map(str::to_owned).into_iter().chain(error.hint()).collect::<Vec<_>>().join("; ");
    NodeError::from(error)
        .permanent()
        .with_hint(format!("{advice}; resume to ask it once more. Its answer: {said}"))
}

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
