//! The queue between a run and the reader of its events. Its length is bounded; see [`RunStream`](super::RunStream).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, mpsc::UnboundedSender};

use super::event::{Event, EventKind, EventKinds};
use super::id::{Namespace, ThreadId};

/// Maximum number of events that wait for the reader of a stream, unless
/// [`RunRequest::queued_events`](super::RunRequest::queued_events) sets another.
pub const QUEUED_EVENTS: usize = 1 << 16;

/// The sender of a run's events. Events of kinds without a subscriber are not built.
pub(crate) struct EventSink {
    to: UnboundedSender<Event>,
    pub(crate) kinds: EventKinds,
    /// The number of the last event. Locked while an event is sent, so that tasks on several threads send their events in the order of the
    /// numbers. Graphs inside tasks share it.
    seq: Arc<Mutex<u64>>,
    queue: Arc<PendingEvents>,
    thread: Option<ThreadId>,
    namespace: Namespace,
}

/// Count of the events that wait for the reader. The channel itself is unbounded, because an event is sent where nothing can wait.
#[derive(Debug)]
pub(crate) struct PendingEvents {
    limit: usize,
    waiting: AtomicUsize,
    dropped: AtomicU64,
    has_room: Notify,
}

impl PendingEvents {
    fn new(limit: usize) -> Self {
        Self { limit, waiting: AtomicUsize::new(0), dropped: AtomicU64::new(0), has_room: Notify::new() }
    }

    /// Counts an event that is sent. Returns false for an event to drop.
    fn admit(&self, group: EventKinds) -> bool {
        // These are as many as a node likes to send. The number of all others is bounded by the tasks of a superstep.
        let may_drop = group == EventKinds::MESSAGES || group == EventKinds::CUSTOM;
        if may_drop && self.is_full() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        self.waiting.fetch_add(1, Ordering::AcqRel);
        true
    }

    /// Counts an event that the reader has taken.
    pub(crate) fn take(&self) {
        if self.waiting.fetch_sub(1, Ordering::AcqRel) == self.limit {
            self.has_room.notify_waiters();
        }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Acquire) >= self.limit
    }
}

impl EventSink {
    pub(crate) fn new(
        to: UnboundedSender<Event>,
        kinds: EventKinds,
        thread: Option<ThreadId>,
        limit: usize,
    ) -> Self {
        let queue = Arc::new(PendingEvents::new(limit));
        Self { to, kinds, seq: Arc::default(), queue, thread, namespace: Namespace::ROOT }
    }

    /// Returns the count of waiting events, for the reader.
    pub(crate) fn queue(&self) -> Arc<PendingEvents> {
        Arc::clone(&self.queue)
    }

    /// Returns a sender for a graph inside a task.
    pub(crate) fn inside(&self, namespace: Namespace) -> Self {
        let Self { to, kinds, seq, queue, thread, .. } = self;
        let (to, seq, queue) = (to.clone(), seq.clone(), queue.clone());
        Self { to, kinds: *kinds, seq, queue, thread: thread.clone(), namespace }
    }

    /// Waits until the reader has taken events, if too many wait.
    pub(crate) async fn wait_for_room(&self) {
        while self.queue.is_full() {
            let room = self.queue.has_room.notified();
            tokio::pin!(room);
            // Registered before the look, so that no wake-up between the two is missed.
            room.as_mut().enable();
            if !self.queue.is_full() {
                return;
            }
            room.await;
        }
    }

    /// Sends the event that `build` makes, if the subscriber chose its kind.
    pub(crate) fn send(&self, group: EventKinds, step: u64, build: impl FnOnce() -> EventKind) {
        let mut seq = self.seq.lock().unwrap_or_else(PoisonError::into_inner);
        *seq += 1;
        if self.kinds.contains(group) && self.queue.admit(group) {
            let event = Event {
                seq: *seq,
                thread: self.thread.clone(),
                namespace: self.namespace.clone(),
                step,
                kind: build(),
            };
            // An error means that the subscriber is gone, and is ignored.
            let _ = self.to.send(event);
        }
    }
}
