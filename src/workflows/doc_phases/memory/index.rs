//! The index of a memory (DOC-87, 88). All of it but the progress of phases is derived from the entries, so an index that disagrees
//! with them is rebuilt. Touches no file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::EntryRecord;
use super::types::{Entry, EntryType};
use crate::workflows::timestamp::Timestamp;

/// Format version of the memory's files.
pub const INDEX_VERSION: &str = "1.0";

/// All entries of the agent's memory with their histories, by type and then by id.
pub(super) type Records = BTreeMap<EntryType, BTreeMap<String, EntryRecord>>;

/// Summary of the agent's memory: phases, ids of components and concerns, and counts. The content of
/// `index.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryIndex {
    /// Format version, [`INDEX_VERSION`].
    pub version: String,
    /// Current phase, or the last one.
    pub current_phase: Option<String>,
    /// Progress of each phase.
    pub phase_progress: BTreeMap<String, Value>,
    /// Ids of the components that have an entry or are in the overview's boundaries.
    pub components_discovered: BTreeSet<String>,
    /// Ids of the explored components.
    pub components_explored: BTreeSet<String>,
    /// Ids of the concerns.
    pub cross_cutting_found: BTreeSet<String>,
    /// Number of files with an entry.
    pub file_count: usize,
    /// Time of the last change.
    pub last_updated: Timestamp,
}

/// Progress of the phases: the part of the index that cannot be derived from the entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PhaseProgress {
    pub(super) current_phase: Option<String>,
    /// Progress of each phase.
    pub(super) by_phase: BTreeMap<String, Value>,
    /// Time of the last change.
    pub(super) changed: Timestamp,
}

impl PhaseProgress {
    pub(super) fn from_index(index: MemoryIndex) -> Self {
        let MemoryIndex { current_phase, phase_progress, last_updated, .. } = index;
        Self { current_phase, by_phase: phase_progress, changed: last_updated }
    }
}

impl MemoryIndex {
    /// Computes the index from the entries and the progress of the phases. Discovered components are those
    /// with an entry and those that the overview names.
    pub(super) fn from_records(records: &Records, progress: &PhaseProgress) -> Self {
        let of = |kind: EntryType| records.get(&kind).into_iter().flatten();
        let explored = of(EntryType::Component).filter(|(_, record)| record.is_explored());
        let boundaries = of(EntryType::Architecture).flat_map(|(_, record)| match &record.entry {
            Entry::Architecture(overview) => overview.component_boundaries.keys().cloned().collect(),
            _ => Vec::new(),
        });
        let ids = |kind| of(kind).map(|(id, _)| id.clone());
        let last = EntryType::ALL
            .iter()
            .flat_map(|kind| of(*kind))
            .map(|(_, record)| record.history.last_event())
            .max();
        Self {
            version: INDEX_VERSION.to_owned(),
            current_phase: progress.current_phase.clone(),
            phase_progress: progress.by_phase.clone(),
            components_discovered: ids(EntryType::Component).chain(boundaries).collect(),
            components_explored: explored.map(|(id, _)| id.clone()).collect(),
            cross_cutting_found: ids(EntryType::CrossCutting).collect(),
            file_count: of(EntryType::File).count(),
            last_updated: progress.changed.max(last.unwrap_or_default()),
        }
    }
}
