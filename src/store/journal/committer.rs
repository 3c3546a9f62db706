//! The one thread that writes: takes what is queued, writes it with one call per journal, syncs each journal once, acknowledges.
//! Decides nothing about what is written; see `claim.rs`.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::claim::Claim;
use super::frame::Frame;
use crate::engine::{Flush, StoreError};
use crate::store::lock;

/// How many bytes may be queued before an append waits (64 MiB).
const QUEUED_MAX: u64 = 64 << 20;

/// The answer that an append waits for.
pub(super) type Acknowledged = oneshot::Receiver<Result<(), StoreError>>;

/// The queue and the thread behind it. When it is dropped, everything queued has been written.
pub(super) struct Committer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    filled: Condvar,
    drained: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Job>,
    bytes: u64,
    ended: Ended,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Ended {
    #[default]
    No,
    Yes,
}

enum Job {
    Append(Arc<Claim>, Append),
    Release(Arc<Claim>),
    /// Answers when everything queued before is done.
    Barrier(mpsc::Sender<()>),
}

struct Append {
    frame: Frame,
    flush: Flush,
    ack: oneshot::Sender<Result<(), StoreError>>,
}

/// What is queued for one journal.
struct Batch {
    claim: Arc<Claim>,
    appends: Vec<Append>,
}

impl Committer {
    /// Starts the thread.
    pub(super) fn start() -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let work = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("checkpoints".into()).spawn(move || {
            while let Some(jobs) = work.take() {
                commit(jobs);
            }
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)) })
    }

    /// Queues an entry. Waits while too much is queued.
    pub(super) fn append(&self, claim: &Arc<Claim>, frame: Frame, flush: Flush) -> Acknowledged {
        let (ack, acknowledged) = oneshot::channel();
        let size = frame.size();
        self.queue.put(Job::Append(Arc::clone(claim), Append { frame, flush, ack }), size);
        acknowledged
    }

    /// Gives a thread back once everything queued for it is written.
    pub(super) fn release(&self, claim: Arc<Claim>) {
        self.queue.put(Job::Release(claim), 0);
    }

    /// Waits until everything queued before is done.
    pub(super) fn barrier(&self) {
        let (done, wait) = mpsc::channel();
        self.queue.put(Job::Barrier(done), 0);
        // An error means that the thread has ended, and holds nothing any more.
        let _ = wait.recv();
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        lock(&self.queue.waiting).ended = Ended::Yes;
        self.queue.filled.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // It has reported its panic itself.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn put(&self, job: Job, size: u64) {
        let full = |waiting: &mut Waiting| waiting.bytes > QUEUED_MAX;
        let waiting = self.drained.wait_while(lock(&self.waiting), full);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.jobs.push(job);
        waiting.bytes += size;
        drop(waiting);
        self.filled.notify_one();
    }

    /// Everything queued; none when there is nothing and will be nothing.
    fn take(&self) -> Option<Vec<Job>> {
        let idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && waiting.ended == Ended::No;
        let waiting = self.filled.wait_while(lock(&self.waiting), idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.bytes = 0;
        let jobs = mem::take(&mut waiting.jobs);
        drop(waiting);
        self.drained.notify_all();
        (!jobs.is_empty()).then_some(jobs)
    }
}

fn commit(jobs: Vec<Job>) {
    let (mut batches, mut released, mut barriers) = (Vec::<Batch>::new(), Vec::new(), Vec::new());
    for job in jobs {
        match job {
            Job::Append(claim, append) => {
                match batches.iter_mut().find(|batch| Arc::ptr_eq(&batch.claim, &claim)) {
                    Some(batch) => batch.appends.push(append),
                    None => batches.push(Batch { claim, appends: vec![append] }),
                }
            }
            Job::Release(claim) => released.push(claim),
            Job::Barrier(done) => barriers.push(done),
        }
    }
    let written: Vec<Batch> = batches.into_iter().filter_map(Batch::write).collect();
    written.into_iter().for_each(Batch::sync);
    for claim in released {
        claim.end();
    }
    for done in barriers {
        let _ = done.send(());
    }
}

impl Batch {
    /// Writes, and acknowledges what need not be synced. Returns what must be.
    fn write(self) -> Option<Self> {
        let written = self.claim.write(self.appends.iter().map(|append| &append.frame));
        let (lazy, rest): (Vec<_>, Vec<_>) =
            self.appends.into_iter().partition(|append| append.flush == Flush::Lazy || written.is_err());
        // Whoever dropped the acknowledgement does not want to know.
        for append in lazy {
            let _ = append.ack.send(written.clone());
        }
        (!rest.is_empty()).then_some(Self { claim: self.claim, appends: rest })
    }

    fn sync(self) {
        let synced = self.claim.sync();
        let Self { claim, appends } = self;
        // Whoever sees the acknowledgement may claim the thread next.
        drop(claim);
        for append in appends {
            let _ = append.ack.send(synced.clone());
        }
    }
}
