//! The section of a scope: what the tracks found about it.

use serde::{Deserialize, Serialize};

use crate::workflows::explore::agents::AgentId;

/// The section of a scope. Its texts are safe in Markdown and have their places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeSection {
    /// Path of the folder or module; empty for the files beside all others.
    pub path: String,
    /// The path as a reader finds it.
    pub title: String,
    /// Its source files that are in no other section, sorted.
    pub files: Vec<String>,
    /// Its stated purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Purposes of its files, the most central first.
    #[serde(default)]
    pub described_files: Vec<String>,
    /// Public definitions, the most important first.
    #[serde(default)]
    pub interface: Vec<String>,
    /// Names that it defines, for the relevance of findings.
    #[serde(default)]
    pub names: Vec<String>,
    /// Other scopes that it needs.
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

/// A finding of an agent in the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionNote {
    /// The topic.
    pub topic: String,
    /// The finding.
    pub content: String,
    /// The agent that wrote it.
    pub author: AgentId,
}
