//! The path of a run for drawings: the nodes that ran, with counts and times, the moves between them, and the present status. Pure;
//! computed from the history of a thread, so that any process can show it, even while the thread runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::checkpoint::{
    Checkpoint, Record, Source, TaskEntry, TaskRecord, last_end_records, open_questions,
};
use super::contract::HistoryEntry;
use super::draft::{END, START};
use super::id::{Seq, ThreadId};
use super::inner_log::{checkpoints, inner_calls, inner_log};

/// The path of a thread up to one of its checkpoints. Nodes of sub-graphs are written as in drawings: `outer/inner`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// graph.run(Count::default()).thread(thread.clone()).await?;
/// let history = graph.history(&thread, &HistoryQuery::default()).await?;
/// let path = RunPath::of(&thread, &history).ok_or("the thread has a history")?;
/// assert_eq!(path.visits["add"].count, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunPath {
    /// The thread.
    pub thread: ThreadId,
    /// The checkpoint that the path ends at.
    pub checkpoint: Seq,
    /// Number of supersteps done.
    pub steps: u64,
    /// Time from the first checkpoint to this one, in milliseconds, including the time in which the run was stopped or waited.
    pub total_ms: u64,
    /// Status of the run: the most urgent status of its nodes.
    pub standing: VisitStatus,
    /// The nodes that ran or run next, by name.
    pub visits: BTreeMap<String, NodeVisits>,
    /// Number of moves by source and target, which may be `START` and `END`. Tasks that ran together count as moves to all next nodes, even
    /// where the graph has no such edge.
    pub moves: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The visits of a run to one node: their number, times, status and error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NodeVisits {
    /// Number of its finished tasks.
    pub count: u64,
    /// Total time of its supersteps from checkpoint to checkpoint, in milliseconds.
    pub total_ms: u64,
    /// Time of its last superstep, in milliseconds.
    pub last_ms: u64,
    /// Status of the node.
    pub standing: VisitStatus,
    /// Number of times that its error handler took over.
    #[serde(skip_serializing_if = "is_zero")]
    pub caught: u64,
    /// The error of its last attempt, or the last one that its error handler took over; `None` without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The status of a node or run, from the least to the most urgent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitStatus {
    /// It has nothing left to do.
    #[default]
    Done,
    /// It has nothing left to do, after its error handler took over.
    Caught,
    /// It runs now or next.
    Next,
    /// It waits for an answer.
    Waits,
    /// It failed.
    Failed,
}

/// The state of the superstep that a graph inside a task belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OuterStep {
    Open,
    /// It was committed, so the unfinished work of the graph will not be done.
    Committed,
}

impl RunPath {
    /// Returns the path to the newest checkpoint of `history`, which may be in any order. Branches left behind by a fork and pruned
    /// checkpoints are not part of it. Returns `None` for an empty history.
    pub fn of(thread: &ThreadId, history: &[HistoryEntry]) -> Option<Self> {
        let by_seq: BTreeMap<Seq, &HistoryEntry> =
            history.iter().map(|entry| (entry.checkpoint.seq, entry)).collect();
        let outermost = |entry: &&&HistoryEntry| entry.checkpoint.namespace.is_root();
        let tip = by_seq.values().rev().find(outermost)?;
        Self::build(thread, &by_seq, tip)
    }

    /// Returns the path of a graph inside a task, from its log.
    fn of_inner_log(thread: &ThreadId, log: &[Record]) -> Option<Self> {
        let mut tasks: BTreeMap<Seq, Vec<TaskRecord>> = BTreeMap::new();
        for record in log {
            if let Record::Task(record) = record {
                tasks.entry(record.task.base).or_default().push(record.clone());
            }
        }
        let entry = |checkpoint: &Arc<Checkpoint>| HistoryEntry {
            checkpoint: checkpoint.clone(),
            tasks: tasks.remove(&checkpoint.seq).unwrap_or_default(),
        };
        let entries: Vec<HistoryEntry> = checkpoints(log).map(entry).collect();
        let by_seq = entries.iter().map(|entry| (entry.checkpoint.seq, entry)).collect();
        Self::build(thread, &by_seq, entries.last()?)
    }

    fn build(thread: &ThreadId, by_seq: &BTreeMap<Seq, &HistoryEntry>, tip: &HistoryEntry) -> Option<Self> {
        let chain = chain_to(by_seq, &tip.checkpoint);
        let first = chain.first()?;
        let mut path = Self {
            thread: thread.clone(),
            checkpoint: tip.checkpoint.seq,
            steps: tip.checkpoint.step,
            total_ms: tip.checkpoint.at_ms.saturating_sub(first.at_ms),
            standing: VisitStatus::Done,
            visits: BTreeMap::new(),
            moves: BTreeMap::new(),
        };
        if first.source == Source::Input {
            path.count_moves_to_next(&[START], first);
        }
        for pair in chain.windows(2) {
            path.follow(pair[0], pair[1]);
            path.note_caught(by_seq[&pair[0].seq]);
            path.add_inner_paths(by_seq[&pair[0].seq], OuterStep::Committed);
        }
        path.note_planned(tip);
        path.note_caught(tip);
        path.add_inner_paths(tip, OuterStep::Open);
        Some(path)
    }

    /// Counts those tasks planned by a checkpoint whose error handler took over, and keeps their errors.
    fn note_caught(&mut self, entry: &HistoryEntry) {
        for TaskRecord { task, entry: record } in &entry.tasks {
            let TaskEntry::Caught { error, .. } = record else { continue };
            let planned = usize::try_from(task.index).ok().and_then(|at| entry.checkpoint.next.get(at));
            let Some(planned) = planned else { continue };
            let visit = self.visits.entry(planned.node.as_ref().to_owned()).or_default();
            visit.caught += 1;
            visit.standing = visit.standing.max(VisitStatus::Caught);
            // Kept when the handler failed as well, because its error says more.
            if visit.standing != VisitStatus::Failed {
                visit.error = Some(error.clone());
            }
        }
    }

    /// Adds the paths of the graphs inside the tasks that a checkpoint planned. `standing` tells if their
    /// superstep was committed.
    fn add_inner_paths(&mut self, entry: &HistoryEntry, standing: OuterStep) {
        for (task, key) in inner_calls(&entry.tasks) {
            let planned = usize::try_from(task.index).ok().and_then(|at| entry.checkpoint.next.get(at));
            let inside = Self::of_inner_log(&self.thread, &inner_log(&entry.tasks, task, &key));
            if let (Some(planned), Some(inside)) = (planned, inside) {
                self.merge_inner(&planned.node, inside, standing);
            }
        }
    }

    /// Adds the path of a graph inside `node`, under names `node/inner`. Its open work counts only while the
    /// outer superstep is open.
    fn merge_inner(&mut self, node: &str, inside: Self, standing: OuterStep) {
        let path = |name: String| format!("{node}/{name}");
        for (name, visit) in inside.visits {
            let known = self.visits.entry(path(name)).or_default();
            known.count += visit.count;
            known.total_ms += visit.total_ms;
            known.last_ms = visit.last_ms;
            if visit.caught > 0 {
                known.caught += visit.caught;
                known.standing = known.standing.max(VisitStatus::Caught);
                known.error.clone_from(&visit.error);
            }
            if standing == OuterStep::Open {
                known.standing = known.standing.max(visit.standing);
                known.error = visit.error.or(known.error.take());
            }
        }
        for (from, targets) in inside.moves {
            let moves = self.moves.entry(path(from)).or_default();
            targets.into_iter().for_each(|(to, count)| *moves.entry(path(to)).or_default() += count);
        }
    }

    /// Adds the step from one checkpoint to its child: the tasks that ran, their time, and the moves to the
    /// next nodes.
    fn follow(&mut self, before: &Checkpoint, after: &Checkpoint) {
        match after.source {
            Source::Loop => {
                let elapsed = after.at_ms.saturating_sub(before.at_ms);
                let ran = planned_names(before);
                let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
                ran.iter().for_each(|node| *counted.entry(node).or_default() += 1);
                for (node, count) in &counted {
                    let visit = self.visits.entry((*node).to_owned()).or_default();
                    visit.count += count;
                    visit.total_ms += elapsed;
                    visit.last_ms = elapsed;
                }
                self.count_moves_to_next(&counted.into_keys().collect::<Vec<_>>(), after);
            }
            Source::Input => self.count_moves_to_next(&[START], after),
            // Earlier plans stay, so only the nodes that follow the author of the update are new.
            Source::Update => {
                let authors: Vec<&str> = after.writes.iter().map(|write| write.node.as_ref()).collect();
                let planned = planned_names(before);
                let new = planned_names(after).into_iter().filter(|node| !planned.contains(node));
                self.count_moves(&authors, new);
            }
            Source::Fork => {}
        }
    }

    fn count_moves_to_next(&mut self, from: &[&str], after: &Checkpoint) {
        let next = planned_names(after);
        if next.is_empty() {
            return self.count_moves(from, std::iter::once(END));
        }
        self.count_moves(from, next.into_iter());
    }

    fn count_moves<'a>(&mut self, from: &[&str], to: impl Iterator<Item = &'a str>) {
        let mut to: Vec<&str> = to.collect();
        to.sort_unstable();
        to.dedup();
        for from in from {
            let moves = self.moves.entry((*from).to_owned()).or_default();
            to.iter().for_each(|to| *moves.entry((*to).to_owned()).or_default() += 1);
        }
    }

    /// Adds the tasks that the last checkpoint plans, each with its status.
    fn note_planned(&mut self, tip: &HistoryEntry) {
        let ends = last_end_records(&tip.tasks);
        let open = open_questions(&tip.tasks);
        for (at, task) in tip.checkpoint.next.iter().enumerate() {
            let visit = self.visits.entry(task.node.as_ref().to_owned()).or_default();
            let this = |index: u32| usize::try_from(index).is_ok_and(|index| index == at);
            let end = ends.iter().find(|(task, _)| this(task.index)).map(|(_, end)| *end);
            let standing = match end {
                Some(TaskEntry::Finished { .. }) => {
                    visit.count += 1;
                    VisitStatus::Done
                }
                Some(TaskEntry::Failed { error, .. }) => {
                    visit.error = Some(error.clone());
                    VisitStatus::Failed
                }
                _ if open.iter().any(|question| this(question.task.index)) => VisitStatus::Waits,
                _ => VisitStatus::Next,
            };
            visit.standing = visit.standing.max(standing);
            self.standing = self.standing.max(standing);
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Returns the checkpoints from the oldest ancestor in `by_seq` to `tip`, each the parent of the next.
fn chain_to<'a>(by_seq: &BTreeMap<Seq, &'a HistoryEntry>, tip: &'a Checkpoint) -> Vec<&'a Checkpoint> {
    let mut chain = vec![tip];
    let mut at = tip;
    while let Some(parent) = at.parent.and_then(|seq| by_seq.get(&seq)) {
        // Stops at a parent that is not older, because a log that was tampered with may have a circle.
        if parent.checkpoint.seq >= at.seq {
            break;
        }
        at = &parent.checkpoint;
        chain.push(at);
    }
    chain.reverse();
    chain
}

fn planned_names(checkpoint: &Checkpoint) -> Vec<&str> {
    checkpoint.next.iter().map(|task| task.node.as_ref()).collect()
}
