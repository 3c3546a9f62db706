//! The table of all rules, with severity, markdownlint id and profile. Validators refer to their rules by
//! id only.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{DocumentProfile, IssueSeverity};

/// A rule of the validators: it names one kind of fault, and the severity of the issues that report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidationRule {
    /// Id: name of the validator, `/`, name of the rule, such as `structure/level-jump`.
    pub id: &'static str,
    /// Severity of its issues. Issues of `service-info-link` may have another one.
    pub severity: IssueSeverity,
    /// Id of the same rule in markdownlint; `None` if it has none.
    pub markdownlint: Option<&'static str>,
    /// Profiles in which the rule is checked.
    pub profile: RuleProfile,
    /// Description of the fault, in one line.
    pub about: &'static str,
}

/// The profiles of documents in which a rule is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleProfile {
    /// Documents of integration packages only.
    Package,
    /// READMEs of any project only.
    Readme,
    /// Both.
    Both,
}

impl ValidationRule {
    /// Returns true if the rule is checked for documents of this profile.
    pub fn applies_to(&self, profile: DocumentProfile) -> bool {
        match self.profile {
            RuleProfile::Both => true,
            RuleProfile::Package => profile == DocumentProfile::Package,
            RuleProfile::Readme => profile == DocumentProfile::Readme,
        }
    }

    /// Returns the rule with this id; `None` if there is none.
    pub fn find(id: &str) -> Option<&'static ValidationRule> {
        static BY_ID: LazyLock<BTreeMap<&str, &ValidationRule>> =
            LazyLock::new(|| RULES.iter().map(|rule| (rule.id, rule)).collect());
        BY_ID.get(id).copied()
    }
}

/// Returns all rules, in the order of the validators.
pub fn rules() -> &'static [ValidationRule] {
    RULES
}

const fn rule(
    id: &'static str,
    severity: IssueSeverity,
    markdownlint: Option<&'static str>,
    profile: RuleProfile,
    about: &'static str,
) -> ValidationRule {
    ValidationRule { id, severity, markdownlint, profile, about }
}

#[rustfmt::skip]
static RULES: &[ValidationRule] = &[
    rule("structure/missing-section", IssueSeverity::Critical, Some("MD043"), RuleProfile::Package, "A section of the template is missing"),
    rule("structure/missing-part", IssueSeverity::Major, Some("MD043"), RuleProfile::Package, "A part of a section (level 3) that the template has is missing"),
    rule("structure/no-headings", IssueSeverity::Critical, None, RuleProfile::Both, "The text has no headings"),
    rule("structure/multiple-titles", IssueSeverity::Critical, Some("MD025"), RuleProfile::Both, "A second heading of level 1"),
    rule("structure/duplicate-section", IssueSeverity::Critical, Some("MD024"), RuleProfile::Both, "Two sections of level 2 with the same title; in a README two siblings"),
    rule("structure/first-heading", IssueSeverity::Major, Some("MD041"), RuleProfile::Both, "The first heading is not of level 1"),
    rule("structure/level-jump", IssueSeverity::Major, Some("MD001"), RuleProfile::Both, "A heading is more than one level below the one before it"),
    rule("structure/repeated-part", IssueSeverity::Major, None, RuleProfile::Package, "The same title of level 3 more than three times"),
    rule("structure/empty-code-block", IssueSeverity::Critical, None, RuleProfile::Both, "A code block without content"),
    rule("structure/fence-language", IssueSeverity::Minor, Some("MD040"), RuleProfile::Both, "The opening fence names no language"),
    rule("structure/broken-link", IssueSeverity::Major, None, RuleProfile::Both, "A blank between the two parts of a link: `] (`"),
    rule("structure/broken-anchor", IssueSeverity::Critical, Some("MD051"), RuleProfile::Both, "A link to a heading or anchor that the text does not have"),
    rule("structure/internal-scheme", IssueSeverity::Critical, None, RuleProfile::Package, "A link with a scheme that only a documentation build resolves"),
    rule("structure/api-usage", IssueSeverity::Minor, None, RuleProfile::Package, "The integration calls an API, and no part describes its use"),
    rule("structure/unclosed-fence", IssueSeverity::Major, None, RuleProfile::Both, "A code fence that is never closed"),
    rule("structure/unclosed-preserve", IssueSeverity::Major, None, RuleProfile::Package, "A PRESERVE comment without the other one of its pair"),
    rule("accuracy/title", IssueSeverity::Major, None, RuleProfile::Package, "The title of the package does not occur"),
    rule("accuracy/version", IssueSeverity::Major, None, RuleProfile::Package, "A version of the package that differs from its manifest"),
    rule("accuracy/unknown-field", IssueSeverity::Minor, None, RuleProfile::Package, "A field that neither the package nor ECS defines"),
    rule("completeness/data-stream", IssueSeverity::Critical, None, RuleProfile::Package, "A data stream is not named"),
    rule("completeness/setup-section", IssueSeverity::Critical, None, RuleProfile::Package, "No section describes the set-up"),
    rule("completeness/vendor-steps", IssueSeverity::Major, None, RuleProfile::Package, "No set-up steps for the vendor's product"),
    rule("completeness/kibana-steps", IssueSeverity::Major, None, RuleProfile::Package, "No set-up steps for Kibana"),
    rule("completeness/validation-steps", IssueSeverity::Minor, None, RuleProfile::Package, "The validation lacks the agent status, Discover, the dataset filter or the dashboard"),
    rule("completeness/disclosure", IssueSeverity::Major, None, RuleProfile::Package, "The note about AI is missing, repeated, or not below the title"),
    rule("completeness/reference", IssueSeverity::Major, None, RuleProfile::Package, "No reference section"),
    rule("completeness/tag-placeholder", IssueSeverity::Critical, None, RuleProfile::Package, "A `fields` or `event` tag with a placeholder in place of a data stream"),
    rule("completeness/unknown-stream", IssueSeverity::Major, None, RuleProfile::Package, "A `fields` or `event` tag names a data stream that the package does not have"),
    rule("completeness/missing-fields-tag", IssueSeverity::Major, None, RuleProfile::Package, "A data stream with fields has no `fields` tag"),
    rule("completeness/missing-event-tag", IssueSeverity::Major, None, RuleProfile::Package, "A data stream with a sample event has no `event` tag"),
    rule("completeness/agent-deployment", IssueSeverity::Major, None, RuleProfile::Package, "The deployment names neither Fleet nor adding the integration"),
    rule("completeness/network-advice", IssueSeverity::Minor, None, RuleProfile::Package, "Network inputs, and no word about ports or firewalls"),
    rule("completeness/vendor-troubleshooting", IssueSeverity::Minor, None, RuleProfile::Package, "The troubleshooting does not name the vendor's product"),
    rule("quality/work-in-progress", IssueSeverity::Critical, None, RuleProfile::Both, "A mark of unfinished work"),
    rule("quality/vague-word", IssueSeverity::Minor, None, RuleProfile::Both, "A vague word"),
    rule("quality/passive-voice", IssueSeverity::Minor, None, RuleProfile::Both, "More than ten sentences in the passive voice"),
    rule("quality/short-section", IssueSeverity::Minor, None, RuleProfile::Both, "A section with less than three lines of text and no sub-section"),
    rule("placeholder/informal", IssueSeverity::Critical, None, RuleProfile::Both, "A place that was to be filled in"),
    rule("placeholder/marker-count", IssueSeverity::Major, None, RuleProfile::Package, "The not-available marker more than five times"),
    rule("placeholder/marker-variant", IssueSeverity::Major, None, RuleProfile::Package, "The not-available marker in other words"),
    rule("placeholder/marker-in-code", IssueSeverity::Major, None, RuleProfile::Package, "The not-available marker inside code"),
    rule("placeholder/marker-in-key-section", IssueSeverity::Critical, None, RuleProfile::Package, "The not-available marker in a section that must have content"),
    rule("style/british-spelling", IssueSeverity::Minor, None, RuleProfile::Both, "A British spelling"),
    rule("style/latin-abbreviation", IssueSeverity::Minor, None, RuleProfile::Both, "A Latin abbreviation"),
    rule("style/heading-case", IssueSeverity::Minor, None, RuleProfile::Both, "A heading in title case"),
    rule("style/first-person", IssueSeverity::Minor, None, RuleProfile::Both, "The first person"),
    rule("style/exclamation", IssueSeverity::Minor, None, RuleProfile::Both, "An exclamation mark"),
    rule("accessibility/no-alt-text", IssueSeverity::Critical, Some("MD045"), RuleProfile::Both, "An image without alternative text"),
    rule("accessibility/link-text", IssueSeverity::Critical, Some("MD059"), RuleProfile::Both, "A link text that does not name its target"),
    rule("accessibility/weak-alt-text", IssueSeverity::Major, None, RuleProfile::Both, "An alternative text that does not describe its image"),
    rule("accessibility/direction", IssueSeverity::Major, None, RuleProfile::Both, "A place on the page in place of a name"),
    rule("accessibility/violent-word", IssueSeverity::Major, None, RuleProfile::Both, "A violent word"),
    rule("accessibility/ableist-word", IssueSeverity::Major, None, RuleProfile::Both, "An ableist word"),
    rule("accessibility/gendered-word", IssueSeverity::Minor, None, RuleProfile::Both, "A gendered word"),
    rule("vendor-setup/missing", IssueSeverity::Critical, None, RuleProfile::Package, "The service information has vendor steps, and the document has none"),
    rule("vendor-setup/prerequisites", IssueSeverity::Major, None, RuleProfile::Package, "No prerequisites of the vendor's product"),
    rule("vendor-setup/validation", IssueSeverity::Major, None, RuleProfile::Package, "No validation steps"),
    rule("vendor-setup/kibana-steps", IssueSeverity::Major, None, RuleProfile::Package, "No steps in Kibana"),
    rule("vendor-setup/vendor-links", IssueSeverity::Major, None, RuleProfile::Package, "No link to the vendor's documentation"),
    rule("vendor-setup/bullets", IssueSeverity::Minor, None, RuleProfile::Package, "Steps as bullets in place of numbers"),
    rule("vendor-setup/product-name", IssueSeverity::Minor, None, RuleProfile::Package, "The set-up does not name the product"),
    rule("scaling/missing-section", IssueSeverity::Major, None, RuleProfile::Package, "No section about performance and scaling"),
    rule("scaling/udp-loss", IssueSeverity::Critical, None, RuleProfile::Package, "UDP without a warning of loss or advice to use TCP"),
    rule("scaling/input-missing", IssueSeverity::Major, None, RuleProfile::Package, "An input that the section does not mention"),
    rule("service-info-link/missing-link", IssueSeverity::Major, None, RuleProfile::Package, "A link of the service information is missing; minor outside set-up and documentation sites"),
    rule("advanced-settings/security", IssueSeverity::Critical, None, RuleProfile::Package, "An option that weakens security without a warning"),
    rule("advanced-settings/debug", IssueSeverity::Major, None, RuleProfile::Package, "A debug option without a warning"),
    rule("advanced-settings/tls", IssueSeverity::Major, None, RuleProfile::Package, "TLS options without an explanation"),
    rule("advanced-settings/sensitive", IssueSeverity::Major, None, RuleProfile::Package, "Sensitive values without an explanation"),
    rule("advanced-settings/complex", IssueSeverity::Major, None, RuleProfile::Package, "An option with a complex value without an explanation"),
    rule("urls/dead-link", IssueSeverity::Major, None, RuleProfile::Package, "The page behind a link does not exist"),
    rule("urls/forbidden", IssueSeverity::Minor, None, RuleProfile::Package, "The server refuses to show the page behind a link"),
    rule("urls/placeholder", IssueSeverity::Minor, None, RuleProfile::Package, "A link to a placeholder address"),
    rule("readme/bare-url", IssueSeverity::Minor, Some("MD034"), RuleProfile::Readme, "An address without a link around it"),
    rule("readme/empty-link", IssueSeverity::Major, Some("MD042"), RuleProfile::Readme, "A link without a target"),
    rule("readme/undefined-reference", IssueSeverity::Major, Some("MD052"), RuleProfile::Readme, "A reference link without a definition"),
    rule("readme/missing-file", IssueSeverity::Major, None, RuleProfile::Readme, "A link to a file that the repository does not have"),
    rule("readme/table-columns", IssueSeverity::Minor, Some("MD056"), RuleProfile::Readme, "A row of a table with too many or too few cells"),
];

/// Returns the markdownlint ids that a name in markdownlint's comments and settings stands for: an id
/// (`MD001`), an alias or a tag. Empty for an unknown name.
pub(super) fn markdownlint_ids(name: &str) -> &'static [&'static str] {
    match name.to_ascii_lowercase().as_str() {
        "md001" | "heading-increment" => &["MD001"],
        "md024" | "no-duplicate-heading" => &["MD024"],
        "md025" | "single-title" | "single-h1" => &["MD025"],
        "md034" | "no-bare-urls" | "url" => &["MD034"],
        "md040" | "fenced-code-language" | "language" | "code" => &["MD040"],
        "md041" | "first-line-heading" | "first-line-h1" => &["MD041"],
        "md042" | "no-empty-links" => &["MD042"],
        "md043" | "required-headings" => &["MD043"],
        "md045" | "no-alt-text" => &["MD045"],
        "md051" | "link-fragments" => &["MD051"],
        "md052" | "reference-links-images" => &["MD052"],
        "md056" | "table-column-count" | "table" => &["MD056"],
        "md059" | "descriptive-link-text" => &["MD059"],
        "headings" => &["MD001", "MD024", "MD025", "MD041", "MD043"],
        "accessibility" => &["MD045", "MD059"],
        "images" => &["MD045", "MD052"],
        "links" => &["MD034", "MD042", "MD051", "MD052", "MD059"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shared_id_is_known_by_name_and_every_id_is_unique() {
        for rule in rules() {
            assert_eq!(ValidationRule::find(rule.id), Some(rule), "{}", rule.id);
            if let Some(id) = rule.markdownlint {
                assert_eq!(markdownlint_ids(id), [id]);
            }
        }
    }
}
