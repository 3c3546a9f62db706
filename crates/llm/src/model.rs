//! The model interface (ENG-12) and its answers. Implementations are in `openai` and `offline`; wrappers are in `layer`.

use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::error::ModelError;
use super::message::{ChatRequest, ToolCall};
use super::money::Money;

/// The future that [`ChatModel::chat`] returns. Dropping it abandons the request.
pub type AnswerFuture<'a> = BoxFuture<'a, Result<ChatAnswer, ModelError>>;

/// A chat model. Layers wrap a model and implement this trait themselves.
///
/// One method serves plain and streamed use, so that every layer has one code path: a sink that wants no tokens receives none.
///
/// ```
/// use stategraph_llm::{ChatModel, ChatRequest, Message, NoTokens, Scripted};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = Scripted::new("test/echo").answer("hello");
/// let request = ChatRequest::new("greeter", vec![Message::user("say hello")]);
/// assert_eq!(model.chat(&request, &NoTokens).await.unwrap().text, "hello");
/// # });
/// ```
pub trait ChatModel: Send + Sync {
    /// Returns the model's name, as the user wrote it; meters and errors repeat it.
    fn name(&self) -> &ModelName;

    /// Returns the base URL of the endpoint, for errors; `None` without an endpoint. A layer returns that of the model it wraps.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// Sends the request and waits for the whole answer. Meanwhile passes the tokens to `sink` if it wants them.
    ///
    /// Dropping the future abandons the request.
    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a>;
}

/// A shared, type-erased model.
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

/// The receiver of the tokens of an answer while it is streamed.
pub trait TokenSink: Send + Sync {
    /// Returns the pieces of an answer that the sink wants; tokens unless overridden.
    fn token_demand(&self) -> TokenDemand {
        TokenDemand::Tokens
    }

    /// Tells the sink that another answer begins: the tokens that follow do not belong to the answer before.
    /// Loops that send several requests with one sink call it.
    fn begin(&self) {}

    /// Receives the next piece of text, in order. Must not block.
    fn token(&self, text: &str);

    /// Asks the sink to discard the tokens of the current answer, because the request is about to be
    /// repeated. A sink that has already shown them must refuse; then the request fails instead.
    fn restart(&self) -> Restart {
        Restart::Refused
    }
}

/// The pieces of an answer that a sink wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenDemand {
    /// Every token.
    Tokens,
    /// No pieces; the whole answer is enough.
    Nothing,
}

/// The reply of a sink that is asked to discard the tokens so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The pieces received so far are discarded.
    Accepted,
    /// The pieces cannot be taken back.
    Refused,
}

/// A sink that wants no tokens: for callers that only need the whole answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTokens;

impl TokenSink for NoTokens {
    fn token_demand(&self) -> TokenDemand {
        TokenDemand::Nothing
    }

    fn token(&self, _text: &str) {}

    fn restart(&self) -> Restart {
        Restart::Accepted
    }
}

/// A function is a sink: it is called with every token, and it refuses restarts.
impl<F: Fn(&str) + Send + Sync> TokenSink for F {
    fn token(&self, text: &str) {
        self(text);
    }
}

/// The whole answer of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatAnswer {
    /// Text; several content blocks are joined (CTX-71). Empty if the model only calls tools.
    pub text: String,
    /// Tool calls, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Tokens used.
    pub usage: Usage,
    /// Cost, set by the meter; `None` if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Name of the model as the endpoint reports it; often more exact than the requested name.
    pub model: String,
    /// Reason for the end of the answer.
    pub finish: Finish,
}

/// The reason for the end of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model finished.
    Stop,
    /// The token limit was reached; the text is cut.
    Length,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// A reason that only this endpoint uses, in its words.
    Other(String),
}

/// Token counts of one or several calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the answers.
    pub completion_tokens: u64,
    /// Origin of the counts.
    pub source: UsageSource,
}

impl Usage {
    /// Returns the sum of prompt and completion tokens.
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

/// The origin of token counts. A sum that includes an estimate is an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageSource {
    /// Counted by the endpoint.
    #[default]
    Reported,
    /// Estimated here: characters / 4.
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
    /// Makes the name of `model` at `provider`; an empty model names the provider alone.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into() }
    }

    /// Returns the part before the first slash.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Returns the part after the first slash, which is sent to the endpoint; may contain slashes itself.
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
