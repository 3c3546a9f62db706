//! The node `analyse`: the first of the two calls of a description (CTX-13), or the analysis by rules.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer_forms::mend_analysis;
use super::ask::ask_typed;
use super::budget::RunBudget;
use super::material::{RepositoryMaterial, for_analysis, place};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::ChatRequest;
use crate::workflows::contextualize::offline;
use crate::workflows::contextualize::services::{ContextRequest, ContextResources, ContextServices};
use crate::workflows::contextualize::state::{
    CodeAnalysis, ContextGeneration, ContextGenerationUpdate, ContextProject,
};

/// Most key files that a prompt lists (CTX-19).
const KEY_FILES: usize = 10;
/// Most dependencies that a prompt lists (CTX-19).
const DEPENDENCIES: usize = 15;
/// Part of the budget that this call may use, in percent; the rest is for the text.
const SHARE: u64 = 45;

/// Template variables of the prompts for an analysis of the code.
#[derive(Serialize)]
struct AnalysisVariables<'a> {
    project: ShownProject<'a>,
    summary: Option<&'a str>,
    material: &'a RepositoryMaterial,
}

/// The metadata of the project in a prompt, with the lists cut.
#[derive(Serialize)]
pub(super) struct ShownProject<'a> {
    name: &'a str,
    types: Vec<String>,
    key_files: &'a [String],
    entry_points: &'a [String],
    dependencies: Vec<String>,
}

impl<'a> ShownProject<'a> {
    pub(super) fn new(project: &'a ContextProject) -> Self {
        let dependencies = project.dependencies.iter().take(DEPENDENCIES);
        Self {
            name: &project.name,
            types: project.project_types.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect(),
            key_files: &project.key_files[..project.key_files.len().min(KEY_FILES)],
            entry_points: &project.entry_points[..project.entry_points.len().min(KEY_FILES)],
            dependencies: dependencies.map(|(name, version)| format!("{name} {version}")).collect(),
        }
    }
}

/// Analyses the code of the repository in one request to the model. The rules analyse it if the run has no
/// language model, the budget is too small, or the answer is invalid.
pub(in super::super) async fn analyse(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let resources = cx.services().resources()?;
    let update = ContextGeneration::update();
    if resources.is_rules() {
        return Ok(update.analysis(Some(by_rules(run, cx).await?)));
    }
    let budget = RunBudget::new(&run.input.settings, &run.spent, resources);
    let (chars, summary) = (budget.material_chars(SHARE), run.summary.clone());
    let reading = resources.read(
        place(&run.input, run.repository.as_ref()),
        ("material of the analysis", json!(chars)),
        move |repository| for_analysis(repository, summary.as_deref(), &[], chars),
    );
    let material = reading.await?;
    let project = run.project.as_ref().expect("the graph reads the metadata first");
    let chat = analysis_request(resources, project, run.summary.as_deref(), &material)?;
    if let Err(over) = budget.check(&chat) {
        let note = format!("no model analysed the code: {over}");
        return Ok(update.analysis(Some(by_rules(run, cx).await?)).notes(note));
    }
    let (reply, spent) =
        ask_typed::<CodeAnalysis>(ContextRequest::CodeAnalysis, chat, mend_analysis, cx).await?;
    let update = update.spent(spent);
    match reply {
        Ok(reply) => Ok(update.analysis(Some(reply.value))),
        Err(refused) => {
            let problem = refused.problems.first().cloned().unwrap_or_default();
            let note = format!(
                "the analysis is that of the rules, because the model's answer had no valid form: {problem}"
            );
            Ok(update.analysis(Some(by_rules(run, cx).await?)).notes(note))
        }
    }
}

/// Renders the request for an analysis of the code.
pub(super) fn analysis_request(
    resources: &ContextResources,
    project: &ContextProject,
    summary: Option<&str>,
    material: &RepositoryMaterial,
) -> NodeResult<ChatRequest> {
    let variables = AnalysisVariables { project: ShownProject::new(project), summary, material };
    resources.render(ContextRequest::CodeAnalysis, &variables)
}

async fn by_rules(run: &ContextGeneration, cx: &Cx<ContextServices>) -> NodeResult<CodeAnalysis> {
    let place = place(&run.input, run.repository.as_ref());
    let resources = cx.services().resources()?;
    resources.read(place, ("analysis", Value::Null), |repository| offline::analyse(repository.facts())).await
}
