//! The content of a request: messages, tools and the answer's schema, as plain data. No transport, no validation; see `openai` and
//! `structured`.

use std::sync::Arc;

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The author of a message.
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

/// A message of a conversation.
///
/// ```
/// use stategraph_llm::{Message, Role};
///
/// let messages = [Message::system("You are brief."), Message::user("2 + 2?"), Message::assistant("4")];
/// assert_eq!((messages[2].role, messages[2].content.as_str()), (Role::Assistant, "4"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Author of the message.
    pub role: Role,
    /// The text; empty where an assistant only calls tools.
    pub content: String,
    /// Content parts behind the text, such as images. Only some models accept them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<ContentBlock>,
    /// Tool calls of an assistant, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Id of the call that a tool result answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Returns the size of the message for token estimates: characters of the content plus bytes of the
    /// calls' arguments.
    pub fn characters(&self) -> usize {
        let called: usize = self.tool_calls.iter().map(|call| call.arguments.len()).sum();
        self.content.chars().count() + called
    }

    /// Makes a system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// Makes a user message: the task, or feedback on an answer.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message with an earlier answer of the model, without tool calls.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// Makes a message with an earlier answer of the model that calls tools.
    pub fn calling(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::new(Role::Assistant, content) }
    }

    /// Makes a message with the result of the tool call `id`.
    pub fn tool(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { tool_call_id: Some(id.into()), ..Self::new(Role::Tool, content) }
    }

    fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), blocks: Vec::new(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// Adds a content part.
    pub fn block(mut self, block: ContentBlock) -> Self {
        self.blocks.push(block);
        self
    }
}

/// A part of a message besides its text.
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
        /// URL of the picture; a `data:` URL contains it.
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

/// A tool that is offered to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name by which the model calls it.
    pub name: String,
    /// Description of its purpose and use.
    pub description: String,
    /// JSON Schema of the arguments, shared because each request carries it.
    pub parameters: Arc<Value>,
}

/// A tool call of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id that the tool's result must repeat.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as the model wrote them: usually JSON, but possibly malformed. The tool parses them.
    pub arguments: String,
}

/// The required form of an answer: a JSON Schema with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSchema {
    /// Name of the type; endpoints want `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// JSON Schema, draft 2020-12, as schemars writes it.
    pub schema: Schema,
    /// The treatment of fields that the schema does not require; demanded by default.
    #[serde(default, skip_serializing_if = "OptionalFields::is_demanded")]
    pub optional: OptionalFields,
}

/// The treatment of fields that a schema does not require, for servers that build a grammar from the schema.
/// Services with a strict mode demand all fields in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionalFields {
    /// The answer must have all fields.
    #[default]
    Demanded,
    /// The answer may leave them out: for forms with many fields, which a small model cannot fill.
    Free,
}

impl OptionalFields {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_demanded(&self) -> bool {
        *self == Self::Demanded
    }
}

impl AnswerSchema {
    /// Makes a form of the answer that demands all fields.
    pub fn new(name: impl Into<String>, schema: Schema) -> Self {
        Self { name: name.into(), schema, optional: OptionalFields::default() }
    }
}

/// The typed request from which the messages were made: a task name and its input. Language models read only the messages; `offline`
/// selects its rule by the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Task name, as `workflow.step` (`ard.draft`).
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
    /// Required form of the answer; `None` for prose.
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
    /// Label of the caller: the node or agent that meters and traces attribute the request to.
    pub label: String,
}

impl ChatRequest {
    /// Makes a request of `messages` for the caller `label`.
    pub fn new(label: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { label: label.into(), messages, ..Self::default() }
    }

    /// Sets the task of the request: its name and its typed input. The model `offline` answers by them;
    /// language models ignore them.
    ///
    /// # Panics
    /// If `input` cannot be JSON (a map with keys that are not strings): a bug of the caller.
    pub fn task(mut self, name: impl Into<String>, input: &impl Serialize) -> Self {
        let input = serde_json::to_value(input).expect("a task's input has string keys and serialises");
        self.task = Some(Task { name: name.into(), input });
        self
    }

    /// Sets the tools that are offered to the model.
    pub fn tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the sampling temperature.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets the token limit of the answer.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Returns the estimated size of the request in tokens: characters of messages and tool descriptions / 4,
    /// rounded up. The schemas of tools are not counted.
    pub fn estimated_tokens(&self) -> u64 {
        let said: usize = self.messages.iter().map(Message::characters).sum();
        let offered: usize = self.tools.iter().map(|tool| tool.description.len()).sum();
        estimated_tokens_of_characters(said + offered)
    }
}

/// Characters per token in estimates.
pub const CHARACTERS_PER_TOKEN: usize = 4;

/// Returns the estimated number of tokens of `text`: characters / 4, rounded up. English and code measure 3.5
/// to 4.6 characters a token.
pub fn estimated_tokens(text: &str) -> u64 {
    estimated_tokens_of_characters(text.chars().count())
}

fn estimated_tokens_of_characters(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u64::MAX)
}
