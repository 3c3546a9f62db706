//! The outlines of the journals looked at last, and the checkpoints that their states were made of, so that a run that resumes,
//! and a server that is asked again, read only what is new. Like the index it is checked against the file before it is believed.

use std::sync::{Arc, Mutex};

use super::header::Identity;
use super::outline::Outline;
use crate::lock;
use stategraph_core::{Checkpoint, Seq, ThreadId};

/// How many journals are remembered.
const KEPT: usize = 8;

/// How much text of checkpoints is kept, in bytes, of all journals together (8 MiB).
pub(super) const CHAINS: usize = 8 << 20;

/// The last few journals, the newest last.
#[derive(Default)]
pub(super) struct Recent {
    journals: Mutex<Vec<Remembered>>,
}

/// What is remembered of a journal.
struct Remembered {
    thread: ThreadId,
    outline: Arc<Outline>,
    chain: Chain,
}

/// What is known of a journal before it is looked at; nothing of it is believed unseen.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    pub(super) outline: Option<Arc<Outline>>,
    pub(super) chain: Chain,
}

/// Checkpoints that rebuild a state, oldest first, as they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    checkpoints: Arc<Vec<Arc<Checkpoint>>>,
    bytes: usize,
    /// The checksum of the last one's entry: a backup that was put back and went on another way has another there.
    checksum: Option<u32>,
}

impl Chain {
    pub(super) fn new(checkpoints: &[Arc<Checkpoint>], checksum: Option<u32>) -> Self {
        let bytes = checkpoints.iter().map(|checkpoint| checkpoint.text_bytes()).sum();
        Self { checkpoints: Arc::new(checkpoints.to_vec()), bytes, checksum }
    }

    /// Whether the last one is still what stands in the file, where `checksum_of` looks.
    pub(super) fn is_of(&self, checksum_of: impl FnOnce(Seq) -> Option<u32>) -> bool {
        let tip = self.checkpoints.last();
        tip.is_some_and(|tip| self.checksum.is_some() && checksum_of(tip.seq) == self.checksum)
    }

    pub(super) fn find(&self, seq: Seq) -> Option<&Arc<Checkpoint>> {
        let at = self.checkpoints.binary_search_by_key(&seq, |checkpoint| checkpoint.seq).ok()?;
        Some(&self.checkpoints[at])
    }
}

impl Recent {
    /// What was last seen of this journal.
    pub(super) fn recall(&self, thread: &ThreadId, identity: Identity) -> Recalled {
        let journals = lock(&self.journals);
        let of_this = |known: &&Remembered| known.thread == *thread && known.outline.identity == identity;
        journals.iter().find(of_this).map_or_else(Recalled::default, |known| Recalled {
            outline: Some(Arc::clone(&known.outline)),
            chain: known.chain.clone(),
        })
    }

    /// Keeps an outline in the place of an older one. One that ends with damage is not kept: the file may be mended.
    pub(super) fn keep(&self, thread: &ThreadId, outline: &Arc<Outline>) {
        let mut journals = lock(&self.journals);
        let known = journals.iter().position(|known| known.thread == *thread);
        let known = known.map(|known| journals.remove(known));
        if outline.damage.is_some() {
            return;
        }
        let chain = known.filter(|known| known.outline.identity == outline.identity);
        let chain = chain.map(|known| known.chain).unwrap_or_default();
        journals.push(Remembered { thread: thread.clone(), outline: Arc::clone(outline), chain });
        if journals.len() > KEPT {
            journals.remove(0);
        }
    }

    /// Keeps the checkpoints that the state of a thread was made of, in the place of those that were kept longest.
    pub(super) fn keep_chain(&self, thread: &ThreadId, identity: Identity, chain: Chain) {
        let mut journals = lock(&self.journals);
        let of_this = |known: &&mut Remembered| known.thread == *thread && known.outline.identity == identity;
        let Some(known) = journals.iter_mut().find(of_this) else { return };
        known.chain = chain;
        let mut bytes = 0;
        for known in journals.iter_mut().rev() {
            bytes += known.chain.bytes;
            if bytes > CHAINS {
                bytes -= known.chain.bytes;
                known.chain = Chain::default();
            }
        }
    }

    pub(super) fn forget(&self, thread: &ThreadId) {
        lock(&self.journals).retain(|known| known.thread != *thread);
    }
}
