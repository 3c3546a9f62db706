//! Writes what a run does to its thread's log: which record, when, how durable. Decides nothing about the graph.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::checkpoint::{Record, TaskEntry, TaskRecord};
use super::commit::Commit;
use super::contract::{Ack, Flush, Lineage, ThreadWriter};
use super::event::EventSink;
use super::id::{Namespace, TaskId, ThreadId};
use super::long_term::LongTermStore;
use super::pulse::Pulse;
use super::stop::Stop;
use super::store_error::StoreError;

/// When a checkpoint must be durable (LangGraph F43).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Durability {
    /// Before the next superstep starts.
    #[default]
    Sync,
    /// While the next supersteps run; at most so many checkpoints behind (D11).
    Async {
        /// The most checkpoints that may wait to become durable.
        max_lag: usize,
    },
    /// One checkpoint, when the run ends, waits or fails.
    Exit,
}

impl Durability {
    /// `Async` with a lag of 64 checkpoints.
    pub const ASYNC: Self = Self::Async { max_lag: 64 };
}

/// What all tasks of a run share.
pub(crate) struct RunShared {
    pub(crate) names: Arc<[Arc<str>]>,
    pub(crate) thread: Option<ThreadId>,
    /// Weak: a task that outlives its run, since it is only now being aborted, must not keep the thread claimed, nor write to it.
    pub(crate) writer: Option<Weak<dyn ThreadWriter>>,
    pub(crate) durability: Durability,
    pub(crate) events: Option<EventSink>,
    pub(crate) stop: Option<Stop>,
    pub(crate) long_term: Option<Arc<dyn LongTermStore>>,
    pub(crate) cache: Option<Arc<dyn LongTermStore>>,
    /// With [`Durability::Exit`], what the tasks of this superstep left: written after the checkpoint that planned them.
    pub(crate) held: Mutex<Vec<TaskRecord>>,
    /// Where in the nesting of sub-graphs the run is.
    pub(crate) namespace: Namespace,
    /// How many graphs are around it.
    pub(crate) depth: usize,
    pub(crate) limits: Limits,
    pub(crate) graph: Arc<str>,
    /// What is known only when it is known where the run starts.
    pub(crate) course: OnceLock<Course>,
    /// Of a graph inside a task: the signs of life of that task.
    pub(crate) pulse: Option<Arc<Pulse>>,
}

/// What is known of a run from its start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Course {
    /// Which run of the thread it is.
    pub(crate) run: u64,
    /// The number of the last superstep that it may run.
    pub(crate) last_step: u64,
}

/// The limits of a run, which graphs inside its tasks have as well, each for itself (F62).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most supersteps.
    pub(crate) steps: u64,
    /// The most tasks under way at once.
    pub(crate) concurrency: usize,
}

impl RunShared {
    /// What is known of the run; nothing before it has started.
    pub(crate) fn course(&self) -> Course {
        self.course.get().copied().unwrap_or_default()
    }

    /// Writes what a task left. Waits until that is as durable as asked for, unless the run's durability is lower.
    pub(crate) async fn task(&self, task: TaskId, entry: TaskEntry, flush: Flush) -> Result<(), StoreError> {
        self.append(task, entry, flush)?.wait().await
    }

    /// The first half of [`task`](Self::task): the record is in the log, if not yet durable, when this returns.
    pub(crate) fn append(&self, task: TaskId, entry: TaskEntry, flush: Flush) -> Result<Ack, StoreError> {
        let Some(writer) = &self.writer else { return Ok(Ack::Done) };
        let record = TaskRecord { task, entry };
        let flush = match self.durability {
            Durability::Exit => {
                self.held.lock().expect("no holder panics").push(record);
                return Ok(Ack::Done);
            }
            Durability::Async { .. } => Flush::Lazy,
            Durability::Sync => flush,
        };
        let writer = writer.upgrade().ok_or_else(|| StoreError::Closed("the run has ended".to_owned()))?;
        writer.append(Record::Task(record), flush)
    }
}

/// Writes the checkpoints of one run.
pub(crate) struct Recorder {
    shared: Arc<RunShared>,
    /// The claim on the thread: it ends with the run.
    writer: Option<Arc<dyn ThreadWriter>>,
    waiting: VecDeque<Ack>,
    spacing: Spacing,
}

/// How a state comes from the one of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follows {
    /// By folding what the checkpoint says was written.
    ByWrites,
    Otherwise,
}

/// Decides where snapshots stand: at geometric distances, so that a log is at most about three times its updates and loading
/// reads at most a few times the state (parity P1).
#[derive(Debug, Clone, Copy)]
struct Spacing {
    /// The text of the updates since the last snapshot, in bytes.
    since: usize,
    /// The checkpoints since then.
    checkpoints: usize,
    /// The text of that snapshot, in bytes.
    snapshot: usize,
    /// The text of all updates up to that snapshot, in bytes.
    before: usize,
    /// How much text stands between that snapshot and the next, in bytes.
    distance: usize,
}

/// A state smaller than this is not worth a snapshot of its own at every step.
const SMALLEST_SPACING: usize = 4096;

/// What a checkpoint costs in a log besides its text, about.
const OVERHEAD: usize = 64;

impl Spacing {
    /// What is after a snapshot, and after so much text of updates before it.
    fn new(snapshot: usize, before: usize) -> Self {
        // When the updates have doubled: so a list that doubles doubles its log exactly. Not much sooner than a state that is
        // large from the start is paid for, and not much later for one whose values are replaced again and again.
        let distance = before.clamp(snapshot / 10 * 9, snapshot.max(1) * 4).max(SMALLEST_SPACING);
        Self { since: 0, checkpoints: 0, snapshot, before, distance }
    }

    fn is_due(self) -> bool {
        // Where updates are short, what is around them bounds the work of loading.
        self.since >= self.distance || self.since + self.checkpoints * OVERHEAD >= 2 * self.distance
    }

    /// After a checkpoint whose updates have so many bytes, without a snapshot.
    fn after(self, updates: usize) -> Self {
        Self { since: self.since + updates, checkpoints: self.checkpoints + 1, ..self }
    }

    /// Counts a checkpoint: the bytes of its updates, and of its snapshot if it has one.
    fn add(&mut self, updates: usize, snapshot: Option<usize>) {
        let Some(snapshot) = snapshot else {
            *self = self.after(updates);
            return;
        };
        // After a resume the updates before the last snapshot are not known; a list's are about as long as the list.
        let before = if self.snapshot == 0 { snapshot } else { self.before + self.since + updates };
        *self = Self::new(snapshot, before);
    }
}

impl Recorder {
    /// Goes on after a lineage, or starts anew.
    pub(crate) fn new(
        shared: Arc<RunShared>,
        writer: Option<Arc<dyn ThreadWriter>>,
        after: Option<&Lineage>,
    ) -> Self {
        let mut spacing = Spacing::new(0, 0);
        for checkpoint in after.iter().flat_map(|lineage| &lineage.chain) {
            let snapshot = checkpoint.snapshot.as_ref().map(|state| state.get().len());
            spacing.add(checkpoint.written_bytes(), snapshot);
        }
        Self { shared, writer, waiting: VecDeque::new(), spacing }
    }

    /// Whether anything is written at all.
    pub(crate) fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Whether each superstep is written, not only the last.
    pub(crate) fn writes_steps(&self) -> bool {
        self.is_on() && self.shared.durability != Durability::Exit
    }

    /// Whether the next checkpoint has to hold the whole state.
    pub(crate) fn wants_snapshot(&self, follows: Follows, written_bytes: usize) -> bool {
        // A state that does not come from its parent by writes has to be there whole.
        follows != Follows::ByWrites
            || self.shared.durability == Durability::Exit
            || self.spacing.after(written_bytes).is_due()
    }

    /// Writes a checkpoint. What is given back has to be [waited for](Ack::wait) before the run goes on; mostly it is
    /// [`Ack::Done`], and then nothing has been awaited.
    pub(crate) fn commit(&mut self, commit: &Commit<'_>) -> Result<Ack, StoreError> {
        let writer = self.writer.as_ref().expect("asked only when it is on");
        self.spacing.add(commit.written_bytes(), commit.snapshot.map(|state| state.get().len()));
        let ack = writer.commit(commit, Flush::Synced)?;
        match (self.shared.durability, ack) {
            (Durability::Async { max_lag }, Ack::Pending(ack)) => {
                self.waiting.push_back(Ack::Pending(ack));
                let oldest = if self.waiting.len() > max_lag { self.waiting.pop_front() } else { None };
                Ok(oldest.unwrap_or(Ack::Done))
            }
            (_, ack) => Ok(ack),
        }
    }

    /// Writes what the tasks left that were held back, and waits until everything written is durable.
    pub(crate) async fn settle(&mut self) -> Result<(), StoreError> {
        let held = std::mem::take(&mut *self.shared.held.lock().expect("no holder panics"));
        if let Some(writer) = &self.writer {
            for record in held {
                self.waiting.push_back(writer.append(Record::Task(record), Flush::Synced)?);
            }
        }
        while !self.waiting.is_empty() {
            self.oldest().await?;
        }
        Ok(())
    }

    async fn oldest(&mut self) -> Result<(), StoreError> {
        match self.waiting.pop_front() {
            Some(ack) => ack.wait().await,
            None => Ok(()),
        }
    }
}
