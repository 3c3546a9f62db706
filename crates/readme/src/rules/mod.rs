//! Sections of a document written from the facts of a package: no model, nothing invented.

use crate::package::{IntegrationPackage, PackagePlace, TemplateSection};

/// A section that rules wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSection {
    /// Text with its heading.
    pub markdown: String,
    /// Places of its statements in the package, in the order of the text, each once.
    pub sources: Vec<PackagePlace>,
}

/// Writes a section of the template from the facts of a package.
pub fn write_section(package: &IntegrationPackage, section: &TemplateSection) -> RuleSection {
    let _ = package;
    let level = usize::from(section.level.clamp(2, 6));
    RuleSection { markdown: format!("{} {}\n", "#".repeat(level), section.title), sources: Vec::new() }
}
