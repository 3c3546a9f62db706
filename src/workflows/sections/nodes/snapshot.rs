//! Writes copies of iterations to a folder that the user named (SEC-140, SEC-141). A copy that cannot be
//! written is an error, because the user asked for it.

use crate::engine::{NodeError, NodeResult};
use crate::readme::evaluate::{IterationSnapshot, SnapshotError, SnapshotFolder};
use crate::readme::validate::Issue;
use crate::workflows::sections::nodes::measure::package_name;
use crate::workflows::sections::services::SectionsResources;
use crate::workflows::sections::state::{SectionRun, SectionVersion};
use crate::workflows::timestamp::Timestamp;

/// Writes a version of a section to the folder for snapshots; does nothing if the user named none.
pub(super) async fn keep_version(
    section: &SectionRun,
    version: &SectionVersion,
    resources: &SectionsResources,
) -> NodeResult<()> {
    let snapshot = IterationSnapshot {
        number: u32::try_from(section.task.index).unwrap_or(u32::MAX).saturating_add(1),
        stage: stage_name(&section.task.title),
        iteration: version.number,
        time: Timestamp::from_ms(resources.clock.now_ms()).to_string(),
        valid: Some(!version.issues.iter().any(Issue::is_blocking)),
        issue_count: version.issues.len(),
        result: if version.is_approved { "approved" } else { "not approved" }.to_owned(),
        ..IterationSnapshot::default()
    };
    let text = version.text.clone();
    in_folder(resources, move |folder| folder.save(snapshot, &text).map(drop)).await
}

/// Writes the final document, its audit report and the summary to the folder for snapshots; does nothing if
/// the user named none.
pub(super) async fn finish(
    document: &str,
    issues: Vec<Issue>,
    resources: &SectionsResources,
) -> NodeResult<()> {
    let (document, finished) =
        (document.to_owned(), Timestamp::from_ms(resources.clock.now_ms()).to_string());
    in_folder(resources, move |folder| folder.finish(&finished, &document, &issues).map(drop)).await
}

async fn in_folder(
    resources: &SectionsResources,
    write: impl FnOnce(SnapshotFolder) -> Result<(), SnapshotError> + Send + 'static,
) -> NodeResult<()> {
    let Some(base) = &resources.settings.snapshots else { return Ok(()) };
    let (base, started) = (resources.folder.join(base), resources.started.to_string());
    let package = package_name(&resources.package_path);
    let writing = tokio::task::spawn_blocking(move || {
        SnapshotFolder::open(&base, &package, &started, &started).and_then(write)
    });
    writing.await?.map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })
}

/// Returns a title as part of a file name: its words in lower case, joined by `_`.
fn stage_name(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}
