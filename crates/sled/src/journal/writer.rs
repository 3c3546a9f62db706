//! The engine's view of a claim: checks the order of appended records and passes them to the committer. Touches no file.

use std::sync::{Arc, Mutex};

use super::claim::Claim;
use super::committer::Committer;
use super::frame::EntryFrame;
use crate::lock;
use stategraph_core::store::conflict;
use stategraph_core::{Ack, Flush, Record, Seq, StoreError, ThreadWriter};

/// The writer that the engine appends the records of one thread with. Dropping it ends the claim.
pub(super) struct JournalWriter {
    claim: Arc<Claim>,
    committer: Arc<Committer>,
    /// Newest checkpoint appended. Locked while an entry is queued, so that journal order is call order.
    head: Mutex<Option<Seq>>,
}

impl JournalWriter {
    /// Makes a writer that appends through this claim.
    pub(super) fn new(claim: Claim, committer: Arc<Committer>) -> Self {
        Self { head: Mutex::new(claim.head()), claim: Arc::new(claim), committer }
    }

    /// Returns the head after this record (the newest checkpoint's number). Fails if the record cannot follow
    /// `head`: a checkpoint must have the next number, a task record an existing base.
    fn follows(&self, record: &Record, head: Option<Seq>) -> Result<Option<Seq>, StoreError> {
        let thread = self.claim.thread();
        match record {
            Record::Checkpoint(checkpoint) if checkpoint.seq == head.map_or(Seq(1), Seq::next) => {
                Ok(Some(checkpoint.seq))
            }
            Record::Checkpoint(checkpoint) => Err(conflict(thread, checkpoint.seq, head)),
            Record::Task(record) if Some(record.task.base) <= head => Ok(head),
            Record::Task(record) => {
                Err(StoreError::NoCheckpoint { thread: thread.clone(), seq: record.task.base })
            }
        }
    }
}

impl ThreadWriter for JournalWriter {
    fn head(&self) -> Option<Seq> {
        *lock(&self.head)
    }

    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError> {
        if let Some(error) = self.claim.failure() {
            return Err(error);
        }
        let unfit = |detail| StoreError::Encoding { thread: self.claim.thread().to_string(), detail };
        let frame = EntryFrame::from_record(&record).map_err(unfit)?;
        let mut head = lock(&self.head);
        *head = self.follows(&record, *head)?;
        let acknowledged = self.committer.append(&self.claim, frame, flush);
        drop(head);
        Ok(Ack::Pending(Box::pin(async move {
            let ended = |_| Err(StoreError::Closed("the thread that writes has ended".to_owned()));
            acknowledged.await.unwrap_or_else(ended)
        })))
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.committer.release(Arc::clone(&self.claim));
    }
}
