//! The nodes of a batch (SEC-134, SEC-165): each package runs the graph of a document inside one task. A
//! package that cannot be evaluated gets a result with its error (SEC-138).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::measure::{package_name, run_id, summarise_results, write};
use crate::engine::{Cx, NodeError, NodeResult, State as _, with_causes};
use crate::readme::evaluate::EvaluationResult;
use crate::workflows::node_errors::ends_the_run;
use crate::workflows::sections::entry::sections_graph;
use crate::workflows::sections::input::{SectionsSettings, SectionsTask};
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Delay between the starts of two packages if a model is asked (SEC-137), because many first requests at
/// once meet its rate limit.
const STAGGER: Duration = Duration::from_millis(500);

/// Begins a batch: fails if it has no packages, and changes nothing.
pub(in super::super) async fn batch(
    run: &SectionsRun,
    _: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let packages = packages(run);
    if packages.is_empty() {
        return Err(NodeError::msg("the batch has no package")
            .permanent()
            .with_hint("name some: `--batch nginx,apache`"));
    }
    Ok(SectionsRun::update())
}

fn packages(run: &SectionsRun) -> &[PathBuf] {
    match &run.settings.task {
        SectionsTask::Batch(packages) => packages,
        _ => &[],
    }
}

/// Evaluates one package of the batch, whose index is the item of the task. A failure becomes a result with
/// an error, unless it ends the whole run.
pub(in super::super) async fn package(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let place = *cx.item::<usize>()?;
    let path = packages(run).get(place).cloned().unwrap_or_default();
    let name = package_name(&path);
    let _slot = resources.slots.acquire().await?;
    if resources.model.is_some() {
        tokio::time::sleep(
            STAGGER * u32::try_from(place).unwrap_or(u32::MAX).min(resources.settings.parallel),
        )
        .await;
    }
    let (result, spent) = match evaluate(run, path, resources, cx).await {
        Ok(ended) => {
            let result = ended.evaluations.get(&0).cloned();
            let missing = || EvaluationResult::failed(&run_id(run), &name, "the package gave no result");
            (result.unwrap_or_else(missing), ended.spent)
        }
        Err(error) if ends_the_run(&error) => return Err(error),
        Err(error) => (
            EvaluationResult::failed(&run_id(run), &name, with_causes(error.source())),
            crate::agent::Spent::default(),
        ),
    };
    let event = SectionEvent::Evaluated {
        package: name,
        composite: result.scores.map(|scores| scores.composite),
        error: result.error.clone(),
    };
    cx.emit(SectionEvent::NAME, &event)?;
    Ok(SectionsRun::update().evaluations(BTreeMap::from([(place, result)])).spent(spent))
}

async fn evaluate(
    run: &SectionsRun,
    path: PathBuf,
    resources: &SectionsResources,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRun> {
    let make =
        resources.packages.as_ref().ok_or_else(|| NodeError::msg("the run is no batch").permanent())?;
    let own = make(&path).map_err(|reason| NodeError::msg(reason).permanent())?;
    let graph = sections_graph(own);
    let settings = SectionsSettings { task: SectionsTask::Evaluate, ..run.settings.clone() };
    cx.subgraph("package", &graph, SectionsRun::new(settings, path, run.started)).await
}

/// Writes the summary of the batch, with the results of all packages, into the output folder (SEC-137).
pub(in super::super) async fn summarise(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let packages = packages(run);
    let summary = summarise_results(run, packages, run.evaluations.values().cloned());
    let (written, notes) = write(summary, packages.to_vec(), resources).await?;
    Ok(SectionsRun::update().written(written).extend_notes(notes))
}
