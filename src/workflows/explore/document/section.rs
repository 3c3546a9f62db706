//! Sections of a document: the data about a scope that its steps collect.

use serde::{Deserialize, Serialize};

use crate::workflows::explore::agents::AgentId;

/// Section of a document about one scope. `document::explore` makes it, `enrich` and `merge` add to it,
/// and `render` writes it. Its texts are safe in Markdown and have references to their sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeSection {
    /// Path of the folder or module; empty for the files beside all others.
    pub path: String,
    /// Code span with the folder or file, as readers find it.
    pub title: String,
    /// Its source files that are in no other section, sorted.
    pub files: Vec<String>,
    /// Its stated purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Lines about the purposes of its files, the most central first.
    #[serde(default)]
    pub described_files: Vec<String>,
    /// Lines about public definitions, the most important first.
    #[serde(default)]
    pub interface: Vec<String>,
    /// Names that it defines, by which findings are assigned to it.
    #[serde(default)]
    pub names: Vec<String>,
    /// Lines about other sections that it needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Modules of other projects that it imports.
    #[serde(default)]
    pub imports: Vec<String>,
    /// Environment variables that it reads.
    #[serde(default)]
    pub variables: Vec<String>,
    /// Findings of agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SectionNote>,
}

/// Finding of an agent in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionNote {
    /// The topic.
    pub topic: String,
    /// The finding.
    pub content: String,
    /// The agent that wrote it.
    pub author: AgentId,
}
