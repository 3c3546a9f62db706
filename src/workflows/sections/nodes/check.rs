//! The nodes `check` of both graphs: run the static validators on a candidate and on the whole document
//! (SEC-64, SEC-57, SEC-96).

use std::sync::Arc;

use super::snapshot;
use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::package::IntegrationPackage;
use crate::readme::validate::{
    CheckState, DocumentProfile, FileLookup, IssueSeverity, Validation, ValidationOptions, ValidationSubject,
    disabled_by_markdownlint, validate,
};
use crate::repo::{self, Root};
use crate::trace::{EvaluationVerdict, evaluation};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate, SectionsRun, SectionsRunUpdate};

/// Name of the settings file of markdownlint.
const MARKDOWNLINT: &str = ".markdownlint.json";

/// Runs the static validators on a text, and traces each verdict. `section` is the title if the text is one
/// section, `None` for a whole document.
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
    let options = options(resources);
    let validations = validate(&ValidationSubject { text, section, package, options: &options }, profile);
    validations.iter().for_each(trace_validation);
    validations
}

/// Records the verdict of a validator as a trace span of its own (SEC-155, SEC-197).
pub(super) fn trace_validation(validation: &Validation) {
    let step = evaluation(&validation.validator);
    let count = |severity| validation.issues.iter().filter(|issue| issue.severity == severity).count();
    step.score(f64::from(validation.score));
    step.issues(count(IssueSeverity::Critical), count(IssueSeverity::Major), count(IssueSeverity::Minor));
    step.explanation(|| validation.summary.clone());
    match &validation.state {
        CheckState::Checked if validation.valid => step.decide(EvaluationVerdict::Approved),
        CheckState::Checked => step.decide(EvaluationVerdict::Rejected),
        CheckState::NotChecked(reason) => step.fail("not_checked", reason),
    }
}

/// Returns the validation options for a README: the rules that `.markdownlint.json` beside it switches off,
/// and the lookup of files around it. Documents of packages have none, because their rules are fixed.
fn options(resources: &SectionsResources) -> ValidationOptions {
    let (SectionsProfile::Readme, Some(folder)) =
        (resources.settings.profile, resources.package_path.parent())
    else {
        return ValidationOptions::default();
    };
    let Ok(root) = Root::open(folder) else { return ValidationOptions::default() };
    let read = root.path(MARKDOWNLINT).ok().and_then(|path| repo::read_text(&path).ok());
    // Settings that cannot be read switch nothing off.
    let disabled = read.and_then(|text| disabled_by_markdownlint(&text).ok()).unwrap_or_default();
    // A published package has the README of its repository without all files that it links to.
    let is_checkout = folder.ancestors().any(|folder| folder.join(".git").exists());
    let files: FileLookup =
        Arc::new(move |path: &str| root.path(path).is_ok_and(|path| path.absolute().exists()));
    ValidationOptions { disabled, files: is_checkout.then_some(files) }
}

/// Runs the static validators on the candidate of a section, unless they are switched off.
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

/// Runs the static validators on the whole document, finishes the snapshots, and reports the numbers of
/// issues as an event.
pub(in super::super) async fn check_document(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let text = run.document.as_deref().unwrap_or_default();
    let validations = validate_text(text, None, resources, &package);
    let issues = validations.iter().flat_map(|validation| validation.issues.iter().cloned()).collect();
    snapshot::finish(text, issues, resources).await?;
    cx.emit(SectionEvent::NAME, &SectionEvent::checked(&validations))?;
    Ok(SectionsRun::update().validations(validations))
}
