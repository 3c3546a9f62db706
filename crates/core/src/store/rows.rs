//! The checkpoints of a thread as the memory store keeps them: in columns, so that one more of them mostly needs no allocation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::lineage::Place;
use crate::{Checkpoint, Commit, FORMAT, JoinProgress, Json, Origin, PlannedTask, Rare, Seq, Source, Write};

/// How many rows a page has; only the newest may have fewer.
const PAGE: usize = 1024;

/// The checkpoints, sorted by position.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Pages, so that a long thread is never copied to make room.
    pages: Vec<Page>,
    names: Names,
    /// The formats and origins of rows; those that stand together mostly share one.
    origins: Vec<(u32, Arc<Origin>)>,
    /// What few rows have.
    snapshots: BTreeMap<Seq, Box<RawValue>>,
    joins: BTreeMap<Seq, Vec<JoinProgress>>,
    rare: BTreeMap<Seq, Box<Rare>>,
}

/// The columns of some rows.
#[derive(Debug, Clone, Default)]
struct Page {
    list: Vec<Row>,
    /// What the rows wrote, one after the other.
    writes: Vec<Written>,
    /// The updates, one after the other.
    text: Vec<u8>,
    /// What the rows planned, one after the other.
    next: Vec<Name>,
    /// The payloads of what was planned, with the place there, sorted by it.
    items: Vec<(usize, Box<RawValue>)>,
}

#[derive(Debug, Clone)]
struct Row {
    seq: Seq,
    /// The parent, 0 for none.
    parent: Seq,
    step: u64,
    at_ms: u64,
    /// Where its part of each column of the page ends; it begins where that of the row before ends.
    writes_end: usize,
    next_end: usize,
    /// Its place in the column.
    origin: u32,
    source: Source,
}

/// An update: whose, and where it ends in the text.
#[derive(Debug, Clone)]
struct Written {
    end: usize,
    node: Name,
}

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pages.last().map_or(0, |page| (self.pages.len() - 1) * PAGE + page.list.len())
    }

    /// The newest position.
    pub(super) fn head(&self) -> Option<Seq> {
        self.pages.last()?.list.last().map(|row| row.seq)
    }

    /// The place among the rows of the checkpoint at a position.
    pub(super) fn find(&self, seq: Seq) -> Option<usize> {
        let page = self.pages.partition_point(|page| page.list[0].seq <= seq).checked_sub(1)?;
        let row = self.pages[page].list.binary_search_by_key(&seq, |row| row.seq).ok()?;
        Some(page * PAGE + row)
    }

    /// Where the row stands.
    pub(super) fn place(&self, at: usize) -> Place {
        let row = self.row(at);
        Place { seq: row.seq, parent: row.parent(), snapshot: self.snapshots.contains_key(&row.seq) }
    }

    /// The run that wrote the row.
    pub(super) fn run(&self, at: usize) -> u64 {
        self.origin(self.row(at)).1.run
    }

    /// The bytes of state and updates held.
    pub(super) fn bytes(&self) -> usize {
        let updates: usize = self.pages.iter().map(|page| page.text.len()).sum();
        updates + self.snapshots.values().map(|state| state.get().len()).sum::<usize>()
    }

    /// Adds a commit.
    pub(super) fn commit(&mut self, commit: &Commit<'_>) {
        if let Some(state) = commit.snapshot {
            self.snapshots.insert(commit.seq, state.to_owned());
        }
        if !commit.joins.is_empty() {
            self.joins.insert(commit.seq, commit.joins.to_vec());
        }
        if let Some(rare) = commit.rare {
            self.rare.insert(commit.seq, Box::new(rare.clone()));
        }
        if !self.origins.last().is_some_and(|(_, last)| Arc::ptr_eq(last, commit.origin)) {
            self.origins.push((FORMAT, commit.origin.clone()));
        }
        let (page, names, origin) = self.open();
        for write in commit.writes {
            page.write(names.of(write.node), write.update.as_bytes());
        }
        for task in commit.next {
            page.plan(names.of(task.node), task.item.map(ToOwned::to_owned));
        }
        let Commit { seq, parent, step, source, at_ms, .. } = *commit;
        page.end_row(Place { seq, parent, snapshot: false }, step, source, at_ms, origin);
    }

    /// Adds a checkpoint.
    pub(super) fn push(&mut self, checkpoint: Checkpoint) {
        let Checkpoint { seq, parent, step, source, at_ms, .. } = checkpoint;
        self.snapshots.extend(checkpoint.snapshot.map(|state| (seq, state)));
        if !checkpoint.joins.is_empty() {
            self.joins.insert(seq, checkpoint.joins);
        }
        self.rare.extend(checkpoint.rare.map(|rare| (seq, rare)));
        let origin = Origin {
            namespace: checkpoint.namespace,
            run: checkpoint.run,
            name: checkpoint.name,
            graph: checkpoint.graph,
            schema: checkpoint.schema,
        };
        let known =
            |(format, last): &(u32, Arc<Origin>)| (*format, last.as_ref()) == (checkpoint.format, &origin);
        if !self.origins.last().is_some_and(known) {
            self.origins.push((checkpoint.format, Arc::new(origin)));
        }
        let (page, names, origin) = self.open();
        for write in &checkpoint.writes {
            page.write(names.of(&write.node), write.update.get().as_bytes());
        }
        for task in checkpoint.next {
            page.plan(names.of(&task.node), task.item);
        }
        page.end_row(Place { seq, parent, snapshot: false }, step, source, at_ms, origin);
    }

    /// The row as readers get it.
    pub(super) fn checkpoint(&self, at: usize) -> Checkpoint {
        let (page, row) = (&self.pages[at / PAGE], self.row(at));
        let (writes, next) = (at % PAGE).checked_sub(1).map_or((0, 0), |before| {
            let before = &page.list[before];
            (before.writes_end, before.next_end)
        });
        let (format, origin) = self.origin(row);
        Checkpoint {
            format: *format,
            seq: row.seq,
            parent: row.parent(),
            namespace: origin.namespace.clone(),
            run: origin.run,
            step: row.step,
            source: row.source,
            at_ms: row.at_ms,
            name: origin.name.clone(),
            graph: origin.graph,
            schema: origin.schema,
            writes: (writes..row.writes_end).map(|at| page.written(at, &self.names)).collect(),
            snapshot: self.snapshots.get(&row.seq).cloned(),
            next: (next..row.next_end).map(|at| page.planned(at, &self.names)).collect(),
            joins: self.joins.get(&row.seq).cloned().unwrap_or_default(),
            rare: self.rare.get(&row.seq).cloned(),
        }
    }

    /// The page that the next row goes into, and what else its columns need.
    fn open(&mut self) -> (&mut Page, &mut Names, u32) {
        if self.pages.last().is_none_or(|page| page.list.len() == PAGE) {
            self.pages.push(self.pages.last().map_or_else(Page::default, Page::as_large));
        }
        let origin = u32::try_from(self.origins.len() - 1).expect("a thread has fewer than 2^32 runs");
        (self.pages.last_mut().expect("there is one now"), &mut self.names, origin)
    }

    fn row(&self, at: usize) -> &Row {
        &self.pages[at / PAGE].list[at % PAGE]
    }

    fn origin(&self, row: &Row) -> &(u32, Arc<Origin>) {
        &self.origins[row.origin as usize]
    }
}

impl Page {
    /// An empty page with room for as much as this one has.
    fn as_large(&self) -> Self {
        Self {
            list: Vec::with_capacity(PAGE),
            writes: Vec::with_capacity(self.writes.len()),
            text: Vec::with_capacity(self.text.len()),
            next: Vec::with_capacity(self.next.len()),
            items: Vec::with_capacity(self.items.len()),
        }
    }

    fn write(&mut self, node: Name, update: &[u8]) {
        self.text.extend_from_slice(update);
        self.writes.push(Written { node, end: self.text.len() });
    }

    fn plan(&mut self, node: Name, item: Option<Box<RawValue>>) {
        if let Some(item) = item {
            self.items.push((self.next.len(), item));
        }
        self.next.push(node);
    }

    /// Closes a row whose writes and plans have been added.
    fn end_row(&mut self, place: Place, step: u64, source: Source, at_ms: u64, origin: u32) {
        self.list.push(Row {
            seq: place.seq,
            parent: place.parent.unwrap_or(Seq(0)),
            step,
            at_ms,
            writes_end: self.writes.len(),
            next_end: self.next.len(),
            origin,
            source,
        });
    }

    fn written(&self, at: usize, names: &Names) -> Write {
        let from = at.checked_sub(1).map_or(0, |before| self.writes[before].end);
        let Written { node, end } = self.writes[at];
        Write { node: names.get(node), update: Json::written(&self.text[from..end]).to_raw() }
    }

    fn planned(&self, at: usize, names: &Names) -> PlannedTask {
        let item = self.items.binary_search_by_key(&at, |(place, _)| *place).ok();
        PlannedTask { node: names.get(self.next[at]), item: item.map(|at| self.items[at].1.clone()) }
    }
}

impl Row {
    fn parent(&self) -> Option<Seq> {
        (self.parent != Seq(0)).then_some(self.parent)
    }
}

/// The names of nodes, each mostly once.
#[derive(Debug, Clone, Default)]
struct Names(Vec<Arc<str>>);

/// The place of a name among the [`Names`].
type Name = usize;

/// How far back a name is searched for; behind that it is noted again.
const SEARCHED: usize = 64;

impl Names {
    #[inline]
    fn of(&mut self, name: &Arc<str>) -> Name {
        match self.0.as_slice() {
            [.., last] if Arc::ptr_eq(last, name) => self.0.len() - 1,
            _ => self.search(name),
        }
    }

    fn search(&mut self, name: &Arc<str>) -> Name {
        let names = &mut self.0;
        let searched = names.len().saturating_sub(SEARCHED);
        let mut at = names.len();
        while at > searched {
            at -= 1;
            if Arc::ptr_eq(&names[at], name) {
                return at;
            }
        }
        names.push(name.clone());
        names.len() - 1
    }

    fn get(&self, name: Name) -> Arc<str> {
        self.0[name].clone()
    }
}
