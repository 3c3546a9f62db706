//! Queue of events for one reader. If the reader is slow, tokens are dropped and counted; other events
//! are kept (EXP-46).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::event::NumberedEvent;

/// Maximum number of tokens that wait for a reader; further ones are dropped.
pub const WAITING_TOKENS: usize = 1_024;

/// Reading end of a queue of events. [`EventLog::subscribe`](super::EventLog::subscribe) makes it.
#[derive(Debug)]
pub struct EventReader {
    queue: Arc<EventQueue>,
}

/// Queue of the events that wait for one reader; the log pushes into it.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    waiting: Mutex<QueueState>,
    arrived: Notify,
}

/// State of a queue under its lock: the waiting events, and the numbers of waiting and of dropped
/// tokens.
#[derive(Debug, Default)]
struct QueueState {
    events: VecDeque<Arc<NumberedEvent>>,
    tokens: usize,
    dropped: u64,
    is_closed: bool,
}

impl EventReader {
    pub(super) fn of(queue: Arc<EventQueue>) -> Self {
        Self { queue }
    }

    /// Returns the next event; `None` after the last.
    pub async fn next(&mut self) -> Option<Arc<NumberedEvent>> {
        loop {
            let arrived = self.queue.arrived.notified();
            {
                let mut waiting = self.queue.lock();
                if let Some(event) = waiting.take() {
                    return Some(event);
                }
                if waiting.is_closed {
                    return None;
                }
            }
            arrived.await;
        }
    }

    /// Returns the number of tokens that were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.queue.lock().dropped
    }
}

impl QueueState {
    fn take(&mut self) -> Option<Arc<NumberedEvent>> {
        let event = self.events.pop_front()?;
        self.tokens -= usize::from(event.event.is_token());
        Some(event)
    }
}

impl EventQueue {
    /// Appends an event and wakes the reader. A token is dropped if `WAITING_TOKENS` of them wait.
    pub(super) fn push(&self, event: &Arc<NumberedEvent>) {
        let mut waiting = self.lock();
        if event.event.is_token() {
            if waiting.tokens >= WAITING_TOKENS {
                waiting.dropped += 1;
                return;
            }
            waiting.tokens += 1;
        }
        waiting.events.push_back(event.clone());
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Ends the queue: the reader gets the waiting events, and then `None`.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
