//! Nodes of the document: `scan`; `plan`, `explore` and `enrich` of the standard track; `agents`, the
//! agent track; `merge`, `reduce`, `render`. Each is a pure step of `document/`, or the run of the
//! agents.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::explore::document::{self, DocumentOverview, DocumentPlan, ScopeSection};
use crate::workflows::explore::input::ExploreOutput;
use crate::workflows::explore::rules::FindingIndex;
use crate::workflows::explore::services::ExploreServices;
use crate::workflows::explore::state::{ExplorationResult, ExploreRun, ExploreRunUpdate};

/// Key of the sub-graph of the root agent within its task.
const AGENTS: &str = "agents";
/// Maximum length of the agents' error in a warning, in characters.
const ERROR: usize = 300;

/// Collects the facts of the repository, so that the parallel tracks share them.
pub(in super::super) async fn scan(_: &ExploreRun, cx: &Cx<ExploreServices>) -> NodeResult<ExploreRunUpdate> {
    read(cx, "scan", Value::Null, |_| ()).await?;
    Ok(ExploreRun::update())
}

/// Divides the repository into the scopes of the document.
pub(in super::super) async fn plan(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let depth = run.settings.max_depth;
    let plan: DocumentPlan =
        read(cx, "plan", json!(depth), move |index| document::plan(index, depth)).await?;
    Ok(ExploreRun::update().plan(Some(plan)))
}

/// Makes the sections with purposes and definitions.
pub(in super::super) async fn explore(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let plan = run.plan.clone().ok_or_else(out_of_order)?;
    let sections: Vec<ScopeSection> =
        read(cx, "structure", Value::Null, move |index| document::explore(index, &plan)).await?;
    Ok(ExploreRun::update().sections(sections))
}

/// Adds imports and environment variables to the sections.
pub(in super::super) async fn enrich(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let sections = run.sections.clone();
    let sections: Vec<ScopeSection> =
        read(cx, "imports", Value::Null, move |index| document::enrich(index, sections)).await?;
    Ok(ExploreRun::update().sections(sections))
}

/// Runs the agents if the settings ask for them. Their failure is a warning, because the standard track
/// has a result of its own (EXP-56).
pub(in super::super) async fn agents(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let update = ExploreRun::update();
    if run.settings.output != ExploreOutput::DocumentWithAgents {
        return Ok(update);
    }
    let graph = cx.services().agents()?;
    let root = match cx.subgraph(AGENTS, &graph, run.root_agent()).await {
        Ok(root) => root,
        Err(error) => {
            let error = crate::repo::cut(&error.to_string(), ERROR).kept.to_owned();
            let warning = format!("the agents failed, so the document has the structure alone: {error}");
            return Ok(update.extend_warnings([warning]));
        }
    };
    let result = ExplorationResult::of(&root);
    let failed = result
        .agents
        .first()
        .is_some_and(|root| matches!(root.end, crate::workflows::explore::agents::AgentEnd::Failed(_)));
    let warnings =
        failed.then(|| "the root agent did not end by itself, so findings may be missing".to_owned());
    let spent = result.spent.clone();
    Ok(update.result(Some(result)).spent(spent).extend_warnings(warnings))
}

/// Puts the findings of the agents into the sections that they are about.
pub(in super::super) async fn merge(
    run: &ExploreRun,
    _: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let (notes, agents) =
        run.result.as_ref().map_or((&[][..], &[][..]), |result| (&result.notes, &result.agents));
    let merged = document::merge(run.sections.clone(), notes, agents);
    Ok(ExploreRun::update().sections(merged.sections).general(merged.general))
}

/// Makes the overview of the document.
pub(in super::super) async fn reduce(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let sections = run.sections.clone();
    let overview: DocumentOverview =
        read(cx, "overview", Value::Null, move |index| document::reduce(index, &sections)).await?;
    Ok(ExploreRun::update().overview(Some(overview)))
}

/// Renders the document as Markdown into the state.
pub(in super::super) async fn render(
    run: &ExploreRun,
    _: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let (plan, overview) = run.plan.as_ref().zip(run.overview.as_ref()).ok_or_else(out_of_order)?;
    let parts = document::DocumentParts {
        name: &run.name,
        plan,
        overview,
        sections: &run.sections,
        general: &run.general,
        warnings: &run.warnings,
    };
    Ok(ExploreRun::update().document(Some(document::render(&parts))))
}

/// Computes a value from the findings of the rules on a blocking thread. The result passes through the
/// tape under `name` and `input`.
async fn read<T>(
    cx: &Cx<ExploreServices>,
    name: &str,
    input: Value,
    compute: impl FnOnce(&FindingIndex) -> T + Send + 'static,
) -> NodeResult<T>
where
    T: Serialize + DeserializeOwned + Send + 'static,
{
    let resources = cx.services().resources()?;
    resources.read(name, input, |repository| compute(repository.findings())).await
}

/// Makes the error of a step whose predecessor has not run.
fn out_of_order() -> NodeError {
    let error = NodeError::msg("a step of the document before this one has not run").permanent();
    error.with_hint("the graph has to plan, to explore and to reduce before it renders")
}
