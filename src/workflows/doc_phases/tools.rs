//! The tools of the agent (DOC-56 to DOC-73), a file each. They read the code base and memory; whether a call is allowed at all is
//! decided by the budgets around them. A new tool is a file here and a line in [`toolbox`] (DOC-124).

mod cross;
mod estimate_token_usage;
mod get_phase_context;
mod get_symbols;
mod grep;
mod list_files;
mod mark_explored;
mod query_memory;
mod read_file;
mod store_discovery;
mod words;

use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use super::memory::{Author, Memory};
use super::phase::{Phase, Seen};
use crate::agent::{ToolOutput, Toolbox, ToolboxError};
use crate::llm::SharedEmbeddings;
use crate::repo::{CodeBase, NoText};

pub use cross::{Concern, CrossComponents};

/// Longest answer of a tool that a model reads, in characters.
pub const ANSWER_CHARS: usize = 12_000;

/// What the tools of one round work on.
#[derive(Clone)]
pub struct Desk {
    /// The code base.
    pub code: Arc<CodeBase>,
    /// Memory.
    pub memory: Arc<Memory>,
    /// What tells how near two texts are in meaning; words do where there is none (DOC-99).
    pub embeddings: Option<SharedEmbeddings>,
    /// The phase.
    pub phase: Phase,
    /// In whose name discoveries are stored.
    pub author: Author,
    /// What `get_phase_context` answers: phase and budget as they are before the round (DOC-62).
    pub context: Value,
    /// Whether answers come as data, too.
    pub answers: Answers,
}

/// Who reads the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// A language model.
    Text,
    /// Rules, which get them as data as well.
    Data,
}

/// The tools that read the code base. The others work on memory, which a run makes itself.
pub(super) const READING: [&str; 4] = ["list_files", "grep", "read_file", "get_symbols"];

/// All tools, on this desk.
pub fn toolbox(desk: &Desk) -> Result<Toolbox, ToolboxError> {
    let desk = Arc::new(desk.clone());
    Toolbox::new()
        .with(list_files::ListFiles(desk.clone()))?
        .with(grep::Grep(desk.clone()))?
        .with(read_file::ReadFile(desk.clone()))?
        .with(get_symbols::GetSymbols(desk.clone()))?
        .with(query_memory::QueryMemory(desk.clone()))?
        .with(estimate_token_usage::EstimateTokenUsage(desk.clone()))?
        .with(store_discovery::StoreDiscovery(desk.clone()))?
        .with(mark_explored::MarkExplored(desk.clone()))?
        .with(get_phase_context::GetPhaseContext(desk))
}

impl Desk {
    /// An answer, with what it shows as data if rules read it.
    fn answer(&self, content: impl Into<String>, seen: impl FnOnce() -> Seen) -> ToolOutput {
        let output = ToolOutput::ok(content);
        match self.answers {
            Answers::Text => output,
            Answers::Data => output.data(&seen()),
        }
    }
}

/// The answer of a call that could not be done.
fn failed(error: &impl Display, hint: Option<&str>) -> ToolOutput {
    ToolOutput::failed(hinted(error, hint))
}

/// The answer for a path that gives no text (DOC-67): a path that is refused is told from one where nothing is.
fn no_text(error: &NoText) -> ToolOutput {
    match error {
        NoText::Path(path) => ToolOutput::refused(hinted(path, Some(path.hint()))),
        NoText::Read(read) => failed(read, read.hint()),
    }
}

fn hinted(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_string(),
    }
}
