//! Validators of documents. Each is a static check with issues that carry lines; some have a prompt for a check by a model, which the
//! caller asks.
//!
//! - [`validators`] are the eleven of integration packages; [`validate`] runs those that a text and a profile need.
//! - [`rules`] are all rules with weight and markdownlint id. Each validator has one file, with its words and tables beside it.
//! - [`Validator::judge`] makes a [`Validation`] of a model's answer.
//! - [`urls`] selects links to fetch and judges the fetched pages; [`best`] compares two versions of a section.

mod accessibility;
mod accuracy;
mod advanced_settings;
pub mod best;
mod completeness;
mod issue;
mod options;
mod page;
mod phrases;
mod placeholder;
mod quality;
mod readme;
mod rule_table;
mod scaling;
mod service_info_link;
mod structure;
mod style;
mod suppress;
mod topics;
pub mod urls;
mod vendor_setup;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::package::IntegrationPackage;
use page::MarkdownPage;

pub use issue::{
    CheckState, Issue, IssueSeverity, IssueSource, Validation, ValidationScope, ValidationStage,
};
pub use options::{FileLookup, MarkdownlintError, ValidationOptions, disabled_by_markdownlint};
pub use rule_table::{RuleProfile, ValidationRule, rules};
pub(crate) use service_info_link::is_local_target;
pub use verdict::{ModelIssue, ModelVerdict, feedback_line};

/// A text to validate, with the package that it documents and the options.
#[derive(Debug, Clone, Copy)]
pub struct ValidationSubject<'a> {
    /// Markdown text.
    pub text: &'a str,
    /// Title of the section that the text is; `None` for a whole document.
    pub section: Option<&'a str>,
    /// The package; without it, checks against a package are left out.
    pub package: Option<&'a IntegrationPackage>,
    /// Options.
    pub options: &'a ValidationOptions,
}

/// The type of a validated document, which decides which validators and rules apply to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentProfile {
    /// Document of an integration package.
    Package,
    /// README of any project.
    Readme,
}

/// A validator: it checks one aspect of a text, such as structure or style, by static rules and reports
/// issues (SEC-89).
#[derive(Debug)]
pub struct Validator {
    /// Name; the first part of the ids of its rules.
    pub name: &'static str,
    /// Stage, which groups its issues.
    pub stage: ValidationStage,
    /// Texts that it can check: sections, documents or both.
    pub scope: ValidationScope,
    /// True if a model can check the same aspect; the caller asks it.
    pub has_model_check: bool,
    check: fn(&MarkdownPage<'_>) -> Vec<Issue>,
    score: fn(&MarkdownPage<'_>, &[Issue]) -> u8,
}

/// Returns the eleven validators of integration packages in the order of a run: first those that also check
/// single sections (SEC-95), then those of whole documents.
pub fn validators() -> &'static [Validator] {
    &VALIDATORS
}

/// Runs the validators that fit the text and the profile, and returns one result for each. For a single
/// section only validators whose scope includes sections run.
pub fn validate(subject: &ValidationSubject<'_>, profile: DocumentProfile) -> Vec<Validation> {
    let page = MarkdownPage::parse(*subject, profile);
    let chosen = VALIDATORS.iter().filter(|validator| match profile {
        DocumentProfile::Package => validator.applies_to(subject),
        DocumentProfile::Readme => {
            README_VALIDATORS.contains(&validator.name) && validator.applies_to(subject)
        }
    });
    let own = (profile == DocumentProfile::Readme).then_some(&README);
    chosen.chain(own).map(|validator| validator.check_page(&page)).collect()
}

impl Validator {
    /// Returns true if the validator's scope includes the text: a section or a whole document (SEC-96).
    pub fn applies_to(&self, subject: &ValidationSubject<'_>) -> bool {
        match self.scope {
            ValidationScope::Both => true,
            ValidationScope::Document => subject.section.is_none(),
            ValidationScope::Section => subject.section.is_some(),
        }
    }

    /// Checks one text of an integration package. For several validators [`validate`] is faster, because it
    /// parses the text once.
    pub fn check(&self, subject: &ValidationSubject<'_>) -> Validation {
        self.check_page(&MarkdownPage::parse(*subject, DocumentProfile::Package))
    }

    fn check_page(&self, page: &MarkdownPage<'_>) -> Validation {
        let mut issues = (self.check)(page);
        issues.retain(|issue| page.is_enabled(issue));
        // A text of a megabyte can have a hundred thousand faults of one kind, which no reader needs and no memory should hold.
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        issues.retain(|issue| {
            let Some(count) = counts.get_mut(&issue.rule) else {
                counts.insert(issue.rule.clone(), 1);
                return true;
            };
            *count += 1;
            *count <= ISSUES_PER_RULE
        });
        let score = (self.score)(page, &issues);
        let mut validation = Validation::from_issues(self.name, issues, score);
        let made: usize = counts.values().map(|count| count.saturating_sub(ISSUES_PER_RULE)).sum();
        let left_out = made + page.take_left_out();
        if left_out > 0 {
            let summary = &validation.summary;
            validation.summary = format!(
                "{summary}; {left_out} more are left out, because a rule shows {ISSUES_PER_RULE} at most"
            );
        }
        validation
    }
}

/// Maximum number of issues of one rule in a validation.
const ISSUES_PER_RULE: usize = 1_000;

/// Names of the validators that also check plain READMEs, with those of their rules that apply there.
const README_VALIDATORS: &[&str] = &["structure", "quality", "style", "accessibility", "placeholder"];

const fn validator(
    name: &'static str,
    stage: ValidationStage,
    scope: ValidationScope,
    check: fn(&MarkdownPage<'_>) -> Vec<Issue>,
) -> Validator {
    Validator { name, stage, scope, has_model_check: true, check, score: score_by_issues }
}

fn score_by_issues(_: &MarkdownPage<'_>, issues: &[Issue]) -> u8 {
    verdict::score_by_severity(issues)
}

static VALIDATORS: [Validator; 11] = {
    use ValidationScope::{Both, Document};
    use ValidationStage::{Accuracy, Completeness, Placeholders, Quality, Structure};
    [
        validator("accuracy", Accuracy, Both, accuracy::check),
        validator("vendor-setup", Accuracy, Both, vendor_setup::check),
        // A link is in the text or not; a model adds nothing.
        Validator {
            score: service_info_link::score,
            has_model_check: false,
            ..validator("service-info-link", Accuracy, Both, service_info_link::check)
        },
        validator("quality", Quality, Both, quality::check),
        validator("style", Quality, Both, style::check),
        validator("accessibility", Quality, Both, accessibility::check),
        validator("placeholder", Placeholders, Both, placeholder::check),
        validator("scaling", Completeness, Both, scaling::check),
        validator("advanced-settings", Completeness, Both, advanced_settings::check),
        validator("structure", Structure, Document, structure::check),
        validator("completeness", Completeness, Document, completeness::check),
    ]
};

static README: Validator = Validator {
    has_model_check: false,
    ..validator("readme", ValidationStage::Structure, ValidationScope::Both, readme::check)
};
