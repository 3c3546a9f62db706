//! The node `measure`: measures a document and writes the result; the package stays as it is (SEC-133, SEC-139).

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::evaluate::{BatchSummary, EvaluationResult, compare, comparison_table, promptfoo};
use crate::repo;
use crate::workflows::sections::input::ResultFormat;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Name of the file with the results.
pub(super) const RESULTS: &str = "results.json";
/// Name of the file for promptfoo.
const PROMPTFOO: &str = "promptfoo.json";
/// Longest file of results that is compared, in bytes.
const COMPARED_MAX: u64 = 64 << 20;

/// Measures the document and writes the result.
pub(in super::super) async fn measure(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let document = run.document.clone().unwrap_or_default();
    let total = run.spent.total();
    let result = EvaluationResult::measured(&run_id(run), &package, &document, run.original.as_deref(), &run.validations)
        .with_usage(total.usage.total(), total.cost.in_dollars());
    // A package of a batch is part of the batch's summary.
    if resources.is_in_batch {
        return Ok(SectionsRun::update().evaluations(BTreeMap::from([(0, result)])));
    }
    let summary = BatchSummary::of(run_id(run), vec![result.clone()]);
    let (written, notes) = write_results(summary, &document, resources).await?;
    let update = SectionsRun::update().evaluations(BTreeMap::from([(0, result)]));
    Ok(update.written(written).extend_notes(notes))
}

/// Returns the id of a run: its start.
pub(super) fn run_id(run: &SectionsRun) -> String {
    run.started.to_string()
}

/// Writes the results into the output folder, and compares them with earlier ones if asked for. Returns the files and the comparison.
pub(super) async fn write_results(
    summary: BatchSummary,
    document: &str,
    resources: &SectionsResources,
) -> NodeResult<(Vec<std::path::PathBuf>, Vec<String>)> {
    let settings = &resources.settings;
    let folder = resources.folder.join(&settings.output_dir);
    let mut files = vec![(folder.join(RESULTS), to_json(&summary)?)];
    if !document.is_empty() {
        files.push((folder.join(&settings.doc_file), document.to_owned()));
    }
    if settings.format == ResultFormat::Promptfoo {
        files.push((folder.join(PROMPTFOO), to_json(&promptfoo(&[&summary]))?));
    }
    let mut notes = Vec::new();
    if let Some(path) = &settings.compare {
        let earlier: BatchSummary = read_json(&resources.folder.join(path))?;
        notes.extend(comparison_table(&compare(&earlier, &summary)).lines().map(str::to_owned));
    }
    let written = files.iter().map(|(path, _)| path.clone()).collect();
    tokio::task::spawn_blocking(move || {
        for (path, text) in &files {
            repo::replace(path, text.as_bytes())?;
        }
        Ok::<_, crate::repo::WriteError>(())
    })
    .await??;
    Ok((written, notes))
}

fn to_json(value: &impl Serialize) -> NodeResult<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Reads a file of results.
fn read_json<T: DeserializeOwned>(path: &std::path::Path) -> NodeResult<T> {
    use stategraph_base::regular::{Links, read_up_to};
    let failed = |reason: String| {
        let error = NodeError::msg(format!("cannot compare with {}: {reason}", path.display())).permanent();
        error.with_hint("name a results.json that an earlier `--evaluate` wrote")
    };
    let bytes = read_up_to(path, COMPARED_MAX, Links::Followed).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))
}
