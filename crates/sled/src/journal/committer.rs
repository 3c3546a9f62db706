//! The one thread that writes: it takes all queued entries, writes each journal with one call, syncs each journal once, and
//! acknowledges. `claim.rs` decides how entries are written.
//!
//! If the thread panics, all queued and later entries fail at once, because a caller must not wait for a thread that has ended. The next
//! claim starts a new thread.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::claim::Claim;
use super::frame::EntryFrame;
use crate::lock;
use stategraph_core::{Flush, StoreError};

/// Number of queued bytes above which an append blocks (64 MiB).
const QUEUED_MAX: u64 = 64 << 20;

/// Maximum number of journals written before they are synced, because each stays open until then.
const AT_ONCE: usize = 64;

/// The receiver of the result of an append: sent once the entry is written, or written and synced, as its
/// flush demands.
pub(super) type Acknowledged = oneshot::Receiver<Result<(), StoreError>>;

/// The thread that writes the journals of a store, with its queue. Dropping it waits until everything queued
/// is written.
pub(super) struct Committer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The queue between the writers and the committer thread.
#[derive(Default)]
struct Queue {
    pending: Mutex<PendingJobs>,
    /// Notified when a job is added.
    filled: Condvar,
    /// Notified when the thread has taken all jobs.
    drained: Condvar,
}

/// The content of the queue.
#[derive(Default)]
struct PendingJobs {
    jobs: Vec<CommitJob>,
    /// Length of the queued entries, in bytes.
    bytes: u64,
    state: CommitterState,
}

/// The state of the committer thread.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum CommitterState {
    #[default]
    Running,
    /// No new entries come; queued ones are still written.
    Ending,
    /// The thread has panicked; nothing is written any more.
    Broken,
}

/// A job for the committer thread.
enum CommitJob {
    /// Append an entry to the journal of this claim.
    Append(Arc<Claim>, PendingAppend),
    /// End the claim after all of its entries are written.
    Release(Arc<Claim>),
    /// Answer when everything queued before is done.
    Barrier(mpsc::Sender<()>),
}

/// A queued entry with the sender of its result.
struct PendingAppend {
    frame: EntryFrame,
    flush: Flush,
    ack: oneshot::Sender<Result<(), StoreError>>,
}

/// The entries of one journal that are written together.
struct Batch {
    claim: Arc<Claim>,
    appends: Vec<PendingAppend>,
}

impl Committer {
    /// Starts the committer thread.
    pub(super) fn start() -> std::io::Result<Self> {
        Self::start_with(commit)
    }

    /// Starts the thread with the function that carries out its jobs; tests pass their own.
    fn start_with(commit: impl Fn(Vec<CommitJob>) + Send + 'static) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let work = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("checkpoints".into()).spawn(move || {
            let broken = FailOnPanic(Arc::clone(&work));
            while let Some(jobs) = work.take() {
                commit(jobs);
            }
            mem::forget(broken);
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)) })
    }

    /// Returns true unless the thread has panicked.
    pub(super) fn is_running(&self) -> bool {
        lock(&self.queue.pending).state != CommitterState::Broken
    }

    /// Queues an entry and returns the receiver of its result. Blocks while too many bytes are queued.
    pub(super) fn append(&self, claim: &Arc<Claim>, frame: EntryFrame, flush: Flush) -> Acknowledged {
        let (ack, acknowledged) = oneshot::channel();
        let size = frame.size();
        self.queue.put(CommitJob::Append(Arc::clone(claim), PendingAppend { frame, flush, ack }), size);
        acknowledged
    }

    /// Queues the end of a claim, which takes place after everything queued before is written.
    pub(super) fn release(&self, claim: Arc<Claim>) {
        self.queue.put(CommitJob::Release(claim), 0);
    }

    /// Waits until everything queued before is done.
    pub(super) fn barrier(&self) {
        let (done, wait) = mpsc::channel();
        self.queue.put(CommitJob::Barrier(done), 0);
        // An error means that the thread has ended and holds no claim.
        let _ = wait.recv();
    }
}

/// A guard of the committer thread. Dropped by a panic, it fails all queued jobs and marks the committer as
/// broken.
struct FailOnPanic(Arc<Queue>);

impl Drop for FailOnPanic {
    fn drop(&mut self) {
        let mut pending = lock(&self.0.pending);
        pending.state = CommitterState::Broken;
        pending.bytes = 0;
        let jobs = mem::take(&mut pending.jobs);
        drop(pending);
        self.0.drained.notify_all();
        // Dropping the jobs drops their acknowledgement senders, so the callers see an error, and ends their claims.
        drop(jobs);
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        let mut pending = lock(&self.queue.pending);
        if pending.state == CommitterState::Running {
            pending.state = CommitterState::Ending;
        }
        drop(pending);
        self.queue.filled.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // The result is ignored, because the panic hook has reported the panic already.
            let _ = thread.join();
        }
    }
}

impl Queue {
    /// Adds a job of `size` bytes to the queue. Blocks while the queue is full. If the thread has panicked,
    /// drops the job, so that its caller sees an error.
    fn put(&self, job: CommitJob, size: u64) {
        let full = |pending: &mut PendingJobs| pending.bytes > QUEUED_MAX;
        let pending = self.drained.wait_while(lock(&self.pending), full);
        let mut pending = pending.unwrap_or_else(PoisonError::into_inner);
        if pending.state == CommitterState::Broken {
            return;
        }
        pending.jobs.push(job);
        pending.bytes += size;
        drop(pending);
        self.filled.notify_one();
    }

    /// Waits for jobs and takes all of them. Returns `None` when the committer ends and the queue is empty.
    fn take(&self) -> Option<Vec<CommitJob>> {
        let idle =
            |pending: &mut PendingJobs| pending.jobs.is_empty() && pending.state == CommitterState::Running;
        let pending = self.filled.wait_while(lock(&self.pending), idle);
        let mut pending = pending.unwrap_or_else(PoisonError::into_inner);
        pending.bytes = 0;
        let jobs = mem::take(&mut pending.jobs);
        drop(pending);
        self.drained.notify_all();
        (!jobs.is_empty()).then_some(jobs)
    }
}

/// Carries out the jobs: writes the entries of each journal with one call, syncs each journal once, ends
/// released claims, and answers barriers.
fn commit(jobs: Vec<CommitJob>) {
    let (mut batches, mut released, mut barriers) = (Vec::<Batch>::new(), Vec::new(), Vec::new());
    for job in jobs {
        match job {
            CommitJob::Append(claim, append) => {
                match batches.iter_mut().find(|batch| Arc::ptr_eq(&batch.claim, &claim)) {
                    Some(batch) => batch.appends.push(append),
                    None => batches.push(Batch { claim, appends: vec![append] }),
                }
            }
            CommitJob::Release(claim) => released.push(claim),
            CommitJob::Barrier(done) => barriers.push(done),
        }
    }
    let mut batches = batches.into_iter().peekable();
    while batches.peek().is_some() {
        let written: Vec<Batch> = batches.by_ref().take(AT_ONCE).filter_map(Batch::write).collect();
        written.into_iter().for_each(Batch::sync);
    }
    // Claims end after all writes, because a run may queue its last entries and its release at once.
    for claim in released {
        claim.end();
    }
    for done in barriers {
        let _ = done.send(());
    }
}

impl Batch {
    /// Writes the entries and acknowledges those that need no sync. Returns a batch of the others; `None` if
    /// none is left.
    fn write(self) -> Option<Self> {
        let written = self.claim.write(self.appends.iter().map(|append| &append.frame));
        let (lazy, rest): (Vec<_>, Vec<_>) =
            self.appends.into_iter().partition(|append| append.flush == Flush::Lazy || written.is_err());
        // A send error is ignored, because a caller that dropped its receiver does not need the result.
        for append in lazy {
            let _ = append.ack.send(written.clone());
        }
        if rest.is_empty() {
            self.claim.close_if_too_many_open();
            return None;
        }
        Some(Self { claim: self.claim, appends: rest })
    }

    /// Syncs the journal and acknowledges the entries.
    fn sync(self) {
        let synced = self.claim.sync();
        self.claim.close_if_too_many_open();
        let Self { claim, appends } = self;
        // NOTE: dropped before the acknowledgement, because a caller that sees it may claim the thread at once.
        drop(claim);
        for append in appends {
            let _ = append.ack.send(synced.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::folder::StoreFolder;
    use crate::journal::journal_lock::{IfAbsent, JournalLock, LockOutcome};
    use stategraph_core::ThreadId;

    fn claim(root: &std::path::Path) -> Arc<Claim> {
        let folder = StoreFolder::new(root.to_owned()).expect("the folder is there");
        let thread = ThreadId::new("thread").expect("it is a name");
        let held = JournalLock::take(&folder, &Arc::default(), &thread, IfAbsent::Create);
        let Ok(LockOutcome::Acquired(held)) = held else { panic!("nobody else has it") };
        Arc::new(Claim::begin(folder, thread, held, None).expect("the folder can be written"))
    }

    fn append(committer: &Committer, claim: &Arc<Claim>) -> Acknowledged {
        committer.append(claim, EntryFrame::claim(1, 1), Flush::Synced)
    }

    #[test]
    fn what_waits_for_a_committer_that_panics_fails_at_once() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let claim = claim(folder.path());
        let (seen, wait) = mpsc::channel();
        let (go_on, may) = mpsc::channel();
        let committer = Committer::start_with(move |_| {
            seen.send(()).expect("the test listens");
            may.recv().expect("the test goes on");
            panic!("as a defect would");
        })
        .expect("the system has threads");
        let taken = append(&committer, &claim);
        wait.recv().expect("the thread is_running");
        let queued = append(&committer, &claim);
        go_on.send(()).expect("the thread waits");
        assert!(taken.blocking_recv().is_err(), "what the thread had taken");
        assert!(queued.blocking_recv().is_err(), "what was queued behind it");
        committer.barrier();
        assert!(append(&committer, &claim).blocking_recv().is_err(), "what comes later");
        assert!(!committer.is_running());
        committer.release(Arc::clone(&claim));
        assert_eq!(Arc::strong_count(&claim), 1, "the right to the thread is given back");
    }
}
