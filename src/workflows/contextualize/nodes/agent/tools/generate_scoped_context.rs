//! `generate_scoped_context` (CTX-24, CTX-43): the answer to the question, by a model in one request. Its places are checked.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stategraph_code_tools::{add_hint, no_text};

use super::describe_draft;
use crate::agent::{Priority, Tool, ToolOutput};
use crate::repo::cut;
use crate::workflows::contextualize::nodes::agent::context::{
    AgentContext, AgentTask, OrOutput, either, failed,
};
use crate::workflows::contextualize::nodes::agent::effect::CallEffect;
use crate::workflows::contextualize::nodes::claims::one_line;
use crate::workflows::contextualize::nodes::material::ShownFile;
use crate::workflows::contextualize::nodes::passages::{referenced_lines, show_files};
use crate::workflows::contextualize::nodes::synthesise::{
    AnswerSources, answer_draft, answer_tokens, dropped_note,
};
use crate::workflows::contextualize::search::{CodeReference, check_references};
use crate::workflows::contextualize::services::{ContextRequest, OpenRepository};

/// Part of the remaining budget that the request may use, in percent.
const SHARE: u64 = 95;
/// Longest insights of a call, in characters.
const INSIGHTS: usize = 6_000;

/// Tool that has a model write the answer to the question in one request.
pub(in super::super) struct GenerateScopedContext(pub(in super::super) Arc<AgentContext>);

/// Arguments of `generate_scoped_context`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct GenerateScopedContextArguments {
    /// The question.
    pub(in super::super) question: String,
    /// Paths of the files that decide it, at least one.
    pub(in super::super) paths: Vec<String>,
    /// Your findings, in short sentences with places.
    pub(in super::super) insights: String,
    /// The places that answer the question; none if left out.
    #[serde(default)]
    pub(in super::super) references: Vec<PlaceArgument>,
}

/// A place as a call names it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(in super::super) struct PlaceArgument {
    /// Path of the file.
    path: String,
    /// First line, counted from 1.
    #[schemars(range(min = 1))]
    line_start: u32,
    /// Last line, included.
    #[schemars(range(min = 1))]
    line_end: u32,
    /// The meaning of these lines for the question, in one sentence.
    #[serde(default)]
    description: String,
}

impl Tool for GenerateScopedContext {
    type Arguments = GenerateScopedContextArguments;

    fn name(&self) -> &'static str {
        "generate_scoped_context"
    }

    fn description(&self) -> &'static str {
        "Writes the answer to the question from the files and insights that you name, in one request to a model, and ends the work. The \
         lines of the references are shown to it first."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: GenerateScopedContextArguments) -> ToolOutput {
        either(generate(&self.0, arguments).await)
    }
}

/// The files and places of a call after the check against the repository.
#[derive(Serialize, Deserialize)]
struct CheckedFiles {
    files: Vec<ShownFile>,
    references: Vec<CodeReference>,
    /// Number of places that do not exist.
    dropped: usize,
    /// Messages about paths that cannot be read.
    unreadable: Vec<String>,
}

async fn generate(context: &AgentContext, arguments: GenerateScopedContextArguments) -> OrOutput<ToolOutput> {
    let GenerateScopedContextArguments { question, mut paths, insights, references } = arguments;
    if paths.iter().all(|path| path.trim().is_empty()) {
        let reason = "no path was given; hint: name the files that decide the question";
        return Err(Box::new(ToolOutput::refused(reason)));
    }
    let limits = context.run.settings.exploration;
    paths.truncate(limits.files_per_prompt as usize);
    let chars = context.material_chars(SHARE).min(limits.synthesis_chars as usize);
    let input = json!({ "files": paths, "references": references, "chars": chars });
    let reading = context.read("files of the text", input, move |repository| {
        check_files(repository, &paths, references, chars)
    });
    let CheckedFiles { files, references, dropped, unreadable } = reading.await.map_err(failed)?;
    if !unreadable.is_empty() {
        return Err(Box::new(ToolOutput::refused(unreadable.join("\n"))));
    }
    let asked = asked_question(context, &question);
    let insights = cut(insights.trim(), INSIGHTS).kept;
    let sources = AnswerSources {
        question: &asked,
        insights: Some(insights).filter(|text| !text.is_empty()).into_iter().collect(),
        references: &references,
        files: &files,
        max_tokens: answer_tokens(&context.run.settings, &asked),
    };
    let chat = context.resources.render(ContextRequest::ScopeGeneration, &sources).map_err(failed)?;
    let (answer, spent) = context.ask(&chat).await?;
    let drafted = answer_draft(&context.resources, context.place(), &sources, &answer);
    let (draft, mut notes) = drafted.await.map_err(failed)?;
    notes.extend(dropped_note(dropped));
    let effect = CallEffect { spent, notes, ..CallEffect::default() };
    let Some(draft) = draft else {
        let reason = "the model wrote no text of use; hint: call it again with more insights";
        return Err(Box::new(ToolOutput::failed(reason).data(&effect)));
    };
    let path = context.run.settings.output.clone().unwrap_or_else(|| context.run.settings.output_dir.clone());
    let said = describe_draft(&path, &draft, &effect.notes);
    Ok(ToolOutput::ok(said).data(&CallEffect { draft: Some(draft), ..effect }))
}

/// Returns the user's question. If the model's wording differs, it is added in brackets: a text of the
/// repository must not replace the question.
fn asked_question(context: &AgentContext, given: &str) -> String {
    let AgentTask::Answer { question } = &context.task else { return given.to_owned() };
    let given = one_line(given);
    if given.is_empty() || given == one_line(question) {
        return question.clone();
    }
    format!("{question}\n(in detail: {given})")
}

fn check_files(
    repository: &OpenRepository,
    paths: &[String],
    references: Vec<PlaceArgument>,
    chars: usize,
) -> CheckedFiles {
    let named = references.into_iter().map(|place| CodeReference {
        path: place.path,
        start: place.line_start,
        end: place.line_end,
        description: one_line(&place.description),
    });
    let (references, dropped) = check_references(named.collect(), &repository.code);
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    for path in paths {
        match repository.code.text(path) {
            Ok((place, _)) => {
                files.push((place.to_string(), referenced_lines(&references, &place.to_string())));
            }
            Err(error) => unreadable.push(no_text(&error).content),
        }
    }
    if !unreadable.is_empty() {
        unreadable.push(add_hint(&"the text was not written", Some("name files that a tool showed")));
        return CheckedFiles { files: Vec::new(), references, dropped, unreadable };
    }
    CheckedFiles { files: show_files(repository, &files, chars), references, dropped, unreadable }
}
