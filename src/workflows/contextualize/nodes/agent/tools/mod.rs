//! The tools of both conversations, one file each (CTX-34, CTX-37). A result is JSON with `error` on failure, never an exception (CTX-45).

mod analyze_code;
mod extract_metadata;
mod generate_context;
mod generate_scoped_context;
mod list_key_files;
mod read_file_snippet;
mod refine_context;
mod scan_structure;

use std::fmt::Write as _;
use std::sync::Arc;

use super::context::{AgentContext, AgentTask};
use super::reading::{OF_A_DESCRIPTION, OF_A_QUESTION, offered};
use crate::agent::{Toolbox, ToolboxError};
use crate::engine::{NodeError, NodeResult};
use crate::repo::cut;
use crate::workflows::contextualize::content::count_tokens;
use crate::workflows::contextualize::state::ContextDraft;

pub(super) use analyze_code::AnalyzeCode;
pub(super) use extract_metadata::ExtractMetadata;
pub(super) use generate_context::{GenerateContext, GenerateContextArguments};
pub(super) use generate_scoped_context::{GenerateScopedContext, GenerateScopedContextArguments};
pub(super) use list_key_files::ListKeyFiles;
pub(super) use read_file_snippet::ReadFileSnippet;
pub(super) use refine_context::RefineContext;
pub(super) use scan_structure::ScanStructure;

/// Longest part of a new text that a result shows, in characters (CTX-44).
const PREVIEW: usize = 500;

/// Returns the tools that the model may call for the task of the conversation.
pub(super) fn build_toolbox(context: &Arc<AgentContext>) -> NodeResult<Toolbox> {
    let toolbox = match context.task {
        AgentTask::Describe { .. } => describing(context, offered(OF_A_DESCRIPTION, context)?),
        AgentTask::Answer { .. } => {
            offered(OF_A_QUESTION, context)?.with(GenerateScopedContext(context.clone()))
        }
    };
    toolbox.map_err(NodeError::from)
}

fn describing(context: &Arc<AgentContext>, toolbox: Toolbox) -> Result<Toolbox, ToolboxError> {
    toolbox
        .with(ExtractMetadata(context.clone()))?
        .with(ScanStructure(context.clone()))?
        .with(ListKeyFiles(context.clone()))?
        .with(ReadFileSnippet(context.clone()))?
        .with(AnalyzeCode(context.clone()))?
        .with(GenerateContext(context.clone()))?
        .with(RefineContext(context.clone()))
}

/// Returns the output of a tool that wrote a text: the path of the file, the number of tokens, remarks, and
/// the first 500 characters (CTX-44).
fn describe_draft(path: &std::path::Path, draft: &ContextDraft, notes: &[String]) -> String {
    let mut text = format!(
        "output: {} (written when you end)\ntokens: {}\n",
        path.display(),
        count_tokens(&draft.markdown)
    );
    for note in notes.iter().chain(&draft.withheld) {
        let _ = writeln!(text, "note: {note}");
    }
    let _ = write!(text, "preview:\n{}", cut(&draft.markdown, PREVIEW).kept);
    text
}
