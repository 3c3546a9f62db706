//! `refine_context` (CTX-31, CTX-35): changes the text as a request asks, by a model in one request.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::describe_draft;
use super::generate_context::output_path;
use crate::agent::{Tool, ToolCost, ToolOutput};
use crate::workflows::contextualize::nodes::agent::context::{
    AgentContext, AgentTask, OrOutput, either, failed,
};
use crate::workflows::contextualize::nodes::agent::effect::CallEffect;
use crate::workflows::contextualize::nodes::budget::RunBudget;
use crate::workflows::contextualize::nodes::refine::TextChange;

/// Tool that has a model change the current text in one request.
pub(in super::super) struct RefineContext(pub(super) Arc<AgentContext>);

/// Arguments of `refine_context`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct RefineContextArguments {
    /// The change, with the facts and the places that it needs.
    request: String,
}

impl Tool for RefineContext {
    type Arguments = RefineContextArguments;

    fn name(&self) -> &'static str {
        "refine_context"
    }

    fn description(&self) -> &'static str {
        "Expensive: one request to a model, which changes the context file as your request says and leaves the rest as it is."
    }

    fn cost(&self) -> ToolCost {
        ToolCost::High
    }

    async fn run(&self, arguments: RefineContextArguments) -> ToolOutput {
        either(refine(&self.0, &arguments.request).await)
    }
}

async fn refine(context: &AgentContext, request: &str) -> OrOutput<ToolOutput> {
    if request.trim().is_empty() {
        return Err(Box::new(ToolOutput::refused("the request is empty; hint: say what to change")));
    }
    let Some(body) = current_text(context) else {
        return Err(Box::new(ToolOutput::refused(
            "there is no text yet; hint: call `generate_context` first",
        )));
    };
    let change =
        TextChange { input: &context.run, repository: Some(&context.repository), body: &body, request };
    let spent = context.ledger().spent();
    let budget = RunBudget::new(&context.run.settings, &spent, &context.resources);
    let (chat, facts) = change.request_to_model(&budget, &context.resources).await.map_err(failed)?;
    let (answer, spent) = context.ask(&chat).await?;
    let (draft, notes) = change.draft(&answer, &facts, &context.resources).await.map_err(failed)?;
    let effect = CallEffect { spent, notes, ..CallEffect::default() };
    match draft {
        Ok(draft) => {
            let said = describe_draft(&output_path(context), &draft, &effect.notes);
            Ok(ToolOutput::ok(said).data(&CallEffect { draft: Some(draft), ..effect }))
        }
        Err(reason) => Err(Box::new(ToolOutput::failed(reason).data(&effect))),
    }
}

/// Returns the text to change: the newest text of the conversation, else that of the file; `None` if there is
/// neither.
fn current_text(context: &AgentContext) -> Option<String> {
    let drafted = context.ledger().draft.as_ref().map(|draft| draft.markdown.clone());
    drafted.or_else(|| match &context.task {
        AgentTask::Describe { refined: Some(refined), .. } => Some(refined.original.body.trim().to_owned()),
        _ => None,
    })
}
