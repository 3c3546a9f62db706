//! The node `open`: reads the package and its document.

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::package::IntegrationPackage;
use crate::workflows::sections::input::{SectionsProfile, SectionsTask};
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Reads the package and its existing document into the state. Fails for a folder that is no package, and
/// if the task needs a document that does not exist (SEC-18).
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
        let (problem, hint) = match settings.profile {
            SectionsProfile::Package => (
                format!("the package has no `{}`", settings.doc_file),
                "write one first: `graph run sections PACKAGE`",
            ),
            SectionsProfile::Readme => {
                (format!("{} is empty", run.package.display()), "name a README with text")
            }
        };
        return Err(NodeError::msg(problem).permanent().with_hint(hint));
    }
    if settings.profile == SectionsProfile::Package && is_no_package(&package) {
        let problem = format!("{} is no package: it has no manifest.yml", run.package.display());
        let error = NodeError::msg(problem).permanent();
        return Err(error.with_hint("name the folder of a package; for any README add `--profile readme`"));
    }
    let notes = package.defects.iter().map(|defect| format!("{}: {}", defect.path, defect.message));
    let request = match &settings.task {
        SectionsTask::Modify(request) => Some(request.clone()),
        _ => None,
    };
    let document = original.clone().filter(|_| needs_document || settings.profile == SectionsProfile::Readme);
    Ok(SectionsRun::update().original(original).document(document).request(request).extend_notes(notes))
}

/// Returns true for a folder that has neither name, title, data streams nor a knowledge base, so that no
/// document can be written about it.
fn is_no_package(package: &IntegrationPackage) -> bool {
    package.manifest.name.is_empty()
        && package.manifest.title.is_empty()
        && package.data_streams.is_empty()
        && package.service_info.is_none()
}
