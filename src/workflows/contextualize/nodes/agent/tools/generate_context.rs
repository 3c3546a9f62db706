//! `generate_context` (CTX-13, CTX-35, CTX-44): the text about the whole repository, by a model in one request.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::describe_draft;
use crate::agent::{Tool, ToolCost, ToolOutput};
use crate::repo::cut;
use crate::workflows::contextualize::nodes::agent::context::{
    AgentContext, AgentTask, OrOutput, either, failed,
};
use crate::workflows::contextualize::nodes::agent::effect::CallEffect;
use crate::workflows::contextualize::nodes::material::for_text;
use crate::workflows::contextualize::nodes::save::default_path;
use crate::workflows::contextualize::nodes::write::{TextSources, text_draft, text_request};
use crate::workflows::contextualize::offline;
use crate::workflows::contextualize::state::CodeAnalysis;

/// Part of the remaining budget that the request may use, in percent.
const SHARE: u64 = 80;
/// Longest insights of a call, in characters.
const INSIGHTS: usize = 4_000;

/// Tool that has a model write the context file in one request.
pub(in super::super) struct GenerateContext(pub(in super::super) Arc<AgentContext>);

/// Arguments of `generate_context`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct GenerateContextArguments {
    /// Your findings that the facts do not show, in short sentences with places; none if left out.
    #[serde(default)]
    pub(in super::super) insights: Option<String>,
}

impl Tool for GenerateContext {
    type Arguments = GenerateContextArguments;

    fn name(&self) -> &'static str {
        "generate_context"
    }

    fn description(&self) -> &'static str {
        "Expensive: one request to a model, which writes the context file from the facts of the repository, the analysis and your \
         insights. Returns the path of the file and the beginning of the text."
    }

    fn cost(&self) -> ToolCost {
        ToolCost::High
    }

    async fn run(&self, arguments: GenerateContextArguments) -> ToolOutput {
        either(generate(&self.0, arguments.insights).await)
    }
}

async fn generate(context: &AgentContext, insights: Option<String>) -> OrOutput<ToolOutput> {
    let project = context.project().await.map_err(failed)?;
    let mut analysis = analysis(context).await?;
    let own = insights.map(|text| cut(text.trim(), INSIGHTS).kept.to_owned()).filter(|text| !text.is_empty());
    let all = [analysis.insights.take(), own].into_iter().flatten().collect::<Vec<_>>().join("\n");
    analysis.insights = (!all.is_empty()).then_some(all);
    let (chars, summary) = (context.material_chars(SHARE), context.summary().map(str::to_owned));
    let read = context.ledger().read_lines();
    let input = json!({ "chars": chars, "read": read });
    let reading = context.read("material of the text", input, move |repository| {
        for_text(repository, summary.as_deref(), &read, chars)
    });
    let material = reading.await.map_err(failed)?;
    let sources = TextSources {
        project: &project,
        summary: context.summary(),
        analysis: &analysis,
        material: &material,
    };
    let chat = text_request(&context.resources, &context.run.settings, &sources).map_err(failed)?;
    let (answer, spent) = context.ask(&chat).await?;
    let drafted = text_draft(&context.resources, context.place(), &sources, &answer);
    let (draft, notes) = drafted.await.map_err(failed)?;
    let effect = CallEffect { spent, notes, ..CallEffect::default() };
    let Some(draft) = draft else {
        let reason = "the model wrote no text of use; hint: call it again with more insights";
        return Err(Box::new(ToolOutput::failed(reason).data(&effect)));
    };
    let said = describe_draft(&output_path(context), &draft, &effect.notes);
    Ok(ToolOutput::ok(said).data(&CallEffect { draft: Some(draft), ..effect }))
}

/// Returns the analysis that the conversation made; without one, an analysis by rules.
async fn analysis(context: &AgentContext) -> OrOutput<CodeAnalysis> {
    if let Some(analysis) = context.ledger().analysis.clone() {
        return Ok(analysis);
    }
    let by_rules = context.read("analysis", Value::Null, |repository| offline::analyse(repository.facts()));
    by_rules.await.map_err(failed)
}

/// Returns the path that the run will write: that of the user's `--output`, else that of the refined file,
/// else the default.
pub(super) fn output_path(context: &AgentContext) -> PathBuf {
    let own = match &context.task {
        AgentTask::Describe { refined: Some(refined), .. } => Some(refined.file.clone()),
        _ => None,
    };
    let named = context.run.settings.output.clone();
    named.or(own).unwrap_or_else(|| default_path(&context.run, &context.repository))
}
