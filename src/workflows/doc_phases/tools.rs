//! The tools of the agent (DOC-56 to DOC-73), one file each. They read the code base and memory; the budgets around them decide
//! which calls are allowed. A new tool is a file here and a line in [`build_toolbox`] (DOC-124).

mod cross_component;
mod estimate_token_usage;
mod findings;
mod get_phase_context;
mod get_symbols;
mod grep;
mod hidden;
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
use super::phase::{Phase, ToolObservation};
use crate::agent::{ToolOutput, Toolbox, ToolboxError};
use crate::llm::{ModelName, SharedEmbeddings, Tape};
use crate::repo::CodeBase;
use stategraph_code_tools::add_hint as with_hint;
use stategraph_code_tools::no_text as unreadable_output;

pub use cross_component::{CrossComponentLimit, CurrentConcern};

/// Maximum length of a tool's answer for a model, in characters.
pub const ANSWER_CHARS: usize = 12_000;

/// Dependencies and settings that all tools of one round share. The node makes it; the tools read it.
#[derive(Clone)]
pub struct ToolContext {
    /// Code base that the tools read.
    pub code: Arc<CodeBase>,
    /// Memory that the tools query and change.
    pub memory: Arc<Memory>,
    /// Embedding model that ranks memory queries by meaning; `None` ranks by words (DOC-99).
    pub embeddings: Option<SharedEmbeddings>,
    /// Phase of the round.
    pub phase: Phase,
    /// Author of the entries that the tools store.
    pub author: EntryAuthor,
    /// Answer of `get_phase_context`: phase and budget as of the start of the round (DOC-62).
    pub phase_context: Value,
    /// Form of the answers.
    pub answers: ToolAnswerForm,
    /// Model of the run, for errors.
    pub model: ModelName,
    /// Tape of the run: the names that a model writes are looked up in the repository.
    pub tape: Tape,
    /// True in an update, where entries of earlier runs are completed.
    pub is_update: bool,
    /// True if a completion of this phase was sent back before.
    pub was_returned: bool,
}

/// Form in which the tools answer, for a model or for the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolAnswerForm {
    /// Text, for a language model.
    Text,
    /// Text and data, for the rules.
    Data,
}

/// Names of the tools that read the code base. The tape records these only, because a run changes memory itself.
pub(super) const READING_TOOLS: [&str; 4] = ["list_files", "grep", "read_file", "get_symbols"];

/// Returns a toolbox with all tools of the agent. They share `context`.
pub fn build_toolbox(context: &ToolContext) -> Result<Toolbox, ToolboxError> {
    let context = Arc::new(context.clone());
    Toolbox::new()
        .with(list_files::ListFiles(context.clone()))?
        .with(grep::Grep(context.clone()))?
        .with(read_file::ReadFileTool(context.clone()))?
        .with(get_symbols::GetSymbols(context.clone()))?
        .with(query_memory::QueryMemory(context.clone()))?
        .with(estimate_token_usage::EstimateTokenUsage(context.clone()))?
        .with(store_discovery::StoreDiscovery(context.clone()))?
        .with(mark_explored::MarkExplored(context.clone()))?
        .with(get_phase_context::GetPhaseContext(context))
}

impl ToolContext {
    /// Returns the output of a successful call; in the form for the rules, with the data that `seen` makes.
    fn output(&self, content: impl Into<String>, seen: impl FnOnce() -> ToolObservation) -> ToolOutput {
        let output = ToolOutput::ok(content);
        match self.answers {
            ToolAnswerForm::Text => output,
            ToolAnswerForm::Data => output.data(&seen()),
        }
    }
}

/// Returns a request to the model for each weak purpose that the phase left in the agent's memory: a
/// description that is empty, only counts, or repeats a name. In phase B, of `component` and its files.
pub(super) fn weak_purposes(memory: &Memory, phase: Phase, component: Option<&str>) -> Vec<String> {
    findings::weak_purposes(memory, phase, component)
}

/// Adds the descriptions in `earlier`, the fields of an entry that a model wrote, to the fresh entry `data`
/// of the rules.
pub(super) fn merge_earlier_words(data: &mut Value, earlier: &serde_json::Map<String, Value>) {
    if let Value::Object(facts) = data {
        *facts = findings::merge_words(std::mem::take(facts), earlier);
    }
}

/// Returns the output of a failed call: the error with its hint.
fn failed_output(error: &impl Display, hint: Option<&str>) -> ToolOutput {
    ToolOutput::failed(with_hint(error, hint))
}
