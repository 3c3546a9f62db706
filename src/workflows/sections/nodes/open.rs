//! The node `open`: reads the package and its document.

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::sections::input::{SectionsProfile, SectionsTask};
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Reads the package. Fails without a document where the task needs one (SEC-18).
pub(in super::super) async fn open(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let settings = &run.settings;
    if matches!(settings.task, SectionsTask::Batch(_) | SectionsTask::ByHand) {
        return Ok(SectionsRun::update());
    }
    let package = cx.services().resources()?.package().await?;
    let original = package.existing.clone().filter(|text| !text.trim().is_empty());
    let needs_document =
        matches!(settings.task, SectionsTask::Modify(_) | SectionsTask::Critic | SectionsTask::Validators);
    if original.is_none() && (needs_document || settings.profile == SectionsProfile::Readme) {
        let error = NodeError::msg(format!("the package has no `{}`", settings.doc_file)).permanent();
        return Err(error.with_hint("write one first: `graph run sections PACKAGE`"));
    }
    let notes = package.defects.iter().map(|defect| format!("{}: {}", defect.path, defect.message));
    let request = match &settings.task {
        SectionsTask::Modify(request) => Some(request.clone()),
        _ => None,
    };
    let document = original.clone().filter(|_| needs_document || settings.profile == SectionsProfile::Readme);
    Ok(SectionsRun::update().original(original).document(document).request(request).extend_notes(notes))
}
