//! The nodes `check`: the static validators, on a candidate and on the whole document (SEC-64, SEC-57, SEC-96).

use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::package::IntegrationPackage;
use crate::readme::validate::{DocumentProfile, Subject, Validation, ValidationOptions, validate};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate, SectionsRun, SectionsRunUpdate};

/// Runs the static validators on a text: on one section, or on the whole document without a title.
pub(super) fn validate_text(
    text: &str,
    section: Option<&str>,
    resources: &SectionsResources,
    package: &IntegrationPackage,
) -> Vec<Validation> {
    let (profile, package) = match resources.settings.profile {
        SectionsProfile::Package => (DocumentProfile::Package, Some(package)),
        SectionsProfile::Readme => (DocumentProfile::Readme, None),
    };
    let options = ValidationOptions::default();
    validate(&Subject { text, section, package, options: &options }, profile)
}

/// Checks the candidate.
pub(in super::super) async fn check_section(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    if !section.judges.validators {
        return Ok(SectionRun::update());
    }
    let package = resources.package().await?;
    let text = section.candidate.as_deref().unwrap_or_default();
    let validations = validate_text(text, Some(&section.task.title), resources, &package);
    Ok(SectionRun::update().validations(validations))
}

/// Checks the whole document.
pub(in super::super) async fn check_document(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let text = run.document.as_deref().unwrap_or_default();
    let validations = validate_text(text, None, resources, &package);
    cx.emit(SectionEvent::NAME, &SectionEvent::checked(&validations))?;
    Ok(SectionsRun::update().validations(validations))
}
