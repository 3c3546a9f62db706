//! Markdown documents as trees of sections. Positions come from the parser; texts are slices of the source and are never rendered again.
//!
//! - [`parse`] and [`parse_all`] cut a text at its headings; [`ReadmeDocument::text`] gives back the same bytes.
//! - [`combine`] joins sections below a title; [`extract_markdown`] takes a section out of a model's answer.
//! - [`preserve_blocks`] are the parts of a text that its owner protects from changes.
//! - [`links`] are the links and images of a text.

mod combine;
mod disclosure;
mod extract;
mod fence;
mod links;
mod preserve;
mod source;
mod tree;

use serde::{Deserialize, Serialize};

pub use combine::{combine, ensure_title};
pub use disclosure::{DISCLOSURE, is_disclosure};
pub use extract::extract_markdown;
pub use links::{DocumentLink, links};
pub use preserve::{PreserveBlock, lost_preserve_blocks, preserve_blocks};
pub use tree::{parse, parse_all};

pub(crate) use fence::{FenceLine, FenceReader};
pub(crate) use links::{LinkReader, find_urls, trim_url};
pub(crate) use preserve::preserve_edges;
pub(crate) use source::{LineTable, MarkdownSource};
pub(crate) use tree::HeadingReader;

/// Body that `combine` gives to a section without content (SEC-50).
pub const NOT_POPULATED: &str = "<!-- NOT POPULATED -->\n*This section is not populated yet.*";

/// Text that a document has in place of a fact that no source states.
pub const NOT_AVAILABLE: &str = "Information not available";

/// A Markdown document as a tree of sections: the text before the first heading, and the sections at the
/// headings. All texts are slices of the source, so that it can be put together again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadmeDocument {
    /// Source text before the first section: title, disclosure, introduction. It is not a section (SEC-42).
    pub preamble: String,
    /// Outermost sections in document order.
    pub sections: Vec<DocumentSection>,
}

/// A section of a Markdown document, with its sub-sections. Its source text is `heading`, `body` and the
/// texts of its children, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DocumentSection {
    /// Plain text of the heading, without markup and line ends.
    pub title: String,
    /// Level of the heading, 2 to 6; also 1 where the document comes from [`parse_all`].
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
