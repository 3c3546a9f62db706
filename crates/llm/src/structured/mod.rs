//! Typed answers (ENG-14): schema sent, answer found in the text, checked against the schema, read into the
//! type, checked by the caller; asked again with the exact objection; at last an error that holds the raw
//! text.

mod extract;
mod validate;

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::error::{ModelError, ModelPlace};
use super::message::{AnswerSchema, ChatRequest, Message};
use super::model::{ChatAnswer, ChatModel, Finish, TokenSink, Usage};
use super::money::Money;

/// How stubbornly to ask, and how leniently to read.
#[derive(Clone, Copy, Debug)]
pub struct AskPolicy {
    /// How often an answer that is not accepted is asked for again; 0 asks once.
    pub reasks: u32,
    /// Straightens an answer before it is held against the schema: synonyms that are as good as the schema's words.
    pub mend: fn(&mut Value),
}

impl AskPolicy {
    /// Asks again so often, and takes answers as they are.
    pub fn reasks(reasks: u32) -> Self {
        Self { reasks, mend: |_| {} }
    }

    /// Straightens answers.
    #[must_use]
    pub fn mend(mut self, mend: fn(&mut Value)) -> Self {
        self.mend = mend;
        self
    }
}

/// An accepted answer, with what it took. Serialises, since it is what a journal keeps of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply<T> {
    /// The answer.
    pub value: T,
    /// Tokens, over all attempts.
    pub usage: Usage,
    /// Cost over all attempts, where every price is known.
    pub cost: Option<Money>,
    /// The model as the endpoint names it.
    pub model: String,
    /// Requests made, the accepted one included.
    pub attempts: u32,
}

impl From<ChatAnswer> for Reply<String> {
    fn from(answer: ChatAnswer) -> Self {
        Self { value: answer.text, usage: answer.usage, cost: answer.cost, model: answer.model, attempts: 1 }
    }
}

/// A typed answer that did not come about.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AskError {
    /// No answer at all.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Answers, but none that is accepted.
    #[error("{place} gave no acceptable answer in {attempts} attempts: {}", problems.join("; "))]
    Malformed {
        /// Which model was asked, and where.
        place: Box<ModelPlace>,
        /// Requests made.
        attempts: u32,
        /// What is wrong with the last answer.
        problems: Vec<String>,
        /// The last answer as it came (ENG-14).
        raw: String,
        /// What all attempts took.
        usage: Usage,
    },
}

impl AskError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Malformed { .. } => {
                Some("try a larger model; small ones often cannot hold to a schema".into())
            }
        }
    }
}

/// Asks `model` for a `T`. `check` judges what a schema cannot say, and words its objection for the model.
///
/// Before a further attempt the sink is told to start anew; one that refuses gets the pieces of all attempts.
pub async fn ask<T>(
    model: &dyn ChatModel,
    request: ChatRequest,
    policy: AskPolicy,
    check: impl Fn(&T) -> Result<(), String>,
    sink: &dyn TokenSink,
) -> Result<Reply<T>, AskError>
where
    T: DeserializeOwned + JsonSchema,
{
    let mut asking = Asking::new(request, policy);
    loop {
        let answer = model.chat(asking.request(), sink).await?;
        let refused = match asking.judge(answer, &check) {
            Ok(reply) => return Ok(reply),
            Err(refused) => refused,
        };
        if refused.attempts > policy.reasks {
            return Err(refused.by(model));
        }
        sink.restart();
    }
}

/// A typed question under way: [`ask`] in steps, for callers that keep each answer as it comes.
#[derive(Debug)]
pub struct Asking<T> {
    request: ChatRequest,
    schema: Schema,
    policy: AskPolicy,
    spent: Spent,
    wanted: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + JsonSchema> Asking<T> {
    /// Begins. A request that brings a schema of its own is held to that: one that takes away from the schema of `T`.
    pub fn new(mut request: ChatRequest, policy: AskPolicy) -> Self {
        let own = || AnswerSchema {
            name: T::schema_name().into_owned(),
            schema: SchemaGenerator::default().into_root_schema_for::<T>(),
        };
        let schema = request.answer.get_or_insert_with(own).schema.clone();
        Self { request, schema, policy, spent: Spent::default(), wanted: PhantomData }
    }

    /// Sends another schema than the answer is held against: one that says more, so that a server which makes a grammar of
    /// it keeps the model from answers that the check would refuse.
    #[must_use]
    pub fn sending(mut self, schema: Schema) -> Self {
        if let Some(answer) = &mut self.request.answer {
            answer.schema = schema;
        }
        self
    }

    /// What to ask now: after an answer that was refused, the conversation with the objections to it.
    pub fn request(&self) -> &ChatRequest {
        &self.request
    }

    /// Judges the next answer; one that is refused goes into the conversation.
    pub fn judge(
        &mut self,
        answer: ChatAnswer,
        check: &impl Fn(&T) -> Result<(), String>,
    ) -> Result<Reply<T>, RefusedAnswer> {
        self.spent.add(&answer);
        let problems = match judge(&answer, &self.schema, self.policy.mend, check) {
            Ok(value) => return Ok(self.spent.reply(value, answer.model)),
            Err(problems) => problems,
        };
        tracing::debug!(label = self.request.label, ?problems, "an answer is not accepted");
        let objection = objection(&problems);
        self.request.messages.extend([Message::assistant(answer.text.clone()), Message::user(objection)]);
        let Spent { attempts, usage, cost } = self.spent;
        Err(RefusedAnswer { attempts, problems, raw: answer.text, usage, cost })
    }
}

/// An answer that was not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedAnswer {
    /// Requests made so far.
    pub attempts: u32,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// The answer as it came.
    pub raw: String,
    /// What all attempts took.
    pub usage: Usage,
    /// Cost over all attempts, where every price is known.
    pub cost: Option<Money>,
}

impl RefusedAnswer {
    /// The error of giving up after it.
    pub fn by(self, model: &dyn ChatModel) -> AskError {
        let Self { attempts, problems, raw, usage, .. } = self;
        AskError::Malformed { place: Box::new(ModelPlace::of(model)), attempts, problems, raw, usage }
    }
}

/// The value in an answer, or what is wrong with it.
fn judge<T: DeserializeOwned>(
    answer: &ChatAnswer,
    schema: &Schema,
    mend: fn(&mut Value),
    check: &impl Fn(&T) -> Result<(), String>,
) -> Result<T, Vec<String>> {
    let value = fitting(answer, schema, mend)?;
    let value: T = serde_json::from_value(value).map_err(|error| vec![error.to_string()])?;
    check(&value).map_err(|problem| vec![problem])?;
    Ok(value)
}

/// The first value in the text that fits the schema, or what is wrong with the longest.
fn fitting(answer: &ChatAnswer, schema: &Schema, mend: fn(&mut Value)) -> Result<Value, Vec<String>> {
    let mut problems = Vec::new();
    if answer.finish == Finish::Length {
        problems.push("the answer was cut at the limit of tokens; be shorter".into());
    }
    let found = match extract::json(&answer.text) {
        Ok(found) => found,
        Err(problem) => {
            problems.push(problem);
            return Err(problems);
        }
    };
    problems.extend(found.broken);
    let mut objections = None;
    for mut value in found.values {
        mend(&mut value);
        match validate::against(schema, &value) {
            Ok(()) => return Ok(value),
            Err(list) => drop(objections.get_or_insert(list)),
        }
    }
    problems.extend(objections.unwrap_or_default());
    Err(problems)
}

fn objection(problems: &[String]) -> String {
    let list = problems.join("\n- ");
    format!(
        "Your answer was not accepted:\n- {list}\nAnswer again with the whole corrected JSON, and with nothing else: \
         no code fence, no comment."
    )
}

/// What the attempts took so far.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    usage: Usage,
    cost: Option<Money>,
    attempts: u32,
}

impl Spent {
    fn add(&mut self, answer: &ChatAnswer) {
        self.usage += answer.usage;
        self.cost = match (self.attempts, self.cost, answer.cost) {
            (0, _, cost) => cost,
            (_, Some(mut sum), Some(cost)) => {
                sum += cost;
                Some(sum)
            }
            _ => None,
        };
        self.attempts += 1;
    }

    fn reply<T>(self, value: T, model: String) -> Reply<T> {
        Reply { value, usage: self.usage, cost: self.cost, model, attempts: self.attempts }
    }
}
