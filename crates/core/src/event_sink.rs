//! The channel from a run to the subscriber of its events. Bounds the memory of the events that wait; `event.rs` defines them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::event::{Event, EventKind, EventKinds};
use super::id::{Namespace, ThreadId};

/// The sender of a run's events. Events of kinds without a subscriber are not built.
pub(crate) struct EventSink {
    to: UnboundedSender<Event>,
    pub(crate) kinds: EventKinds,
    /// The number of the last event. Locked while an event is sent, so that tasks on several threads send their events in the order of the
    /// numbers. Graphs inside tasks share it.
    seq: Arc<Mutex<u64>>,
    backlog: Arc<EventBacklog>,
    thread: Option<ThreadId>,
    namespace: Namespace,
}

/// Maximum size of the events that wait for a subscriber, in bytes: 32 MiB.
const BACKLOG_MAX: usize = 32 << 20;

/// Bytes that an event takes besides its texts: the struct, its ids and names.
const EVENT_BYTES: usize = 512;

/// Size of the events that wait for a subscriber. It bounds the memory that a subscriber costs who reads slowly or not at all:
///
/// - The outermost graph does not go on to the next superstep before its stream is polled, and a graph inside a task waits for room.
/// - A task cannot be made to wait between two pieces of text. A piece or an emitted event beyond the bound is dropped and counted.
#[derive(Debug, Default)]
pub(crate) struct EventBacklog {
    bytes: AtomicUsize,
    dropped: AtomicU64,
    /// Told when the subscriber takes an event while the backlog is full.
    room: Notify,
}

impl EventBacklog {
    fn is_full(&self) -> bool {
        self.bytes.load(Ordering::Acquire) >= BACKLOG_MAX
    }

    fn add(&self, event: &Event) {
        self.bytes.fetch_add(size_of_event(event), Ordering::AcqRel);
    }

    fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event that the subscriber has taken.
    pub(crate) fn take(&self, event: &Event) {
        let before = self.bytes.fetch_sub(size_of_event(event), Ordering::AcqRel);
        if before >= BACKLOG_MAX {
            self.room.notify_waiters();
        }
    }

    /// Returns the number of events that were dropped so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Returns the approximate size of an event in memory, in bytes. Equal for the same event before and after the channel.
fn size_of_event(event: &Event) -> usize {
    let texts = match &event.kind {
        EventKind::Updates { update, .. } => update.as_ref().map_or(0, |update| update.get().len()),
        EventKind::Values { state } => state.get().len(),
        EventKind::Message { text, .. } => text.len(),
        EventKind::Custom { data, .. } => data.get().len(),
        EventKind::TaskStarted { item, .. } => item.as_ref().map_or(0, |item| item.get().len()),
        EventKind::Asked { payload, schema, .. } => {
            payload.get().len() + schema.as_ref().map_or(0, |schema| schema.get().len())
        }
        _ => 0,
    };
    texts.saturating_add(EVENT_BYTES)
}

impl EventSink {
    pub(crate) fn new(to: UnboundedSender<Event>, kinds: EventKinds, thread: Option<ThreadId>) -> Self {
        Self { to, kinds, seq: Arc::default(), backlog: Arc::default(), thread, namespace: Namespace::ROOT }
    }

    /// Returns the backlog, for the subscriber.
    pub(crate) fn backlog(&self) -> Arc<EventBacklog> {
        Arc::clone(&self.backlog)
    }

    /// Returns a sender for a graph inside a task.
    pub(crate) fn inside(&self, namespace: Namespace) -> Self {
        let Self { to, kinds, seq, backlog, thread, .. } = self;
        let (to, seq, backlog) = (to.clone(), seq.clone(), backlog.clone());
        Self { to, kinds: *kinds, seq, backlog, thread: thread.clone(), namespace }
    }

    /// Waits until the events that wait take less than their bound, or the subscriber is gone.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let room = self.backlog.room.notified();
            tokio::pin!(room);
            // Registered before the size is read, so that a take in between is not missed.
            room.as_mut().enable();
            if !self.backlog.is_full() {
                return;
            }
            tokio::select! {
                () = room => {}
                () = self.to.closed() => return,
            }
        }
    }

    /// Sends the event that `build` makes, if the subscriber chose its kind.
    pub(crate) fn send(&self, group: EventKinds, step: u64, build: impl FnOnce() -> EventKind) {
        let mut seq = self.seq.lock().unwrap_or_else(PoisonError::into_inner);
        *seq += 1;
        if !self.kinds.contains(group) {
            return;
        }
        let may_be_dropped = group == EventKinds::MESSAGES || group == EventKinds::CUSTOM;
        if may_be_dropped && self.backlog.is_full() {
            return self.backlog.count_dropped();
        }
        let event = Event {
            seq: *seq,
            thread: self.thread.clone(),
            namespace: self.namespace.clone(),
            step,
            kind: build(),
        };
        // Counted first, because the subscriber may take the event before `send` returns.
        self.backlog.add(&event);
        // An error means that the subscriber is gone, and is ignored.
        let _ = self.to.send(event);
    }
}
