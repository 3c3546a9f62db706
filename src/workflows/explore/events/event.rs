//! Events of an exploration and their payloads (EXP-37 to EXP-42).

use serde::{Deserialize, Serialize};

use crate::llm::Money;
use crate::repo::cut;
use crate::workflows::explore::agents::{AgentEnd, AgentId, AgentRecord, AgentScope};
use crate::workflows::explore::notepad::{NotepadEntry, Topic};

/// Maximum length of a tool's input and output, and of a summary, in an event, in characters (EXP-42).
const SHOWN_CHARS: usize = 500;
/// Maximum length of an error in an event, in characters (EXP-42).
const ERROR_CHARS: usize = 300;

/// Event of an exploration. The nodes tell it; the log file, the live view and other readers get it as
/// JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ExplorationEvent {
    /// Piece of an answer of the model (EXP-37).
    LlmToken {
        /// The agent.
        agent_id: AgentId,
        /// Number of the answer, from 1.
        answer: u32,
        /// Number of characters of the answer before this piece. 0 starts the answer anew: earlier pieces no longer count.
        at: u64,
        /// The text.
        text: String,
    },
    /// Start of a tool call (EXP-38).
    ToolStart {
        /// The agent.
        agent_id: AgentId,
        /// The call, unique for the agent: number of messages before the answer, and position in the answer.
        call: String,
        /// The tool.
        tool: String,
        /// The arguments, at most 500 characters.
        input: String,
    },
    /// Successful end of a tool call.
    ToolEnd {
        /// The agent.
        agent_id: AgentId,
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The result, at most 500 characters.
        output: String,
    },
    /// Failure or refusal of a tool call.
    ToolError {
        /// The agent.
        agent_id: AgentId,
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The reason, at most 300 characters.
        error: String,
    },
    /// Start of an agent (EXP-39).
    AgentSpawned {
        /// The agent.
        agent_id: AgentId,
        /// The agent that delegated to it; `None` for the root.
        parent: Option<AgentId>,
        /// Its task.
        purpose: String,
        /// Number of agents above it.
        depth: u32,
        /// Path of its scope; empty for the repository.
        scope: String,
        /// Number of files of its scope.
        files: usize,
    },
    /// End of an agent with a summary.
    AgentFinished {
        /// The agent.
        agent_id: AgentId,
        /// Its findings, at most 500 characters.
        summary: String,
        /// False if the agent stopped without `finish` and the summary is its last text (EXP-8).
        called_finish: bool,
        /// Notes that it wrote.
        notes: u32,
        /// Tokens of its own answers.
        tokens: u64,
        /// Their cost, as far as prices are known.
        cost: Money,
    },
    /// End of an agent by a failure or a limit.
    AgentError {
        /// The agent.
        agent_id: AgentId,
        /// The reason, at most 300 characters.
        error: String,
        /// Notes that it wrote.
        notes: u32,
        /// Tokens of its own answers.
        tokens: u64,
        /// Their cost, as far as prices are known.
        cost: Money,
    },
    /// First note of a topic (EXP-43).
    NotepadCreated {
        /// The agent that writes it.
        agent_id: AgentId,
        /// The topic.
        topic: Topic,
    },
    /// Note on the notepad (EXP-40).
    NotepadWrite {
        /// The agent that wrote it.
        agent_id: AgentId,
        /// The topic.
        topic: Topic,
        /// The author, which is the agent.
        author: AgentId,
        /// Position among the notes of the author, from 1.
        number: u32,
        /// The finding.
        content: String,
    },
}

/// Event with its number in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedEvent {
    /// The number, from 1, without gaps (EXP-48).
    pub seq: u64,
    /// The event.
    #[serde(flatten)]
    pub event: ExplorationEvent,
}

impl ExplorationEvent {
    /// Makes the event for the start of an agent.
    pub fn spawned(id: &AgentId, purpose: &str, scope: &AgentScope) -> Self {
        Self::AgentSpawned {
            agent_id: id.clone(),
            parent: id.parent(),
            purpose: purpose.to_owned(),
            depth: id.depth(),
            scope: scope.path.clone(),
            files: scope.files.len(),
        }
    }

    /// Makes the event for the end of an agent from its record: `AgentError` if it failed, else
    /// `AgentFinished`.
    pub fn ended(record: &AgentRecord) -> Self {
        let (agent_id, notes) = (record.id.clone(), record.notes);
        let (tokens, cost) = (record.took.usage.total(), record.took.cost);
        match &record.end {
            AgentEnd::Failed(error) => Self::AgentError {
                agent_id,
                error: cut(error, ERROR_CHARS).kept.to_owned(),
                notes,
                tokens,
                cost,
            },
            end => Self::AgentFinished {
                agent_id,
                summary: cut(&record.summary, SHOWN_CHARS).kept.to_owned(),
                called_finish: *end == AgentEnd::Finished,
                notes,
                tokens,
                cost,
            },
        }
    }

    /// Makes the event for the start of a call; tool and input are cut.
    pub fn tool_start(id: &AgentId, call: &str, tool: &str, input: &str) -> Self {
        Self::ToolStart {
            agent_id: id.clone(),
            call: call.to_owned(),
            tool: cut(tool, SHOWN_CHARS).kept.to_owned(),
            input: cut(input, SHOWN_CHARS).kept.to_owned(),
        }
    }

    /// Makes the event for the end of a call: `ToolEnd` with the output, or `ToolError` if the boolean
    /// is false.
    pub fn tool_end(id: &AgentId, call: &str, tool: &str, (is_success, content): (bool, &str)) -> Self {
        let (agent_id, call) = (id.clone(), call.to_owned());
        let tool = cut(tool, SHOWN_CHARS).kept.to_owned();
        if is_success {
            Self::ToolEnd { agent_id, call, tool, output: cut(content, SHOWN_CHARS).kept.to_owned() }
        } else {
            Self::ToolError { agent_id, call, tool, error: cut(content, ERROR_CHARS).kept.to_owned() }
        }
    }

    /// Makes the two events of a note, in their order: first of its topic, and written. The log drops
    /// the first one if the topic is known.
    pub fn written(note: &NotepadEntry) -> [Self; 2] {
        let (agent_id, topic) = (note.author.clone(), note.topic.clone());
        [
            Self::NotepadCreated { agent_id: agent_id.clone(), topic: topic.clone() },
            Self::NotepadWrite {
                author: agent_id.clone(),
                agent_id,
                topic,
                number: note.number,
                content: note.content.clone(),
            },
        ]
    }

    /// Returns the name of the event, as in its JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LlmToken { .. } => "llm_token",
            Self::ToolStart { .. } => "tool_start",
            Self::ToolEnd { .. } => "tool_end",
            Self::ToolError { .. } => "tool_error",
            Self::AgentSpawned { .. } => "agent_spawned",
            Self::AgentFinished { .. } => "agent_finished",
            Self::AgentError { .. } => "agent_error",
            Self::NotepadCreated { .. } => "notepad_created",
            Self::NotepadWrite { .. } => "notepad_write",
        }
    }

    /// Returns true for a piece of an answer, which may be dropped for a slow reader (EXP-46).
    pub fn is_token(&self) -> bool {
        matches!(self, Self::LlmToken { .. })
    }

    /// Returns the key that identifies the event, so that the log tells it only once; `None` for
    /// tokens. Start and end have different keys; success and failure of a call, or of an agent, have
    /// the same key.
    pub(super) fn key(&self) -> Option<String> {
        Some(match self {
            Self::LlmToken { .. } => return None,
            Self::ToolStart { agent_id, call, .. } => format!("call {agent_id} {call}"),
            Self::ToolEnd { agent_id, call, .. } | Self::ToolError { agent_id, call, .. } => {
                format!("result {agent_id} {call}")
            }
            Self::AgentSpawned { agent_id, .. } => format!("agent {agent_id}"),
            Self::AgentFinished { agent_id, .. } | Self::AgentError { agent_id, .. } => {
                format!("end {agent_id}")
            }
            Self::NotepadCreated { topic, .. } => format!("topic {topic}"),
            Self::NotepadWrite { author, number, .. } => format!("note {author} {number}"),
        })
    }
}
