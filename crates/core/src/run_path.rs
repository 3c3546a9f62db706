//! The path of a run, for drawings: which nodes ran, how often and how long, from where to where, and where it stands. Pure:
//! computed from the history of a thread, so that any process can show it, also while the thread runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::checkpoint::{Checkpoint, Record, Source, TaskEntry, TaskRecord, last_ends, open_questions};
use super::contract::HistoryEntry;
use super::draft::{END, START};
use super::id::{Seq, ThreadId};
use super::inner_log::{checkpoints, inner_calls, inner_log};

/// What a thread did until one of its checkpoints. Nodes are written as in the drawings: `outer/inner` for those of sub-graphs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunPath {
    /// The thread.
    pub thread: ThreadId,
    /// The checkpoint at which it is looked at.
    pub checkpoint: Seq,
    /// How many supersteps were done.
    pub steps: u64,
    /// From the first checkpoint to this one, in milliseconds. The time in which the run was stopped or waited counts.
    pub total_ms: u64,
    /// Where it stands: the gravest of what its nodes say.
    pub standing: Standing,
    /// What is known about each node that ran or runs next.
    pub visits: BTreeMap<String, Visit>,
    /// How often a run went from one place to another; the places may be `START` and `END`. Of tasks that ran at once every
    /// pair counts, also where the graph has no such edge.
    pub moves: BTreeMap<String, BTreeMap<String, u64>>,
}

/// What a run did at one node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Visit {
    /// How many tasks of it finished.
    pub count: u64,
    /// How long all its supersteps took, in milliseconds, from checkpoint to checkpoint.
    pub total_ms: u64,
    /// How long the last one took, in milliseconds.
    pub last_ms: u64,
    /// Whether it has something to do.
    pub standing: Standing,
    /// How many times its error handler took over.
    #[serde(skip_serializing_if = "is_zero")]
    pub caught: u64,
    /// The error that ended its last attempt, or that its error handler took over last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Whether something is to be done at a place, from the least to the most urgent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing is left to do.
    #[default]
    Done,
    /// Nothing is left to do, but it failed, and its error handler took over.
    Caught,
    /// It runs, or runs next.
    Next,
    /// It waits for an answer.
    Waits,
    /// It failed.
    Failed,
}

/// Whether the tasks around a graph still count on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    UnderWay,
    /// Their superstep was committed: whatever it left undone is not done any more.
    Over,
}

impl RunPath {
    /// The path to the newest of these checkpoints, which are a thread's history in any order. What a fork left behind, and
    /// what was pruned, is no part of it. None when there is no checkpoint.
    pub fn of(thread: &ThreadId, history: &[HistoryEntry]) -> Option<Self> {
        let by_seq: BTreeMap<Seq, &HistoryEntry> =
            history.iter().map(|entry| (entry.checkpoint.seq, entry)).collect();
        let outermost = |entry: &&&HistoryEntry| entry.checkpoint.namespace.is_root();
        let tip = by_seq.values().rev().find(outermost)?;
        Self::until(thread, &by_seq, tip)
    }

    /// The path of a graph inside a task, according to its log there.
    fn inside(thread: &ThreadId, log: &[Record]) -> Option<Self> {
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
        Self::until(thread, &by_seq, entries.last()?)
    }

    fn until(thread: &ThreadId, by_seq: &BTreeMap<Seq, &HistoryEntry>, tip: &HistoryEntry) -> Option<Self> {
        let chain = chain(by_seq, &tip.checkpoint);
        let first = chain.first()?;
        let mut path = Self {
            thread: thread.clone(),
            checkpoint: tip.checkpoint.seq,
            steps: tip.checkpoint.step,
            total_ms: tip.checkpoint.at_ms.saturating_sub(first.at_ms),
            standing: Standing::Done,
            visits: BTreeMap::new(),
            moves: BTreeMap::new(),
        };
        if first.source == Source::Input {
            path.step_to(&[START], first);
        }
        for pair in chain.windows(2) {
            path.follow(pair[0], pair[1]);
            path.catch(by_seq[&pair[0].seq]);
            path.enter(by_seq[&pair[0].seq], Inside::Over);
        }
        path.stand(tip);
        path.catch(tip);
        path.enter(tip, Inside::UnderWay);
        Some(path)
    }

    /// Notes which of the tasks that a checkpoint planned were left to their error handlers.
    fn catch(&mut self, entry: &HistoryEntry) {
        for TaskRecord { task, entry: record } in &entry.tasks {
            let TaskEntry::Caught { error, .. } = record else { continue };
            let planned = usize::try_from(task.index).ok().and_then(|at| entry.checkpoint.next.get(at));
            let Some(planned) = planned else { continue };
            let visit = self.visits.entry(planned.node.as_ref().to_owned()).or_default();
            visit.caught += 1;
            visit.standing = visit.standing.max(Standing::Caught);
            // The failure of the handler itself says more.
            if visit.standing != Standing::Failed {
                visit.error = Some(error.clone());
            }
        }
    }

    /// What was done inside the tasks that a checkpoint planned.
    fn enter(&mut self, entry: &HistoryEntry, standing: Inside) {
        for (task, key) in inner_calls(&entry.tasks) {
            let planned = usize::try_from(task.index).ok().and_then(|at| entry.checkpoint.next.get(at));
            let inside = Self::inside(&self.thread, &inner_log(&entry.tasks, task, &key));
            if let (Some(planned), Some(inside)) = (planned, inside) {
                self.take_in(&planned.node, inside, standing);
            }
        }
    }

    /// Adds the path of a graph inside a node.
    fn take_in(&mut self, node: &str, inside: Self, standing: Inside) {
        let path = |name: String| format!("{node}/{name}");
        for (name, visit) in inside.visits {
            let known = self.visits.entry(path(name)).or_default();
            known.count += visit.count;
            known.total_ms += visit.total_ms;
            known.last_ms = visit.last_ms;
            if visit.caught > 0 {
                known.caught += visit.caught;
                known.standing = known.standing.max(Standing::Caught);
                known.error.clone_from(&visit.error);
            }
            if standing == Inside::UnderWay {
                known.standing = known.standing.max(visit.standing);
                known.error = visit.error.or(known.error.take());
            }
        }
        for (from, targets) in inside.moves {
            let moves = self.moves.entry(path(from)).or_default();
            targets.into_iter().for_each(|(to, count)| *moves.entry(path(to)).or_default() += count);
        }
    }

    /// From one checkpoint to the next.
    fn follow(&mut self, before: &Checkpoint, after: &Checkpoint) {
        match after.source {
            Source::Loop => {
                let elapsed = after.at_ms.saturating_sub(before.at_ms);
                let ran = names(before);
                let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
                ran.iter().for_each(|node| *counted.entry(node).or_default() += 1);
                for (node, count) in &counted {
                    let visit = self.visits.entry((*node).to_owned()).or_default();
                    visit.count += count;
                    visit.total_ms += elapsed;
                    visit.last_ms = elapsed;
                }
                self.step_to(&counted.into_keys().collect::<Vec<_>>(), after);
            }
            Source::Input => self.step_to(&[START], after),
            // What was planned before stays planned; only what follows the author of the update is new.
            Source::Update => {
                let authors: Vec<&str> = after.writes.iter().map(|write| write.node.as_ref()).collect();
                let planned = names(before);
                let new = names(after).into_iter().filter(|node| !planned.contains(node));
                self.moved(&authors, new);
            }
            Source::Fork => {}
        }
    }

    fn step_to(&mut self, from: &[&str], after: &Checkpoint) {
        let next = names(after);
        if next.is_empty() {
            return self.moved(from, std::iter::once(END));
        }
        self.moved(from, next.into_iter());
    }

    fn moved<'a>(&mut self, from: &[&str], to: impl Iterator<Item = &'a str>) {
        let mut to: Vec<&str> = to.collect();
        to.sort_unstable();
        to.dedup();
        for from in from {
            let moves = self.moves.entry((*from).to_owned()).or_default();
            to.iter().for_each(|to| *moves.entry((*to).to_owned()).or_default() += 1);
        }
    }

    /// What is left to do after the last checkpoint.
    fn stand(&mut self, tip: &HistoryEntry) {
        let ends = last_ends(&tip.tasks);
        let open = open_questions(&tip.tasks);
        for (at, task) in tip.checkpoint.next.iter().enumerate() {
            let visit = self.visits.entry(task.node.as_ref().to_owned()).or_default();
            let this = |index: u32| usize::try_from(index).is_ok_and(|index| index == at);
            let end = ends.iter().find(|(task, _)| this(task.index)).map(|(_, end)| *end);
            let standing = match end {
                Some(TaskEntry::Finished { .. }) => {
                    visit.count += 1;
                    Standing::Done
                }
                Some(TaskEntry::Failed { error, .. }) => {
                    visit.error = Some(error.clone());
                    Standing::Failed
                }
                _ if open.iter().any(|question| this(question.task.index)) => Standing::Waits,
                _ => Standing::Next,
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

/// From the oldest ancestor that is still there to `tip`.
fn chain<'a>(by_seq: &BTreeMap<Seq, &'a HistoryEntry>, tip: &'a Checkpoint) -> Vec<&'a Checkpoint> {
    let mut chain = vec![tip];
    let mut at = tip;
    while let Some(parent) = at.parent.and_then(|seq| by_seq.get(&seq)) {
        // A log that was tampered with may have a circle.
        if parent.checkpoint.seq >= at.seq {
            break;
        }
        at = &parent.checkpoint;
        chain.push(at);
    }
    chain.reverse();
    chain
}

fn names(checkpoint: &Checkpoint) -> Vec<&str> {
    checkpoint.next.iter().map(|task| task.node.as_ref()).collect()
}
