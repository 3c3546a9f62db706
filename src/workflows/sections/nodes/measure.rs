//! The node `measure`: scores a document and writes the result; the package stays as it is (SEC-133,
//! SEC-139).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use stategraph_base::regular::{Links, read_up_to};

use crate::agent::Spent;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::evaluate::{
    BatchSummary, EvaluationResult, TokenCount, compare, comparison_table, promptfoo, write_results,
};
use crate::repo;
use crate::workflows::sections::input::ResultFormat;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Name of the file that promptfoo imports, in the output folder.
const PROMPTFOO: &str = "promptfoo.json";
/// Maximum size in bytes of an earlier `results.json` that is compared with.
const COMPARED_MAX: usize = 64 << 20;

/// Scores the document and writes the result into the output folder. For a package of a batch nothing is
/// written, because the batch writes the results of all.
pub(in super::super) async fn measure(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let document = run.document.clone().unwrap_or_default();
    let name = package_name(&run.package);
    let measured =
        EvaluationResult::of_document(&run_id(run), &name, document, &run.validations, Some(&*package));
    let (tokens, cost) = usage(&run.spent);
    let result = EvaluationResult { tokens, cost, original: run.original.clone(), ..measured };
    let update = SectionsRun::update().evaluations(BTreeMap::from([(0, result.clone())]));
    // The result of a package of a batch is part of the batch's summary.
    if resources.is_in_batch {
        return Ok(update);
    }
    let summary = summarise_results(run, std::slice::from_ref(&run.package), [result]);
    let (written, notes) = write(summary, vec![run.package.clone()], resources).await?;
    Ok(update.written(written).extend_notes(notes))
}

/// Returns the id of a run: its start time.
pub(super) fn run_id(run: &SectionsRun) -> String {
    run.started.to_string()
}

/// Returns the name of a package: that of its folder; empty for a path without one.
pub(super) fn package_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Makes the summary of the evaluation, with the results in the order of `packages`.
pub(super) fn summarise_results(
    run: &SectionsRun,
    packages: &[PathBuf],
    results: impl IntoIterator<Item = EvaluationResult>,
) -> BatchSummary {
    let names: Vec<String> = packages.iter().map(|path| package_name(path)).collect();
    BatchSummary::collect(&run_id(run), &run.settings.model, &run_id(run), &names, results)
}

/// Returns the tokens and the cost in dollars of a run; the cost is `None` if a price is unknown.
fn usage(spent: &Spent) -> (TokenCount, Option<f64>) {
    let total = spent.total();
    let tokens = TokenCount { prompt: total.usage.prompt_tokens, completion: total.usage.completion_tokens };
    let is_known = total.unpriced == 0;
    (tokens, is_known.then(|| total.cost.in_dollars()))
}

/// Writes the results into the output folder, and compares them with earlier ones if the user asked for it.
/// Returns the paths of the written files, and the lines of the comparison.
pub(super) async fn write(
    summary: BatchSummary,
    packages: Vec<PathBuf>,
    resources: &SectionsResources,
) -> NodeResult<(Vec<PathBuf>, Vec<String>)> {
    let settings = &resources.settings;
    let mut notes = Vec::new();
    let mut runs = vec![summary.clone()];
    if let Some(path) = &settings.compare {
        let earlier: BatchSummary = read_json(&resources.folder.join(path))?;
        notes.extend(comparison_table(&compare(&earlier, &summary)).lines().map(str::to_owned));
        runs.insert(0, earlier);
    }
    let folder = resources.folder.join(&settings.output_dir);
    let format = settings.format;
    let writing = tokio::task::spawn_blocking(move || -> NodeResult<Vec<PathBuf>> {
        let results =
            write_results(&folder, &summary, packages.iter().map(PathBuf::as_path)).map_err(|error| {
                let hint = error.hint();
                NodeError::from(error).permanent().with_hint(hint)
            })?;
        let mut written = vec![results];
        if format == ResultFormat::Promptfoo {
            let path = folder.join(PROMPTFOO);
            let text = format!("{}\n", serde_json::to_string_pretty(&promptfoo(&runs))?);
            repo::replace(&path, text.as_bytes())?;
            written.push(path);
        }
        Ok(written)
    });
    Ok((writing.await??, notes))
}

/// Reads the results of an earlier evaluation from a JSON file.
fn read_json<T: DeserializeOwned>(path: &Path) -> NodeResult<T> {
    let failed = |reason: String| {
        let error = NodeError::msg(format!("cannot compare with {}: {reason}", path.display())).permanent();
        error.with_hint("name a results.json that an earlier `--evaluate` wrote")
    };
    let bytes = read_up_to(path, COMPARED_MAX, Links::Followed).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))
}
