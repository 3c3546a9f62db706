//! Markdown documents as trees of sections. Positions come from the parser; texts are slices of the source and are never rendered again.

use serde::{Deserialize, Serialize};

/// A Markdown document cut at its headings of level 2 and deeper.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadmeDocument {
    /// Source text before the first section: title, disclosure, introduction. It is not a section (SEC-42).
    pub preamble: String,
    /// Outermost sections in document order.
    pub sections: Vec<DocumentSection>,
}

/// A section of a document. Its whole text is `heading`, `body` and the texts of its children.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DocumentSection {
    /// Plain text of the heading, without markup and line ends.
    pub title: String,
    /// Level of the heading, 2 to 6.
    pub level: u8,
    /// Source lines of the heading with their line ends: one of an ATX heading, two or more of a setext heading.
    pub heading: String,
    /// Source text between the heading and the first sub-section.
    pub body: String,
    /// Sub-sections in document order. A skipped level hangs on the nearest ancestor (SEC-42).
    pub children: Vec<DocumentSection>,
    /// Line of the heading in the parsed document, from 1.
    pub line: usize,
}
