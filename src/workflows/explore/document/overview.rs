//! The step `reduce`: what a reader needs before the sections. Purposes, entries, and the dependencies between scopes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::imports::{owner_of, owners};
use super::section::ScopeSection;
use crate::workflows::explore::rules::FindingIndex;

/// The beginning of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentOverview {
    /// Purposes of the repository.
    pub purposes: Vec<String>,
    /// Projects, programs and libraries.
    pub entries: Vec<String>,
    /// Dependencies between sections, the strongest first.
    pub edges: Vec<ScopeEdge>,
}

/// A dependency between two sections, by their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeEdge {
    /// The section that needs the other one.
    pub from: usize,
    /// The needed section.
    pub to: usize,
}

/// Maximum of dependencies of a drawing, and of lines about entries.
const EDGES: usize = 60;
const ENTRIES: usize = 24;

/// Returns the overview of a repository with these sections.
pub fn reduce(index: &FindingIndex, sections: &[ScopeSection]) -> DocumentOverview {
    let owners = owners(sections);
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (from, to, _) in index.edges_shown() {
        if let (Some(from), Some(to)) = (owners.get(from), owner_of(&owners, sections, to))
            && *from != to
        {
            *counts.entry((*from, to)).or_default() += 1;
        }
    }
    let mut edges: Vec<((usize, usize), usize)> = counts.into_iter().collect();
    edges.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    DocumentOverview {
        purposes: index.repository_purposes(),
        entries: index.entries(ENTRIES),
        edges: edges.into_iter().take(EDGES).map(|((from, to), _)| ScopeEdge { from, to }).collect(),
    }
}
