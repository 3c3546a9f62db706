//! A bound on the memory of work on several cores.

use std::sync::{Condvar, Mutex, PoisonError};

/// A bound on the bytes that all threads together work on at one time. Threads that would exceed it wait.
pub(super) struct ByteGate {
    free: Mutex<usize>,
    freed: Condvar,
    all: usize,
}

impl ByteGate {
    pub(super) fn new(bytes: usize) -> Self {
        Self { free: Mutex::new(bytes), freed: Condvar::new(), all: bytes }
    }

    /// Waits until `bytes` bytes are free, then runs `work` and frees them. More than the bound count as the
    /// whole bound.
    pub(super) fn run<T>(&self, bytes: usize, work: impl FnOnce() -> T) -> T {
        let bytes = bytes.min(self.all);
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free < bytes);
        *free.unwrap_or_else(PoisonError::into_inner) -= bytes;
        let _pass = ReservedBytes { gate: self, bytes };
        work()
    }
}

/// A share of the bytes of a [`ByteGate`]. Dropping it frees them, also after a panic.
struct ReservedBytes<'a> {
    gate: &'a ByteGate,
    bytes: usize,
}

impl Drop for ReservedBytes<'_> {
    fn drop(&mut self) {
        *self.gate.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.gate.freed.notify_all();
    }
}
