//! Typed answers (ENG-14). The schema is sent; the answer is extracted from the text, validated against the
//! schema, deserialised and checked by the caller. An answer that fails is refused, and requested again with
//! the reasons. The final error holds the raw text.

mod extract;
mod validate;

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::error::{ModelError, ModelPlace};
use super::message::{AnswerSchema, ChatRequest, Message, OptionalFields};
use super::model::{ChatAnswer, ChatModel, Finish, TokenSink, Usage};
use super::money::Money;
use super::offline::OFFLINE_PROVIDER;

/// Amount by which each re-ask raises the sampling temperature.
const REASK_WARMTH: f64 = 0.3;
/// Maximum sampling temperature that re-asks reach.
const WARMEST: f64 = 1.0;

/// The settings of a typed request: the number of re-asks, and a function that normalises answers.
#[derive(Clone, Copy, Debug)]
pub struct AskPolicy {
    /// Maximum number of re-asks after a refused answer; 0 sends one request.
    pub reasks: u32,
    /// Changes an answer before it is validated, for example replaces synonyms by the words of the schema.
    pub mend: fn(&mut Value),
}

impl AskPolicy {
    /// Makes a policy with `reasks` re-asks that reads answers unchanged.
    pub fn reasks(reasks: u32) -> Self {
        Self { reasks, mend: |_| {} }
    }

    /// Sets a function that normalises answers before validation.
    #[must_use]
    pub fn mend(mut self, mend: fn(&mut Value)) -> Self {
        self.mend = mend;
        self
    }
}

/// An accepted answer with its usage. It can be serialised, because a journal keeps it as the result of a
/// call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply<T> {
    /// Deserialised answer.
    pub value: T,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// Cost of all attempts; `None` unless every price is known.
    pub cost: Option<Money>,
    /// Name of the model as the endpoint reports it.
    pub model: String,
    /// Number of requests made, the accepted one included.
    pub attempts: u32,
}

impl From<ChatAnswer> for Reply<String> {
    fn from(answer: ChatAnswer) -> Self {
        Self { value: answer.text, usage: answer.usage, cost: answer.cost, model: answer.model, attempts: 1 }
    }
}

/// The reason why a typed request got no answer.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AskError {
    /// A request failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// All answers were refused as invalid.
    #[error("{place} gave no acceptable answer in {attempts} attempts: {}", problems.join("; "))]
    Malformed {
        /// Model and endpoint.
        place: Box<ModelPlace>,
        /// Requests made.
        attempts: u32,
        /// Objection to the last answer.
        problems: Vec<String>,
        /// Raw text of the last answer (ENG-14).
        raw: String,
        /// Tokens of all attempts.
        usage: Usage,
    },
}

impl AskError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Malformed { place, .. } if place.model.provider() == OFFLINE_PROVIDER => {
                Some("the answer is a fixed one and no model's; change it to one that fits".into())
            }
            Self::Malformed { .. } => {
                Some("try a larger model; small ones often cannot hold to a schema".into())
            }
        }
    }
}

/// Asks `model` for a value of type `T`, and again after an invalid answer, as often as `policy` allows.
/// `check` verifies rules that a schema cannot express; its `Err` is the objection that the model is told.
///
/// Before each re-ask the sink is asked to restart. A sink that refuses receives the tokens of all attempts.
///
/// ```
/// use stategraph_llm::{AskPolicy, ChatRequest, Message, NoTokens, Scripted, ask};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct City {
///     name: String,
///     people: u64,
/// }
/// // The first answer does not fit, and the model is asked again.
/// let model = Scripted::new("test/model").answer("Paris").answer(r#"{"name": "Paris", "people": 2100000}"#);
/// let request = ChatRequest::new("example", vec![Message::user("The largest city of France?")]);
/// let reply = ask::<City>(&model, request, AskPolicy::reasks(1), |_| Ok(()), &NoTokens).await?;
/// assert_eq!((reply.value.name.as_str(), reply.value.people), ("Paris", 2_100_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
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
    let mut asking = TypedRequest::new(request, policy);
    loop {
        let answer = model.chat(asking.request(), sink).await?;
        let refused = match asking.judge(answer, &check) {
            Ok(reply) => return Ok(reply),
            Err(refused) => refused,
        };
        if !asking.may_reask() {
            return Err(refused.by(model));
        }
        sink.restart();
    }
}

/// The state of a typed request: [`ask`] step by step, for callers that store each answer as it arrives. The
/// caller sends `request()` to the model and passes the answer to `judge`.
#[derive(Debug)]
pub struct TypedRequest<T> {
    request: ChatRequest,
    schema: Schema,
    /// Schema that is sent from the first re-ask on; `None` keeps the one before.
    reask_schema: Option<Schema>,
    policy: AskPolicy,
    spent: AttemptTotals,
    wanted: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + JsonSchema> TypedRequest<T> {
    /// Starts a typed request. If the request already has a schema (a stricter one than that of `T`), answers
    /// are validated against it.
    pub fn new(mut request: ChatRequest, policy: AskPolicy) -> Self {
        let own =
            || AnswerSchema::new(T::schema_name(), SchemaGenerator::default().into_root_schema_for::<T>());
        let schema = request.answer.get_or_insert_with(own).schema.clone();
        let spent = AttemptTotals::default();
        Self { request, schema, reask_schema: None, policy, spent, wanted: PhantomData }
    }

    /// Sets the schema that is sent; answers are still validated against the original one. A stricter schema
    /// keeps a model on a server with grammars from answers that the check would refuse.
    #[must_use]
    pub fn sending(mut self, schema: Schema) -> Self {
        if let Some(answer) = &mut self.request.answer {
            answer.schema = schema;
        }
        self
    }

    /// Allows answers without the fields that the schema does not require, on servers that compile the schema
    /// to a grammar.
    #[must_use]
    pub fn with_optional_fields(mut self) -> Self {
        if let Some(answer) = &mut self.request.answer {
            answer.optional = OptionalFields::Free;
        }
        self
    }

    /// Sets a schema that is sent from the first re-ask on, such as one with fewer fields for a model that
    /// cannot fill them all.
    #[must_use]
    pub fn resending(mut self, schema: Schema) -> Self {
        self.reask_schema = Some(schema);
        self
    }

    /// Returns the request to send next. After an invalid answer it has that answer and the objections to it.
    pub fn request(&self) -> &ChatRequest {
        &self.request
    }

    /// Returns true if the policy allows another request.
    pub fn may_reask(&self) -> bool {
        self.spent.attempts <= self.policy.reasks
    }

    /// Extracts, validates and checks the value in an answer. If it is invalid, adds the answer and the
    /// objections to the request and raises a set temperature.
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
        if let (Some(schema), Some(answer)) = (self.reask_schema.take(), &mut self.request.answer) {
            answer.schema = schema;
        }
        // A warmer model is less likely to repeat the refused answer. A request without a temperature stays so, because some
        // models refuse the parameter.
        if let Some(temperature) = &mut self.request.temperature {
            *temperature = (*temperature + REASK_WARMTH).min(WARMEST.max(*temperature));
        }
        let AttemptTotals { attempts, usage, cost } = self.spent;
        Err(RefusedAnswer { attempts, problems, raw: answer.text, usage, cost })
    }
}

/// An invalid answer, with the reasons and the usage so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedAnswer {
    /// Number of requests so far.
    pub attempts: u32,
    /// The reasons why the answer is invalid, worded for the model.
    pub problems: Vec<String>,
    /// Raw text of the answer.
    pub raw: String,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// Cost of all attempts; `None` unless every price is known.
    pub cost: Option<Money>,
}

impl RefusedAnswer {
    /// Makes the error of giving up after this answer of `model`.
    pub fn by(self, model: &dyn ChatModel) -> AskError {
        let Self { attempts, problems, raw, usage, .. } = self;
        AskError::Malformed { place: Box::new(ModelPlace::of(model)), attempts, problems, raw, usage }
    }
}

/// Returns the value in an answer, or the reasons why it is invalid.
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

/// Returns the first JSON value in the text, longest first, that fits the schema. If none fits, returns the
/// objections to the longest.
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

/// Returns the message that tells the model why its answer was refused and asks for another.
fn objection(problems: &[String]) -> String {
    let list = problems.join("\n- ");
    format!(
        "Your answer was not accepted:\n- {list}\nAnswer again with the whole corrected JSON, and with nothing else: \
         no code fence, no comment."
    )
}

/// The usage of all attempts of a typed request so far.
#[derive(Clone, Copy, Debug, Default)]
struct AttemptTotals {
    usage: Usage,
    cost: Option<Money>,
    attempts: u32,
}

impl AttemptTotals {
    /// Adds an answer. The cost is unknown as soon as one answer has none.
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
