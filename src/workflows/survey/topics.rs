//! Sections of the documentation: which of them tell about the code.

/// Words of headings that tell how the code works or is used.
const INNER: &[&str] = &[
    "architecture",
    "design",
    "internals",
    "how it works",
    "overview",
    "concept",
    "configuration",
    "environment",
    "usage",
    "development",
    "structure",
    "protocol",
    "api",
    "database",
    "migration",
    "extend",
    "debug",
    "test",
    "performance",
    "security",
    "error",
];

/// Returns true for the title of a section that tells how the code works or is used.
pub(crate) fn is_about_code(title: &str) -> bool {
    let lower = title.to_lowercase();
    INNER.iter().any(|word| lower.contains(word))
}

/// Returns true for the title of a list of headings, or of a section whose sentences stand elsewhere in the text.
pub(crate) fn is_told_elsewhere(title: &str) -> bool {
    let lower = title.to_lowercase();
    lower.contains("limitation")
        || matches!(lower.as_str(), "menu" | "contents" | "table of contents" | "index")
}
