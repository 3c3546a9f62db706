//! `analyze_code` (CTX-12, CTX-35): a model reads the most important files once.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::agent::{Tool, ToolCost, ToolOutput};
use crate::llm::{AskPolicy, TypedRequest};
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, OrOutput, either, failed};
use crate::workflows::contextualize::nodes::agent::effect::CallEffect;
use crate::workflows::contextualize::nodes::analyse::analysis_request;
use crate::workflows::contextualize::nodes::answer_forms::mend_analysis;
use crate::workflows::contextualize::nodes::material::{ShownFile, for_analysis};
use crate::workflows::contextualize::state::CodeAnalysis;

/// Part of the remaining budget that the request may use, in percent; the rest is for rounds and for the text.
const SHARE: u64 = 35;
/// Most files that a call may name (CTX-12).
const FILES: usize = 20;

/// Tool that has a model analyse the code of the repository in one request.
pub(in super::super) struct AnalyzeCode(pub(super) Arc<AgentContext>);

/// Arguments of `analyze_code`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct AnalyzeCodeArguments {
    /// Paths of files to read first, the most important first; rules select all of them if left out.
    #[serde(default)]
    paths: Vec<String>,
}

impl Tool for AnalyzeCode {
    type Arguments = AnalyzeCodeArguments;

    fn name(&self) -> &'static str {
        "analyze_code"
    }

    fn description(&self) -> &'static str {
        "Expensive: one request to a model, which reads up to 20 files, as far as the budget allows, and returns architecture patterns, \
         conventions, the stack and insights. They become part of the text. The result names the files that were read."
    }

    fn cost(&self) -> ToolCost {
        ToolCost::High
    }

    async fn run(&self, arguments: AnalyzeCodeArguments) -> ToolOutput {
        either(analyse(&self.0, arguments.paths).await)
    }
}

async fn analyse(context: &AgentContext, mut paths: Vec<String>) -> OrOutput<ToolOutput> {
    paths.truncate(FILES);
    let project = context.project().await.map_err(failed)?;
    let (chars, summary) = (context.material_chars(SHARE), context.summary().map(str::to_owned));
    let input = json!({ "chars": chars, "paths": paths });
    let named = paths.clone();
    let reading = context.read("material of the analysis", input, move |repository| {
        for_analysis(repository, summary.as_deref(), &paths, chars)
    });
    let material = reading.await.map_err(failed)?;
    let chat =
        analysis_request(&context.resources, &project, context.summary(), &material).map_err(failed)?;
    // The number of calls is the model's decision here, so an invalid answer is its matter too.
    let mut asking = TypedRequest::<CodeAnalysis>::new(chat, AskPolicy::reasks(0).mend(mend_analysis))
        .with_optional_fields();
    let (answer, spent) = context.ask(asking.request()).await?;
    match asking.judge(answer, &|_| Ok(())) {
        Ok(reply) => {
            let said = describe(&reply.value, &named, &material.files);
            Ok(ToolOutput::ok(said).data(&CallEffect {
                spent,
                analysis: Some(reply.value),
                ..CallEffect::default()
            }))
        }
        Err(refused) => {
            let problem = refused.problems.first().cloned().unwrap_or_default();
            let reason = format!("the analysis had no valid form: {problem}; hint: go on without it");
            Err(Box::new(ToolOutput::failed(reason).data(&CallEffect { spent, ..CallEffect::default() })))
        }
    }
}

/// Returns the analysis as JSON for the agent, with lists of the files that were read whole, those read in
/// part, and those of `named` that were not read.
fn describe(analysis: &CodeAnalysis, named: &[String], shown: &[ShownFile]) -> String {
    let paths = |is_whole: bool| {
        let files = shown.iter().filter(move |file| (file.left_out == 0) == is_whole);
        files.map(|file| file.path.as_str()).collect::<Vec<_>>()
    };
    let is_shown = |path: &&String| shown.iter().any(|file| file.path == path.trim_start_matches("./"));
    let missing: Vec<&String> = named.iter().filter(|path| !is_shown(path)).collect();
    let mut described = json!(analysis);
    described["files_read"] = json!(paths(true));
    described["files_read_in_part"] = json!(paths(false));
    described["files_not_read"] = json!(missing);
    described.to_string()
}
