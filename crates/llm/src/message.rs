//! What is said to a model and what it may call: plain data. No transport, no validation; see `openai` and
//! `structured`.

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The task, or feedback on an answer.
    User,
    /// The model itself, earlier in the conversation.
    Assistant,
    /// The result of a tool the model called.
    Tool,
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; empty where an assistant only calls tools.
    pub content: String,
    /// What is said besides the text, after it. Only some models take it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<ContentBlock>,
    /// The tools an assistant calls, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// For a tool's result: the id of the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// What of it counts where the size of a request is estimated, in characters: content and arguments of calls.
    pub fn characters(&self) -> usize {
        let called: usize = self.tool_calls.iter().map(|call| call.arguments.len()).sum();
        self.content.chars().count() + called
    }

    /// Standing instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// The task, or feedback on an answer.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// An earlier answer of the model that calls tools.
    pub fn calling(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::new(Role::Assistant, content) }
    }

    /// The result of the tool call `id`.
    pub fn tool(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { tool_call_id: Some(id.into()), ..Self::new(Role::Tool, content) }
    }

    fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), blocks: Vec::new(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// With something besides the text.
    pub fn block(mut self, block: ContentBlock) -> Self {
        self.blocks.push(block);
        self
    }
}

/// A part of a message that is not its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    /// More text, apart from the first.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Where it is; a `data:` address holds it.
        url: String,
    },
    /// A recording.
    Audio {
        /// The bytes, in base 64.
        data: String,
        /// Their format, such as `wav` or `mp3`.
        format: String,
    },
}

/// A tool the model is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name, as the model calls it.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// A call the model makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id that the tool's result must repeat.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON most of the time, anything at worst. The tool parses them.
    pub arguments: String,
}

/// The shape an answer must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSchema {
    /// Name of the type; endpoints want `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// JSON Schema, draft 2020-12, as schemars writes it.
    pub schema: Schema,
}

/// The typed request behind the prose: what is asked for, and the input as data. Real models read the
/// messages and ignore it; `offline` dispatches on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What is asked for, as `workflow.step` (`ard.draft`).
    pub name: String,
    /// The input, serialised.
    pub input: Value,
}

/// One request to a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// The shape of the answer; `None` for prose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerSchema>,
    /// The typed request, for models that are not language models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Sampling temperature, 0 to 2; `None` leaves it to the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Upper limit of the answer, in tokens; `None` leaves it to the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// On whose behalf: the node or agent that meters and traces name.
    pub label: String,
}

impl ChatRequest {
    /// A request of `messages` on behalf of `label`.
    pub fn new(label: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { label: label.into(), messages, ..Self::default() }
    }

    /// With the typed request `name` of `input`.
    ///
    /// # Panics
    /// When `input` cannot be JSON (a map with keys that are not strings): a bug of the caller.
    pub fn task(mut self, name: impl Into<String>, input: &impl Serialize) -> Self {
        let input = serde_json::to_value(input).expect("a task's input has string keys and serialises");
        self.task = Some(Task { name: name.into(), input });
        self
    }

    /// With tools on offer.
    pub fn tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// With a sampling temperature.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// With an upper limit of the answer, in tokens.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// The size of what is sent, in tokens, estimated: characters / 4, rounded up.
    pub fn estimated_tokens(&self) -> u64 {
        let said: usize = self.messages.iter().map(Message::characters).sum();
        let offered: usize = self.tools.iter().map(|tool| tool.description.len()).sum();
        estimated_tokens_of_characters(said + offered)
    }
}

/// So many characters are taken for a token where a size is estimated.
pub const CHARACTERS_PER_TOKEN: usize = 4;

/// Tokens in `text`, estimated: characters / 4, rounded up. English and code measure 3.5 to 4.6 characters a
/// token.
pub fn estimated_tokens(text: &str) -> u64 {
    estimated_tokens_of_characters(text.chars().count())
}

fn estimated_tokens_of_characters(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u64::MAX)
}
