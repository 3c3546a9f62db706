//! The checkpoints of a thread as the memory store keeps them: in columns, so that one more of them mostly needs no allocation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::lineage::Place;
use crate::engine::{
    Checkpoint, Commit, Digest, FORMAT, JoinProgress, Json, Namespace, PlannedTask, Rare, Seq, Source, Write,
};

/// The checkpoints, sorted by position.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    list: Vec<Row>,
    /// What the rows wrote, one after the other.
    writes: Vec<Written>,
    /// The updates, one after the other.
    text: String,
    /// What the rows planned, one after the other.
    next: Vec<PlannedTask>,
    /// What runs of rows have in common.
    origins: Vec<Origin>,
    /// What few rows have.
    snapshots: BTreeMap<Seq, Box<RawValue>>,
    joins: BTreeMap<Seq, Vec<JoinProgress>>,
    rare: BTreeMap<Seq, Box<Rare>>,
}

#[derive(Debug, Clone)]
struct Row {
    seq: Seq,
    parent: Option<Seq>,
    step: u64,
    source: Source,
    at_ms: u64,
    /// Where its part of each column ends; it begins where that of the row before ends.
    writes_end: usize,
    next_end: usize,
    /// Its place in the column.
    origin: usize,
}

/// An update: whose, and where it ends in the text.
#[derive(Debug, Clone)]
struct Written {
    node: Arc<str>,
    end: usize,
}

#[derive(Debug, Clone)]
struct Origin {
    format: u32,
    namespace: Namespace,
    run: u64,
    name: Arc<str>,
    graph: Digest,
    schema: Digest,
}

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The newest position.
    pub(super) fn head(&self) -> Option<Seq> {
        self.list.last().map(|row| row.seq)
    }

    /// The place among the rows of the checkpoint at a position.
    pub(super) fn find(&self, seq: Seq) -> Option<usize> {
        self.list.binary_search_by_key(&seq, |row| row.seq).ok()
    }

    /// Where the row stands.
    pub(super) fn place(&self, at: usize) -> Place {
        let Row { seq, parent, .. } = self.list[at];
        Place { seq, parent, snapshot: self.snapshots.contains_key(&seq) }
    }

    /// The run that wrote the row.
    pub(super) fn run(&self, at: usize) -> u64 {
        self.origins[self.rows[at].origin].run
    }

    /// The bytes of state and updates held.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.snapshots.values().map(|state| state.get().len()).sum::<usize>()
    }

    /// Adds a commit.
    pub(super) fn commit(&mut self, commit: &Commit<'_>) {
        for write in commit.writes {
            self.write(write.node.clone(), write.update.as_str());
        }
        for task in commit.next {
            self.next.push(task.to_task());
        }
        self.add_rare(commit.seq, commit.snapshot.map(ToOwned::to_owned), commit.joins);
        self.rare.extend(commit.rare.map(|rare| (commit.seq, Box::new(rare.clone()))));
        let same = |origin: &Origin| origin.is_of(commit);
        if !self.origins.last().is_some_and(same) {
            self.origins.push(Origin::of(commit));
        }
        self.list.push(Row {
            seq: commit.seq,
            parent: commit.parent,
            step: commit.step,
            source: commit.source,
            at_ms: commit.at_ms,
            writes_end: self.writes.len(),
            next_end: self.next.len(),
            origin: self.origins.len() - 1,
        });
    }

    /// Adds a checkpoint.
    pub(super) fn push(&mut self, checkpoint: Checkpoint) {
        for write in checkpoint.writes {
            self.write(write.node, write.update.get());
        }
        self.next.extend(checkpoint.next);
        self.add_rare(checkpoint.seq, checkpoint.snapshot, &checkpoint.joins);
        self.rare.extend(checkpoint.rare.map(|rare| (checkpoint.seq, rare)));
        self.origins.push(Origin {
            format: checkpoint.format,
            namespace: checkpoint.namespace,
            run: checkpoint.run,
            name: checkpoint.name,
            graph: checkpoint.graph,
            schema: checkpoint.schema,
        });
        self.list.push(Row {
            seq: checkpoint.seq,
            parent: checkpoint.parent,
            step: checkpoint.step,
            source: checkpoint.source,
            at_ms: checkpoint.at_ms,
            writes_end: self.writes.len(),
            next_end: self.next.len(),
            origin: self.origins.len() - 1,
        });
    }

    /// The row as readers get it.
    pub(super) fn checkpoint(&self, at: usize) -> Checkpoint {
        let row = &self.list[at];
        let (writes, next) = at.checked_sub(1).map_or((0, 0), |before| {
            let before = &self.list[before];
            (before.writes_end, before.next_end)
        });
        let origin = &self.origins[row.origin];
        Checkpoint {
            format: origin.format,
            seq: row.seq,
            parent: row.parent,
            namespace: origin.namespace.clone(),
            run: origin.run,
            step: row.step,
            source: row.source,
            at_ms: row.at_ms,
            name: origin.name.clone(),
            graph: origin.graph,
            schema: origin.schema,
            writes: (writes..row.writes_end).map(|at| self.written(at)).collect(),
            snapshot: self.snapshots.get(&row.seq).cloned(),
            next: self.next[next..row.next_end].to_vec(),
            joins: self.joins.get(&row.seq).cloned().unwrap_or_default(),
            rare: self.rare.get(&row.seq).cloned(),
        }
    }

    fn add_rare(&mut self, seq: Seq, snapshot: Option<Box<RawValue>>, joins: &[JoinProgress]) {
        self.snapshots.extend(snapshot.map(|state| (seq, state)));
        if !joins.is_empty() {
            self.joins.insert(seq, joins.to_vec());
        }
    }

    fn write(&mut self, node: Arc<str>, update: &str) {
        self.text.push_str(update);
        self.writes.push(Written { node, end: self.text.len() });
    }

    fn written(&self, at: usize) -> Write {
        let from = at.checked_sub(1).map_or(0, |before| self.writes[before].end);
        let Written { node, end } = &self.writes[at];
        Write { node: node.clone(), update: Json::written(&self.text[from..*end]).to_raw() }
    }
}

impl Origin {
    fn of(commit: &Commit<'_>) -> Self {
        Self {
            format: FORMAT,
            namespace: commit.namespace.clone(),
            run: commit.run,
            name: commit.name.clone(),
            graph: commit.graph,
            schema: commit.schema,
        }
    }

    fn is_of(&self, commit: &Commit<'_>) -> bool {
        Arc::ptr_eq(&self.name, commit.name)
            && (self.run, self.graph, self.schema, self.format)
                == (commit.run, commit.graph, commit.schema, FORMAT)
            && self.namespace == *commit.namespace
    }
}
