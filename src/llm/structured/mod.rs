//! Typed answers (ENG-14): schema sent, answer found in the text, checked against the schema, read into the type, checked by
//! the caller; asked again with the exact objection; at last an error that holds the raw text.

mod extract;
mod validate;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::error::ModelError;
use super::message::{AnswerSchema, ChatRequest, Message};
use super::model::{ChatAnswer, ChatModel, Finish, ModelName, TokenSink, Usage};
use super::money::Money;

/// How stubbornly to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskPolicy {
    /// How often an answer that is not accepted is asked for again; 0 asks once.
    pub reasks: u32,
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
    #[error("model `{model}` gave no acceptable answer in {attempts} attempts: {}", problems.join("; "))]
    Malformed {
        /// Who was asked.
        model: ModelName,
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
    mut request: ChatRequest,
    policy: AskPolicy,
    check: impl Fn(&T) -> Result<(), String>,
    sink: &dyn TokenSink,
) -> Result<Reply<T>, AskError>
where
    T: DeserializeOwned + JsonSchema,
{
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    request.answer = Some(AnswerSchema { name: T::schema_name().into_owned(), schema: schema.clone() });
    let mut spent = Spent::default();
    loop {
        let answer = model.chat(&request, sink).await?;
        spent.add(&answer);
        let problems = match judge(&answer, &schema, &check) {
            Ok(value) => return Ok(spent.reply(value, answer.model)),
            Err(problems) => problems,
        };
        tracing::debug!(model = %model.name(), label = request.label, ?problems, "an answer is not accepted");
        if spent.attempts > policy.reasks {
            let (model, attempts, usage) = (model.name().clone(), spent.attempts, spent.usage);
            return Err(AskError::Malformed { model, attempts, problems, raw: answer.text, usage });
        }
        let objection = objection(&problems);
        request.messages.extend([Message::assistant(answer.text), Message::user(objection)]);
        sink.restart();
    }
}

/// The value in an answer, or what is wrong with it.
fn judge<T: DeserializeOwned>(
    answer: &ChatAnswer,
    schema: &Schema,
    check: &impl Fn(&T) -> Result<(), String>,
) -> Result<T, Vec<String>> {
    let value = extract::json(&answer.text).map_err(|problem| match answer.finish {
        Finish::Length => vec!["the answer was cut at the limit of tokens; be shorter".into(), problem],
        _ => vec![problem],
    })?;
    validate::against(schema, &value)?;
    let value: T = read(value)?;
    check(&value).map_err(|problem| vec![problem])?;
    Ok(value)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Vec<String>> {
    serde_json::from_value(value).map_err(|error| vec![error.to_string()])
}

fn objection(problems: &[String]) -> String {
    let list = problems.join("\n- ");
    format!(
        "Your answer was not accepted:\n- {list}\nAnswer again with the whole corrected JSON, and with nothing else: \
         no code fence, no comment."
    )
}

/// What the attempts took so far.
#[derive(Default)]
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
