//! The tools of the agent (DOC-56 to DOC-73), a file each. They read the code base and memory; whether a call is allowed at all is
//! decided by the budgets around them. A new tool is a file here and a line in [`build_toolbox`] (DOC-124).

mod cross_component;
mod estimate_token_usage;
mod get_phase_context;
mod get_symbols;
mod grep;
mod list_files;
mod mark_explored;
mod query_memory;
mod read_file;
mod store_discovery;
mod word_list;

use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use super::memory::{EntryAuthor, Memory};
use super::phase::{Phase, Seen};
use crate::agent::{ToolOutput, Toolbox, ToolboxError};
use crate::llm::SharedEmbeddings;
use crate::repo::{CodeBase, NoText};

pub use cross_component::{CrossComponentLimit, CurrentConcern};

/// Longest answer of a tool that a model reads, in characters.
pub const ANSWER_CHARS: usize = 12_000;

/// What the tools of one round work on.
#[derive(Clone)]
pub struct ToolContext {
    /// The code base.
    pub code: Arc<CodeBase>,
    /// Memory.
    pub memory: Arc<Memory>,
    /// What tells how near two texts are in meaning; words do where there is none (DOC-99).
    pub embeddings: Option<SharedEmbeddings>,
    /// The phase.
    pub phase: Phase,
    /// In whose name discoveries are stored.
    pub author: EntryAuthor,
    /// What `get_phase_context` answers: phase and budget as they are before the round (DOC-62).
    pub phase_context: Value,
    /// Whether answers come as data, too.
    pub answers: ToolAnswerForm,
}

/// Who reads the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolAnswerForm {
    /// A language model.
    Text,
    /// Rules, which get them as data as well.
    Data,
}

/// The tools that read the code base. The others work on memory, which a run makes itself.
pub(super) const READING_TOOLS: [&str; 4] = ["list_files", "grep", "read_file", "get_symbols"];

/// All tools, on this context.
pub fn build_toolbox(context: &ToolContext) -> Result<Toolbox, ToolboxError> {
    let context = Arc::new(context.clone());
    Toolbox::new()
        .with(list_files::ListFiles(context.clone()))?
        .with(grep::Grep(context.clone()))?
        .with(read_file::ReadFile(context.clone()))?
        .with(get_symbols::GetSymbols(context.clone()))?
        .with(query_memory::QueryMemory(context.clone()))?
        .with(estimate_token_usage::EstimateTokenUsage(context.clone()))?
        .with(store_discovery::StoreDiscovery(context.clone()))?
        .with(mark_explored::MarkExplored(context.clone()))?
        .with(get_phase_context::GetPhaseContext(context))
}

impl ToolContext {
    /// An answer, with what it shows as data if rules read it.
    fn output(&self, content: impl Into<String>, seen: impl FnOnce() -> Seen) -> ToolOutput {
        let output = ToolOutput::ok(content);
        match self.answers {
            ToolAnswerForm::Text => output,
            ToolAnswerForm::Data => output.data(&seen()),
        }
    }
}

/// The answer of a call that could not be done.
fn failed_output(error: &impl Display, hint: Option<&str>) -> ToolOutput {
    ToolOutput::failed(with_hint(error, hint))
}

/// The answer for a path that gives no text (DOC-67): a path that is refused is told from one where nothing is.
fn unreadable_output(error: &NoText) -> ToolOutput {
    match error {
        NoText::Path(path) => ToolOutput::refused(with_hint(path, Some(path.hint()))),
        NoText::Read(read) => failed_output(read, read.hint()),
    }
}

fn with_hint(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_string(),
    }
}
