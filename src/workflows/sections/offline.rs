//! The generator and the critic by rules: no model, no network, the same document for the same package. The document says so.

use super::input::SectionsProfile;
use super::state::{APPROVAL_SCORE, CriticVerdict, SectionTask};
use crate::readme::document::{DISCLOSURE, preserve_blocks};
use crate::readme::package::{IntegrationPackage, template_sections};
use crate::readme::rules::{self, RULE_DISCLOSURE};
use crate::readme::validate::{
    DocumentProfile, Issue, IssueSeverity, ValidationOptions, ValidationSubject, feedback_line, validate,
};

/// Validators whose findings the critic by rules judges by: style, voice and quality (SEC-83).
const JUDGED: &[&str] = &["style", "quality", "accessibility"];

/// Writes a section from the facts of the package. A section that the template does not have keeps its text. Preserved blocks of the earlier
/// text are kept at the end.
pub fn write_section(task: &SectionTask, package: &IntegrationPackage) -> String {
    let template = template_sections(package);
    let known = template.iter().find(|section| section.title.eq_ignore_ascii_case(&task.title));
    let Some(section) = known else { return task.existing.clone() };
    let mut text = rules::write_section(package, section).markdown;
    for block in preserve_blocks(&task.existing) {
        if !text.contains(&block.text) {
            text = format!("{}\n\n{}\n", text.trim_end(), block.text.trim_end());
        }
    }
    text
}

/// Judges a text by the style rules: ten points, less two for each blocking fault and a half for each other one.
pub fn criticise(
    text: &str,
    section: Option<&str>,
    profile: SectionsProfile,
    package: &IntegrationPackage,
) -> CriticVerdict {
    let (profile, package) = match profile {
        SectionsProfile::Package => (DocumentProfile::Package, Some(package)),
        SectionsProfile::Readme => (DocumentProfile::Readme, None),
    };
    let options = ValidationOptions::default();
    let validations = validate(&ValidationSubject { text, section, package, options: &options }, profile);
    let judged = validations.iter().filter(|validation| JUDGED.contains(&validation.validator.as_str()));
    let issues: Vec<&Issue> = judged.flat_map(|validation| &validation.issues).collect();
    let halves = |issue: &&Issue| if issue.severity == IssueSeverity::Minor { 1 } else { 4 };
    let lost: u8 = issues.iter().map(halves).fold(0, u8::saturating_add) / 2;
    let score = 10_u8.saturating_sub(lost).max(1);
    // Minor faults of a text without a reviser are reported, and do not keep it from publication.
    let is_approved = score >= APPROVAL_SCORE || issues.iter().all(|issue| !issue.is_blocking());
    CriticVerdict { score, is_approved, feedback: issues.into_iter().map(feedback_line).collect() }
}

/// Replaces the note about a model below the title by the note about rules.
pub fn disclose(document: &str) -> String {
    document.replacen(DISCLOSURE, RULE_DISCLOSURE, 1)
}
