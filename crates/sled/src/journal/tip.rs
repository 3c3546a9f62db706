//! The newest checkpoint of a journal, followed while entries are written. Pure.

use super::frame::{Head, Kind};
use stategraph_core::Seq;

/// The newest checkpoint, and where the snapshot stands that its state is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) seq: Option<Seq>,
    /// None after a fork, whose snapshot may be anywhere.
    pub(super) root: Option<u64>,
}

impl Tip {
    /// Takes in an entry that is written at this offset.
    pub(super) fn follow(&mut self, head: &Head, at: u64) {
        if head.kind != Kind::Checkpoint {
            return;
        }
        let continues = self.seq.is_some_and(|seq| seq.0 == head.parent);
        self.root = if head.snapshot { Some(at) } else { self.root.filter(|_| continues) };
        self.seq = Some(Seq(head.seq));
    }
}
