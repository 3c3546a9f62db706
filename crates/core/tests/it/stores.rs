//! Stores that misbehave on purpose, around one that does not.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record, Retention,
    Seq, StoreError, ThreadId, ThreadSummary, ThreadWriter,
};

/// What goes wrong, or slowly. Appends are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "not every crate whose tests use it has a test for each")]
pub(crate) enum Fault {
    None,
    /// This append and all after it fail, and nothing of them is kept: a crash.
    From(u64),
    /// This append is kept, but fails as all after it do: a crash before anybody hears of it.
    Last(u64),
    /// Only this append fails.
    Only(u64),
    /// This append is kept, but its acknowledgement fails.
    Unacknowledged(u64),
    /// Acknowledgements come so much later.
    Slow(Duration),
    /// Claims are given to everybody at once: what happens when a lock is lost.
    NoLock,
    Claim,
    Load,
    /// This call of the system fails; claims, loads, listings and appends are all counted, from 0.
    Io {
        call: u64,
        kind: ErrorKind,
        breaks: Breaks,
    },
}

/// What a failed call of the system leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// Nothing of that call; later ones work.
    Once,
    /// Nothing of that call nor of any later one.
    ForGood,
    /// What was to be appended, but nobody is told.
    Acknowledgement,
}

/// A store behind a fault. Clones are the same store.
#[derive(Clone)]
pub(crate) struct Faulty<S = MemoryStore> {
    pub(crate) inner: S,
    pub(crate) fault: Fault,
    pub(crate) seen: Arc<Seen>,
    given: Arc<Mutex<Option<Arc<dyn ThreadWriter>>>>,
}

/// What the store has seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) appends: AtomicU64,
    calls: AtomicU64,
    waiting: AtomicUsize,
    pub(crate) most_waiting: AtomicUsize,
    /// The records that were acknowledged, as JSON; noted where calls of the system fail.
    pub(crate) acknowledged: Mutex<BTreeSet<String>>,
}

impl Seen {
    /// The error of a call of the system.
    fn call(&self, fault: Fault) -> Result<(), StoreError> {
        let Fault::Io { call, kind, breaks } = fault else { return Ok(()) };
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if number == call || (number > call && breaks == Breaks::ForGood) {
            return Err(StoreError::io("write to", "the faulty store", kind.into()));
        }
        Ok(())
    }

    /// Whether there were so many calls that one failed.
    pub(crate) fn broke(&self, fault: Fault) -> bool {
        matches!(fault, Fault::Io { call, .. } if self.calls.load(Ordering::SeqCst) > call)
    }
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self::over(MemoryStore::new(), fault)
    }
}

impl<S: CheckpointStore + Clone> Faulty<S> {
    pub(crate) fn over(inner: S, fault: Fault) -> Self {
        Self { inner, fault, seen: Arc::default(), given: Arc::default() }
    }

    pub(crate) fn shared(&self) -> Arc<dyn CheckpointStore> {
        Arc::new(self.clone())
    }

    pub(crate) fn appends(&self) -> u64 {
        self.seen.appends.load(Ordering::SeqCst)
    }
}

fn broken() -> StoreError {
    StoreError::Closed("it was broken on purpose".into())
}

/// Notes that a record was acknowledged when it is.
fn noted(ack: Ack, record: String, seen: Arc<Seen>) -> Ack {
    Ack::Pending(Box::pin(async move {
        ack.wait().await?;
        seen.acknowledged.lock().unwrap().insert(record);
        Ok(())
    }))
}

struct Writer {
    inner: Arc<dyn ThreadWriter>,
    fault: Fault,
    seen: Arc<Seen>,
}

impl ThreadWriter for Writer {
    fn head(&self) -> Option<Seq> {
        self.inner.head()
    }

    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError> {
        let number = self.seen.appends.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            Fault::From(first) if number >= first => return Err(broken()),
            Fault::Last(last) if number > last => return Err(broken()),
            Fault::Only(only) if number == only => return Err(broken()),
            _ => {}
        }
        let call = self.seen.call(self.fault);
        if !matches!(self.fault, Fault::Io { breaks: Breaks::Acknowledgement, .. }) {
            call.clone()?;
        }
        let text = match self.fault {
            Fault::Io { .. } => serde_json::to_string(&record).unwrap(),
            _ => String::new(),
        };
        let ack = self.inner.append(record, flush)?;
        let seen = self.seen.clone();
        Ok(match self.fault {
            Fault::Io { .. } => match call {
                Ok(()) => noted(ack, text, seen),
                Err(error) => Ack::Pending(Box::pin(async { Err(error) })),
            },
            Fault::Last(last) if number == last => return Err(broken()),
            Fault::Unacknowledged(lost) if number == lost => Ack::Pending(Box::pin(async { Err(broken()) })),
            Fault::Slow(time) => {
                let waiting = seen.waiting.fetch_add(1, Ordering::SeqCst) + 1;
                seen.most_waiting.fetch_max(waiting, Ordering::SeqCst);
                Ack::Pending(Box::pin(async move {
                    tokio::time::sleep(time).await;
                    seen.waiting.fetch_sub(1, Ordering::SeqCst);
                    ack.wait().await
                }))
            }
            _ => ack,
        })
    }
}

impl<S: CheckpointStore + Clone> CheckpointStore for Faulty<S> {
    fn place(&self) -> String {
        "a faulty store".into()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        Box::pin(async move {
            if self.fault == Fault::Claim {
                return Err(broken());
            }
            self.seen.call(self.fault)?;
            let given = self.given.lock().unwrap().clone();
            let inner = match given {
                Some(inner) => inner,
                None => self.inner.claim(thread).await?,
            };
            if self.fault == Fault::NoLock {
                *self.given.lock().unwrap() = Some(inner.clone());
            }
            Ok(Arc::new(Writer { inner, fault: self.fault, seen: self.seen.clone() })
                as Arc<dyn ThreadWriter>)
        })
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>> {
        match (self.fault, self.seen.call(self.fault)) {
            (Fault::Load, _) => Box::pin(async { Err(broken()) }),
            (_, Err(error)) => Box::pin(async { Err(error) }),
            _ => self.inner.load(thread, seq),
        }
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        match self.seen.call(self.fault) {
            Err(error) => Box::pin(async { Err(error) }),
            Ok(()) => self.inner.history(thread, query),
        }
    }

    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>> {
        self.inner.threads()
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.delete(thread)
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.copy(from, to)
    }

    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.inner.delete_run(thread, run, rebuild)
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.inner.prune(thread, keep, rebuild)
    }
}
