//! Stores that misbehave on purpose, around one that does not.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use stategraph::engine::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record, Retention,
    Seq, StoreError, ThreadId, ThreadSummary, ThreadWriter,
};
use stategraph::store::MemoryStore;

/// What goes wrong, or slowly. Appends are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// A memory store behind a fault. Clones are the same store.
#[derive(Clone)]
pub(crate) struct Faulty {
    pub(crate) inner: MemoryStore,
    pub(crate) fault: Fault,
    pub(crate) seen: Arc<Seen>,
    given: Arc<Mutex<Option<Arc<dyn ThreadWriter>>>>,
}

/// What the store has seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) appends: AtomicU64,
    waiting: AtomicUsize,
    pub(crate) most_waiting: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self::over(MemoryStore::new(), fault)
    }

    pub(crate) fn over(inner: MemoryStore, fault: Fault) -> Self {
        Self { inner, fault, seen: Arc::default(), given: Arc::default() }
    }

    pub(crate) fn shared(&self) -> Arc<dyn CheckpointStore> {
        Arc::new(self.clone())
    }

    pub(crate) fn appends(&self) -> u64 {
        self.seen.appends.load(Ordering::SeqCst)
    }

    fn broken() -> StoreError {
        StoreError::Closed("it was broken on purpose".into())
    }
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
            Fault::From(first) if number >= first => return Err(Faulty::broken()),
            Fault::Last(last) if number > last => return Err(Faulty::broken()),
            Fault::Only(only) if number == only => return Err(Faulty::broken()),
            _ => {}
        }
        let ack = self.inner.append(record, flush)?;
        let seen = self.seen.clone();
        Ok(match self.fault {
            Fault::Last(last) if number == last => return Err(Faulty::broken()),
            Fault::Unacknowledged(lost) if number == lost => {
                Ack::Pending(Box::pin(async { Err(Faulty::broken()) }))
            }
            Fault::Slow(time) => {
                let waiting = seen.waiting.fetch_add(1, Ordering::SeqCst) + 1;
                seen.most_waiting.fetch_max(waiting, Ordering::SeqCst);
                Ack::Pending(Box::pin(async move {
                    tokio::time::sleep(time).await;
                    seen.waiting.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }))
            }
            _ => ack,
        })
    }
}

impl CheckpointStore for Faulty {
    fn place(&self) -> String {
        "a faulty store".into()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        Box::pin(async move {
            if self.fault == Fault::Claim {
                return Err(Self::broken());
            }
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
        match self.fault {
            Fault::Load => Box::pin(async { Err(Self::broken()) }),
            _ => self.inner.load(thread, seq),
        }
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        self.inner.history(thread, query)
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

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.inner.prune(thread, keep, rebuild)
    }
}
