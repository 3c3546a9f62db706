//! The one interface to a model (ENG-12) and what it answers. Says nothing of how; see `openai`, `offline`,
//! `layer`.

use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::error::ModelError;
use super::message::{ChatRequest, ToolCall};
use super::money::Money;

/// An answer under way; dropping it abandons the request.
pub type AnswerFuture<'a> = BoxFuture<'a, Result<ChatAnswer, ModelError>>;

/// Something that answers chat requests. Layers wrap one and are one.
///
/// One method serves plain and streamed use, so that every layer has one code path: a sink that wants no tokens
/// is not given any.
///
/// ```
/// use stategraph_llm::{ChatModel, ChatRequest, Message, Quiet, Scripted};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = Scripted::new("test/echo").answer("hello");
/// let request = ChatRequest::new("greeter", vec![Message::user("say hello")]);
/// assert_eq!(model.chat(&request, &Quiet).await.unwrap().text, "hello");
/// # });
/// ```
pub trait ChatModel: Send + Sync {
    /// Its name, as the user wrote it and as meters and errors repeat it.
    fn name(&self) -> &ModelName;

    /// The base URL of its endpoint, for errors; none where it has no endpoint. A layer passes on what it wraps.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// Asks, and waits for the whole answer; meanwhile `sink` is given the tokens if it wants them.
    ///
    /// Dropping the future abandons the request.
    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a>;
}

/// A model whose kind no longer matters.
pub type SharedModel = Arc<dyn ChatModel>;

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn name(&self) -> &ModelName {
        (**self).name()
    }

    fn endpoint(&self) -> Option<&str> {
        (**self).endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        (**self).chat(request, sink)
    }
}

/// Where the tokens of an answer go while it is being made.
pub trait TokenSink: Send + Sync {
    /// Whether it wants the tokens.
    fn appetite(&self) -> Appetite {
        Appetite::Tokens
    }

    /// Another answer begins; what follows does not belong to the one before. Told by loops that ask several times with one sink.
    fn begin(&self) {}

    /// The next piece of text, in order. Must not block.
    fn token(&self, text: &str);

    /// The request is about to be made again: may the pieces given so far be forgotten? A sink that has
    /// already shown them to somebody refuses, and the request fails instead of being repeated.
    fn restart(&self) -> Restart {
        Restart::Refused
    }
}

/// Whether a sink wants the pieces of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appetite {
    /// Hand over each piece.
    Tokens,
    /// The whole answer will do.
    Nothing,
}

/// A sink's reply to a request for a new start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The pieces given so far are forgotten.
    Accepted,
    /// They cannot be taken back.
    Refused,
}

/// The sink that wants nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl TokenSink for Quiet {
    fn appetite(&self) -> Appetite {
        Appetite::Nothing
    }

    fn token(&self, _text: &str) {}

    fn restart(&self) -> Restart {
        Restart::Accepted
    }
}

/// A function is a sink that wants tokens and does not take them back.
impl<F: Fn(&str) + Send + Sync> TokenSink for F {
    fn token(&self, text: &str) {
        self(text);
    }
}

/// A model's whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatAnswer {
    /// The text; several content blocks are joined (CTX-71). Empty where the model only calls tools.
    pub text: String,
    /// The tools it calls, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it took.
    pub usage: Usage,
    /// What it cost, where the price is known; set by the meter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// The model as the endpoint names it: often more exact than the name it was asked by.
    pub model: String,
    /// Why it ended.
    pub finish: Finish,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The limit of tokens was reached: the text is cut.
    Length,
    /// The model waits for the results of tools.
    ToolCalls,
    /// A reason of the endpoint's own.
    Other(String),
}

/// Tokens of one or several calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Who counted.
    pub source: UsageSource,
}

impl Usage {
    /// Tokens read and written.
    pub fn total(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.source = self.source.max(other.source);
    }
}

/// Who counted the tokens. A sum is an estimate as soon as one part is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageSource {
    /// The endpoint.
    #[default]
    Reported,
    /// We did: characters / 4.
    Estimated,
}

/// The name of a model: `provider/model`, or a provider alone (`offline`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct ModelName {
    provider: String,
    model: String,
}

impl ModelName {
    /// The name of `model` at `provider`; an empty model names the provider alone.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into() }
    }

    /// The part before the first slash.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The part after the first slash, as the endpoint is asked for it; may hold slashes itself.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.model.as_str() {
            "" => f.write_str(&self.provider),
            model => write!(f, "{}/{model}", self.provider),
        }
    }
}

impl From<&str> for ModelName {
    fn from(text: &str) -> Self {
        let (provider, model) = text.split_once('/').unwrap_or((text, ""));
        Self::new(provider, model)
    }
}

impl From<String> for ModelName {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl FromStr for ModelName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(text))
    }
}

impl From<ModelName> for String {
    fn from(name: ModelName) -> Self {
        name.to_string()
    }
}
