//! The queue between a run and the reader of its events. Its length and its memory are bounded; see [`RunStream`](super::RunStream).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, mpsc::UnboundedSender};

use super::event::{Event, EventKind, EventKinds};
use super::id::{Namespace, ThreadId};

/// Maximum number of events that wait for the reader of a stream, unless
/// [`RunRequest::queued_events`](super::RunRequest::queued_events) sets another.
pub const QUEUED_EVENTS: usize = 1 << 16;

/// Maximum size of the events that wait, in bytes: 32 MiB.
const QUEUED_BYTES: usize = 32 << 20;

/// Bytes that an event takes besides its texts: the struct, its ids and names.
const EVENT_BYTES: usize = 512;

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

/// Count and size of the events that wait for the reader. The channel itself is unbounded, because an event is sent where nothing can wait:
///
/// - The outermost graph does not go on to the next superstep before its stream is polled, and a graph inside a task waits for room.
/// - A task cannot be made to wait between two pieces of text. A piece or an emitted event beyond the bounds is dropped and counted.
#[derive(Debug)]
pub(crate) struct PendingEvents {
    limit: usize,
    waiting: AtomicUsize,
    bytes: AtomicUsize,
    dropped: AtomicU64,
    /// Told when the reader takes an event while the queue is full.
    has_room: Notify,
}

impl PendingEvents {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            waiting: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            has_room: Notify::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Acquire) >= self.limit
            || self.bytes.load(Ordering::Acquire) >= QUEUED_BYTES
    }

    /// Adds an event that is being sent to the counts.
    fn add(&self, event: &Event) {
        self.bytes.fetch_add(size_of_event(event), Ordering::AcqRel);
        self.waiting.fetch_add(1, Ordering::AcqRel);
    }

    /// Removes an event that the reader has taken from the counts, and wakes senders that wait for room.
    pub(crate) fn take(&self, event: &Event) {
        let bytes = self.bytes.fetch_sub(size_of_event(event), Ordering::AcqRel);
        let waiting = self.waiting.fetch_sub(1, Ordering::AcqRel);
        if waiting == self.limit || bytes >= QUEUED_BYTES {
            self.has_room.notify_waiters();
        }
    }

    fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of events that were dropped so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Returns the approximate size of an event in memory, in bytes. The same event always has the same size, so
/// that the sum is 0 again after all events are read.
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
    pub(crate) fn new(
        to: UnboundedSender<Event>,
        kinds: EventKinds,
        thread: Option<ThreadId>,
        limit: usize,
    ) -> Self {
        let queue = Arc::new(PendingEvents::new(limit));
        Self { to, kinds, seq: Arc::default(), queue, thread, namespace: Namespace::ROOT }
    }

    /// Returns the counts of waiting and dropped events, which the reader of the stream updates.
    pub(crate) fn queue(&self) -> Arc<PendingEvents> {
        Arc::clone(&self.queue)
    }

    /// Returns a sender for the graph at `namespace` inside a task. It shares the channel, the numbers and
    /// the bounds.
    pub(crate) fn inside(&self, namespace: Namespace) -> Self {
        let Self { to, kinds, seq, queue, thread, .. } = self;
        let (to, seq, queue) = (to.clone(), seq.clone(), queue.clone());
        Self { to, kinds: *kinds, seq, queue, thread: thread.clone(), namespace }
    }

    /// Waits until the queue has room, or the reader is gone.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let room = self.queue.has_room.notified();
            tokio::pin!(room);
            // Registered before the look, so that no wake-up between the two is missed.
            room.as_mut().enable();
            if !self.queue.is_full() {
                return;
            }
            tokio::select! {
                () = room => {}
                () = self.to.closed() => return,
            }
        }
    }

    /// Sends the event that `build` makes, if the subscriber chose the kind `group`. The event is numbered in
    /// any case. When the queue is full, pieces of messages and emitted events are dropped and counted.
    pub(crate) fn send(&self, group: EventKinds, step: u64, build: impl FnOnce() -> EventKind) {
        let mut seq = self.seq.lock().unwrap_or_else(PoisonError::into_inner);
        *seq += 1;
        if !self.kinds.contains(group) {
            return;
        }
        // These are as many as a node likes to send. The number of all others is bounded by the tasks of a superstep.
        let may_drop = group == EventKinds::MESSAGES || group == EventKinds::CUSTOM;
        if may_drop && self.queue.is_full() {
            return self.queue.count_dropped();
        }
        let event = Event {
            seq: *seq,
            thread: self.thread.clone(),
            namespace: self.namespace.clone(),
            step,
            kind: build(),
        };
        // Counted first, because the reader may take the event before `send` returns.
        self.queue.add(&event);
        // An error means that the subscriber is gone, and is ignored.
        let _ = self.to.send(event);
    }
}
