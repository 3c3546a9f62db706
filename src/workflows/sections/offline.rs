//! The generator and the critic by rules, for runs without a model: no network, and the same document for
//! the same package.

use super::input::SectionsProfile;
use super::state::{APPROVAL_SCORE, CriticVerdict, SectionTask};
use crate::readme::document::{DISCLOSURE, preserve_blocks};
use crate::readme::package::{IntegrationPackage, template_sections};
use crate::readme::rules::{self, RULE_DISCLOSURE};
use crate::readme::validate::{
    DocumentProfile, Issue, IssueSeverity, ValidationOptions, ValidationSubject, feedback_line, validate,
};

/// Names of the validators whose issues make the verdict of the critic by rules: style, voice and quality
/// (SEC-83).
const JUDGED: &[&str] = &["style", "quality", "accessibility"];

/// Writes a section by rules from the facts of the package. A section that the template does not have keeps
/// its earlier text. Protected blocks of the earlier text are appended if they are missing.
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

/// Judges a text without a model: the score is ten points, minus two for each blocking issue and half a
/// point for each minor one, at least 1. A text without blocking issues is approved at any score.
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

/// Replaces the note that a document was generated with AI by the note that rules generated it.
pub fn disclose(document: &str) -> String {
    document.replacen(DISCLOSURE, RULE_DISCLOSURE, 1)
}
