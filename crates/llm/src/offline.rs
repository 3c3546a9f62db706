//! The model without a network: one rule (a function) per task. It answers the same typed requests as a
//! language model, through the same checks, so callers need no second code path. Its answers name `rules` as
//! their model. The workflows supply the rules.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::error::ModelErrorKind;
use super::message::{ChatRequest, Task, ToolCall, estimated_tokens};
use super::model::{AnswerFuture, ChatAnswer, ChatModel, Finish, ModelName, TokenSink, Usage, UsageSource};
use super::script::deliver;

/// Name of the provider whose model answers by rules, without an endpoint.
pub const OFFLINE_PROVIDER: &str = "offline";

/// The model name in answers of `offline`.
pub const OFFLINE_MODEL: &str = "rules";

/// The reason why a rule has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RuleError(String);

impl RuleError {
    /// Makes an error with a reason, in lower case and without a full stop.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The reply of a rule: a text, tool calls, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Text.
    pub text: String,
    /// Tools to call, in order.
    pub tool_calls: Vec<ToolCall>,
}

/// A function that answers a task.
type Rule = Box<dyn Fn(&ChatRequest, &Task) -> Result<Turn, RuleError> + Send + Sync>;

/// A model that answers by rules, one per task. The `task` of a request selects the rule; a request without
/// one fails.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_llm::{ChatModel, ChatRequest, Offline, NoTokens, RuleError};
///
/// #[derive(Serialize, Deserialize)]
/// struct Numbers(Vec<u32>);
///
/// let offline = Offline::builder()
///     .rule("sum", |Numbers(numbers): Numbers| Ok::<u32, RuleError>(numbers.iter().sum()))
///     .build();
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let request = ChatRequest::new("adder", vec![]).task("sum", &Numbers(vec![1, 2]));
/// assert_eq!(offline.chat(&request, &NoTokens).await.unwrap().text, "3");
/// # });
/// ```
pub struct Offline {
    name: ModelName,
    rules: BTreeMap<String, Rule>,
}

/// A builder of an [`Offline`] model that collects its rules.
#[derive(Default)]
pub struct OfflineBuilder {
    rules: BTreeMap<String, Rule>,
}

impl Offline {
    /// Makes a builder without rules.
    pub fn builder() -> OfflineBuilder {
        OfflineBuilder::default()
    }

    /// Runs the rule of the request's task. Token counts of the answer are estimates.
    fn answer(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelErrorKind> {
        let task = request.task.as_ref();
        let rule = task.and_then(|task| Some((task, self.rules.get(&task.name)?)));
        let Some((task, rule)) = rule else {
            let known = self.rules.keys().cloned().collect();
            return Err(ModelErrorKind::NoRule { task: task.map(|task| task.name.clone()), known });
        };
        let turn = rule(request, task)
            .map_err(|error| ModelErrorKind::Rule { task: task.name.clone(), reason: error.to_string() })?;
        let finish = if turn.tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        Ok(ChatAnswer {
            usage: Usage {
                prompt_tokens: request.estimated_tokens(),
                completion_tokens: estimated_tokens(&turn.text),
                source: UsageSource::Estimated,
            },
            cost: None,
            text: turn.text,
            tool_calls: turn.tool_calls,
            model: OFFLINE_MODEL.into(),
            finish,
        })
    }
}

impl OfflineBuilder {
    /// Sets the rule for the task `name`: a function from the typed input to the typed answer, which is sent
    /// as JSON. It passes the same checks as a language model's answer. Where no schema is asked for, a
    /// string is returned as plain text. A second rule of the same name replaces the first.
    pub fn rule<I, O, F>(self, name: impl Into<String>, rule: F) -> Self
    where
        I: DeserializeOwned,
        O: Serialize,
        F: Fn(I) -> Result<O, RuleError> + Send + Sync + 'static,
    {
        self.turn(name, move |request, task| {
            let input = serde_json::from_value(task.input.clone())
                .map_err(|error| RuleError::new(format!("the input is of another type: {error}")))?;
            let output = serde_json::to_value(rule(input)?)
                .map_err(|error| RuleError::new(format!("the answer is no JSON: {error}")))?;
            let text = match output {
                Value::String(text) if request.answer.is_none() => text,
                output => output.to_string(),
            };
            Ok(Turn { text, tool_calls: Vec::new() })
        })
    }

    /// Sets the rule for the task `name`: a function that gets the whole request, with the conversation, and
    /// may call tools.
    pub fn turn<F>(mut self, name: impl Into<String>, rule: F) -> Self
    where
        F: Fn(&ChatRequest, &Task) -> Result<Turn, RuleError> + Send + Sync + 'static,
    {
        self.rules.insert(name.into(), Box::new(rule));
        self
    }

    /// Builds the model.
    pub fn build(self) -> Offline {
        Offline { name: ModelName::new(OFFLINE_PROVIDER, ""), rules: self.rules }
    }
}

impl ChatModel for Offline {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        deliver(self.answer(request), &self.name, sink)
    }
}
