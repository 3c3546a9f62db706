//! The newest checkpoint of a journal, tracked while entries are written. Pure.

use super::frame::{EntryHead, JournalEntryKind};
use stategraph_core::Seq;

/// The newest checkpoint of a journal, and the offset of the snapshot that its state is rebuilt from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NewestCheckpoint {
    /// Number of the checkpoint; `None` if the journal has none.
    pub(super) seq: Option<Seq>,
    /// Offset of the snapshot; `None` if unknown, as after a fork, whose chain may start at any earlier
    /// snapshot.
    pub(super) root: Option<u64>,
}

impl NewestCheckpoint {
    /// Updates the values for an entry with this head that is written at offset `at`. Only checkpoints change
    /// them.
    pub(super) fn follow(&mut self, head: &EntryHead, at: u64) {
        if head.kind != JournalEntryKind::Checkpoint {
            return;
        }
        let continues = self.seq.is_some_and(|seq| seq.0 == head.parent);
        self.root = if head.snapshot { Some(at) } else { self.root.filter(|_| continues) };
        self.seq = Some(Seq(head.seq));
    }
}
