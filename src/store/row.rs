//! A checkpoint as the memory store keeps it: without what equals the one before, and without an allocation of its own.

use std::sync::Arc;

use serde_json::value::RawValue;
use smallvec::SmallVec;

use super::lineage::Place;
use crate::engine::{
    Checkpoint, Commit, Digest, FORMAT, JoinProgress, Namespace, PlannedRef, PlannedTask, Rare, Seq, Source,
    Write, WriteRef,
};

/// A checkpoint.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) seq: Seq,
    pub(super) parent: Option<Seq>,
    pub(super) snapshot: Option<Box<RawValue>>,
    step: u64,
    source: Source,
    at_ms: u64,
    origin: Arc<Origin>,
    writes: SmallVec<[Write; 1]>,
    next: SmallVec<[PlannedTask; 1]>,
    joins: Vec<JoinProgress>,
    rare: Option<Box<Rare>>,
}

/// What all checkpoints of a run have in common.
#[derive(Debug)]
struct Origin {
    format: u32,
    namespace: Namespace,
    name: Arc<str>,
    graph: Digest,
    schema: Digest,
}

impl Row {
    /// Keeps a commit that follows `last`.
    pub(super) fn of(commit: &Commit<'_>, last: Option<&Self>) -> Self {
        let same = last.filter(|last| last.origin.is_of(commit));
        let origin = same.map_or_else(|| Arc::new(Origin::of(commit)), |last| last.origin.clone());
        Self {
            seq: commit.seq,
            parent: commit.parent,
            snapshot: commit.snapshot.map(ToOwned::to_owned),
            step: commit.step,
            source: commit.source,
            at_ms: commit.at_ms,
            origin,
            writes: commit.writes.iter().map(WriteRef::to_write).collect(),
            next: commit.next.iter().map(PlannedRef::to_task).collect(),
            joins: commit.joins.to_vec(),
            rare: commit.rare.map(|rare| Box::new(rare.clone())),
        }
    }

    /// The checkpoint, as readers get it.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            format: self.origin.format,
            seq: self.seq,
            parent: self.parent,
            namespace: self.origin.namespace.clone(),
            step: self.step,
            source: self.source,
            at_ms: self.at_ms,
            name: self.origin.name.clone(),
            graph: self.origin.graph,
            schema: self.origin.schema,
            writes: self.writes.to_vec(),
            snapshot: self.snapshot.clone(),
            next: self.next.to_vec(),
            joins: self.joins.clone(),
            rare: self.rare.clone(),
        }
    }

    /// Where it stands.
    pub(super) fn place(&self) -> Place {
        Place { seq: self.seq, parent: self.parent, snapshot: self.snapshot.is_some() }
    }

    /// The bytes of state and updates held.
    pub(super) fn bytes(&self) -> usize {
        let updates: usize = self.writes.iter().map(|write| write.update.get().len()).sum();
        updates + self.snapshot.as_ref().map_or(0, |state| state.get().len())
    }
}

impl From<&Checkpoint> for Row {
    fn from(checkpoint: &Checkpoint) -> Self {
        Self {
            seq: checkpoint.seq,
            parent: checkpoint.parent,
            snapshot: checkpoint.snapshot.clone(),
            step: checkpoint.step,
            source: checkpoint.source,
            at_ms: checkpoint.at_ms,
            origin: Arc::new(Origin {
                format: checkpoint.format,
                namespace: checkpoint.namespace.clone(),
                name: checkpoint.name.clone(),
                graph: checkpoint.graph,
                schema: checkpoint.schema,
            }),
            writes: checkpoint.writes.iter().cloned().collect(),
            next: checkpoint.next.iter().cloned().collect(),
            joins: checkpoint.joins.clone(),
            rare: checkpoint.rare.clone(),
        }
    }
}

impl Origin {
    fn of(commit: &Commit<'_>) -> Self {
        Self {
            format: FORMAT,
            namespace: commit.namespace.clone(),
            name: commit.name.clone(),
            graph: commit.graph,
            schema: commit.schema,
        }
    }

    fn is_of(&self, commit: &Commit<'_>) -> bool {
        Arc::ptr_eq(&self.name, commit.name)
            && (self.graph, self.schema, self.format) == (commit.graph, commit.schema, FORMAT)
            && self.namespace == *commit.namespace
    }
}
