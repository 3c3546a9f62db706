//! A cache of the outlines of recently read journals and of the checkpoints of their states, so that a resumed run or a repeated request
//! reads only new entries. Like the index, it is verified against the file before use.

use std::sync::{Arc, Mutex};

use super::header::Identity;
use super::outline::Outline;
use crate::lock;
use stategraph_core::{Checkpoint, Seq, ThreadId};

/// Maximum number of cached journals.
const KEPT: usize = 8;

/// Maximum text of the cached checkpoints of all journals together, in bytes (8 MiB).
pub(super) const CHAINS: usize = 8 << 20;

/// A cache of the outlines and newest checkpoints of recently read journals, the most recently read last.
#[derive(Default)]
pub(super) struct JournalCache {
    journals: Mutex<Vec<CacheSlot>>,
}

/// One cached journal.
struct CacheSlot {
    thread: ThreadId,
    outline: Arc<Outline>,
    chain: CachedChain,
}

/// The cached data of a journal. The reader must verify it against the file.
#[derive(Debug, Default)]
pub(super) struct CachedJournal {
    pub(super) outline: Option<Arc<Outline>>,
    pub(super) chain: CachedChain,
}

/// The decoded checkpoints that rebuild the state of a thread, from a snapshot on, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct CachedChain {
    checkpoints: Arc<Vec<Arc<Checkpoint>>>,
    /// Length of the checkpoints' text, in bytes.
    bytes: usize,
    /// Checksum of the last checkpoint's entry. It differs if a backup was restored and continued differently.
    checksum: Option<u32>,
}

impl CachedChain {
    /// Makes a chain; `checksum` is that of its last checkpoint's entry, `None` if it is not known.
    pub(super) fn new(checkpoints: &[Arc<Checkpoint>], checksum: Option<u32>) -> Self {
        let bytes = checkpoints.iter().map(|checkpoint| checkpoint.text_bytes()).sum();
        Self { checkpoints: Arc::new(checkpoints.to_vec()), bytes, checksum }
    }

    /// Returns true if the last checkpoint of the chain is still in the file. `checksum_of` reads the
    /// checksum that its entry has there.
    pub(super) fn is_of(&self, checksum_of: impl FnOnce(Seq) -> Option<u32>) -> bool {
        let tip = self.checkpoints.last();
        tip.is_some_and(|tip| self.checksum.is_some() && checksum_of(tip.seq) == self.checksum)
    }

    /// Returns the checkpoint with this number, if the chain has it.
    pub(super) fn find(&self, seq: Seq) -> Option<&Arc<Checkpoint>> {
        let at = self.checkpoints.binary_search_by_key(&seq, |checkpoint| checkpoint.seq).ok()?;
        Some(&self.checkpoints[at])
    }
}

impl JournalCache {
    /// Returns the cached data of a thread's journal; empty if nothing is cached for the file with this
    /// identity.
    pub(super) fn recall(&self, thread: &ThreadId, identity: Identity) -> CachedJournal {
        let journals = lock(&self.journals);
        let of_this = |known: &&CacheSlot| known.thread == *thread && known.outline.identity == identity;
        journals.iter().find(of_this).map_or_else(CachedJournal::default, |known| CachedJournal {
            outline: Some(Arc::clone(&known.outline)),
            chain: known.chain.clone(),
        })
    }

    /// Caches an outline in the place of the older one of the same thread. An outline that ends with damage
    /// is not cached, because the file may be repaired.
    pub(super) fn keep(&self, thread: &ThreadId, outline: &Arc<Outline>) {
        let mut journals = lock(&self.journals);
        let known = journals.iter().position(|known| known.thread == *thread);
        let known = known.map(|known| journals.remove(known));
        if outline.damage.is_some() {
            return;
        }
        let chain = known.filter(|known| known.outline.identity == outline.identity);
        let chain = chain.map(|known| known.chain).unwrap_or_default();
        journals.push(CacheSlot { thread: thread.clone(), outline: Arc::clone(outline), chain });
        if journals.len() > KEPT {
            journals.remove(0);
        }
    }

    /// Caches the checkpoints of a thread's state, if its outline is cached. If all chains together exceed
    /// [`CHAINS`] bytes, those of the least recently read journals are dropped.
    pub(super) fn keep_chain(&self, thread: &ThreadId, identity: Identity, chain: CachedChain) {
        let mut journals = lock(&self.journals);
        let of_this = |known: &&mut CacheSlot| known.thread == *thread && known.outline.identity == identity;
        let Some(known) = journals.iter_mut().find(of_this) else { return };
        known.chain = chain;
        let mut bytes = 0;
        for known in journals.iter_mut().rev() {
            bytes += known.chain.bytes;
            if bytes > CHAINS {
                bytes -= known.chain.bytes;
                known.chain = CachedChain::default();
            }
        }
    }

    /// Removes the data of a thread from the cache.
    pub(super) fn forget(&self, thread: &ThreadId) {
        lock(&self.journals).retain(|known| known.thread != *thread);
    }
}
