//! Step `reduce` of a document: the overview before the sections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::imports::{owner_of, owners};
use super::section::ScopeSection;
use crate::workflows::explore::rules::FindingIndex;

/// Overview at the beginning of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentOverview {
    /// Purposes of the repository.
    pub purposes: Vec<String>,
    /// Projects, programs and libraries.
    pub entries: Vec<String>,
    /// Dependencies between sections, the strongest first.
    pub edges: Vec<ScopeEdge>,
}

/// Dependency between two sections, by their positions in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeEdge {
    /// The section that needs the other one.
    pub from: usize,
    /// The needed section.
    pub to: usize,
}

/// Maximum number of dependencies in the drawing.
const EDGES: usize = 60;
/// Maximum number of lines about projects, programs and libraries.
const ENTRIES: usize = 24;

/// Makes the overview of a document with these sections.
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
