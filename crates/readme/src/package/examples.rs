//! Example documents for the style of a section, shipped with the crate (SEC-130). Their vendors do not exist.

/// An example document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleDocument {
    /// Name, by which it is asked for.
    pub name: &'static str,
    /// Categories of packages that it fits, as manifests name them.
    pub categories: &'static [&'static str],
    /// Text.
    pub text: &'static str,
}

const EXAMPLES: &[ExampleDocument] = &[];

/// Returns all examples, by name.
pub fn list() -> &'static [ExampleDocument] {
    EXAMPLES
}

/// Returns the example of this name.
pub fn get(name: &str) -> Option<&'static ExampleDocument> {
    EXAMPLES.iter().find(|example| example.name == name)
}
