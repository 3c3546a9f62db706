//! Models: one interface, its implementations, and the layers around it. Knows nothing of graphs or repositories.
//!
//! Reading order: `message` (requests), `model` (the interface), `error`, the implementations `openai` (any compatible endpoint),
//! `offline` (rules) and `script` (fixed answers); `layer` (wrappers); `provider` (makes a layered model from a name); `structured` (typed
//! answers); `prompt` (templates); `embeddings` (texts as vectors).

mod embeddings;
mod error;
pub mod layer;
mod message;
mod messages;
mod model;
mod money;
mod offline;
pub mod openai;
mod prompt;
mod provider;
mod redact;
mod request_notice;
mod script;
mod structured;

pub use embeddings::{EmbedFuture, Embeddings, SharedEmbeddings};
pub use error::{ModelError, ModelErrorKind, ModelPlace, Phase, RequestTimeout, RetryAfter};
pub use layer::Tape;
pub use message::{
    AnswerSchema, CHARACTERS_PER_TOKEN, ChatRequest, ContentBlock, Message, OptionalFields, Role, Task,
    ToolCall, ToolSpec, estimated_tokens,
};
pub use messages::{KeptMessage, MessageChange, MessageId, Messages};
pub use model::{
    AnswerFuture, ChatAnswer, ChatModel, Finish, ModelName, NoTokens, Restart, SharedModel, TokenDemand,
    TokenSink, Usage, UsageSource,
};
pub use money::{Money, Prices};
pub use offline::{OFFLINE_MODEL, OFFLINE_PROVIDER, Offline, OfflineBuilder, RuleError, Turn};
pub use openai::LOG_FILTER;
pub use prompt::{EmbeddedPrompt, PromptError, Prompts};
pub use provider::{Env, ProviderConfig, Providers, RetryConfig, Seconds, SystemEnv, is_local};
pub use redact::{Redactor, SECRET_MIN};
pub use request_notice::REQUEST_TARGET;
pub use script::{Scripted, ScriptedAnswer};
pub use structured::{AskError, AskPolicy, RefusedAnswer, Reply, TypedRequest, ask};
