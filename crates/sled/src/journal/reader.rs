//! The read side of one journal: lineage, history and summary of a thread, also while another process writes to it.
//! Never writes and needs no claim. Ignores an entry that is not complete yet.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::{CachedChain, CachedJournal};
use super::entries::EntryReader;
use super::frame::Seal;
use super::header::{self, HEADER, Header, Identity};
use super::outline::{EntryLocation, Outline, OutlineExtent};
use super::tail;
use stategraph_core::store::lineage;
use stategraph_core::store::shared;
use stategraph_core::store::summary::{summarize, summarize_unreadable};
use stategraph_core::{
    Checkpoint, HistoryEntry, HistoryQuery, Lineage, Seq, StoreError, ThreadId, ThreadSummary,
};

/// An open journal with the outline of its entries. It reads a consistent state while another process
/// appends.
pub(super) struct JournalReader {
    path: PathBuf,
    file: File,
    outline: Arc<Outline>,
    /// Number of bytes that the recalled outline covered, if it proved right; 0 without one.
    recalled: u64,
    /// Cached checkpoints, which need not be read again.
    chain: CachedChain,
}

impl JournalReader {
    /// Opens a journal for reading and completes its outline. `recall` gets the file, its identity and its
    /// length, and returns an outline and checkpoints from cache, tail or index; they are verified, and only
    /// the rest is scanned. Returns `None` for a blank file.
    pub(super) fn read(
        path: &Path,
        file: File,
        needed: OutlineExtent,
        recall: impl FnOnce(&File, Identity, u64) -> io::Result<CachedJournal>,
    ) -> Result<Option<Self>, StoreError> {
        let failed = |error| StoreError::io("read", path, error);
        let len = file.metadata().map_err(failed)?.len();
        let Header::Journal(identity) = header::read(&file, path, len)? else { return Ok(None) };
        let mut journal = Self::of(path, file, Outline::new(identity, HEADER));
        let recalled = recall(&journal.file, identity, len).map_err(failed)?;
        if let Some(outline) = recalled.outline.filter(|known| journal.confirms(known, len)) {
            journal = Self { recalled: outline.end, outline, ..journal };
        }
        if journal.outline.end < len {
            Arc::make_mut(&mut journal.outline).scan(&journal.file, len).map_err(failed)?;
        }
        let damage = journal.outline.damage.clone().filter(|_| needed == OutlineExtent::Newest);
        if let Some(damage) = damage
            && let Some(mut tail) =
                tail::find_behind_damage(&journal.file, identity, damage.at, len).map_err(failed)?
        {
            tail.passed_over = Some(damage);
            journal.outline = Arc::new(tail);
        }
        if recalled.chain.is_of(|tip| journal.checksum(tip)) {
            journal.chain = recalled.chain;
        }
        Ok(Some(journal))
    }

    /// Makes a reader with a known outline, without reading the file.
    pub(super) fn of(path: &Path, file: File, outline: Outline) -> Self {
        Self {
            path: path.to_owned(),
            file,
            outline: Arc::new(outline),
            recalled: 0,
            chain: CachedChain::default(),
        }
    }

    /// Replaces the outline.
    pub(super) fn set_outline(&mut self, outline: Outline) {
        self.outline = Arc::new(outline);
    }

    /// Returns true if the last entry of a recalled outline is still at its place in the file of `len` bytes.
    /// Then the entries before it are assumed to be there too.
    fn confirms(&self, recalled: &Outline, len: u64) -> bool {
        let stands = |last: &EntryLocation| {
            let mut entries = EntryReader::new(self);
            last.end() == recalled.end
                && entries.payload(last).is_ok_and(|payload| payload.is_some())
                && recalled.checksum.is_none_or(|checksum| entries.checksum(last) == Some(checksum))
        };
        recalled.end <= len && recalled.last.as_ref().is_some_and(stands)
    }

    /// Makes the cache's form of a chain. Its checksum shows later if the chain is still in the file.
    pub(super) fn to_cacheable(&self, chain: &[Arc<Checkpoint>]) -> CachedChain {
        let checksum = chain.last().and_then(|tip| self.checksum(tip.seq));
        CachedChain::new(chain, checksum)
    }

    /// Reads the checksum of a checkpoint's entry; `None` if there is no such checkpoint.
    fn checksum(&self, seq: Seq) -> Option<u32> {
        EntryReader::new(self).checksum(self.outline.find(seq)?)
    }

    /// Returns the number of bytes that a recalled outline covered, if it proved right; otherwise 0.
    pub(super) fn recalled_bytes(&self) -> u64 {
        self.recalled
    }

    /// Returns the verified checkpoints from the cache; empty if there are none.
    pub(super) fn cached_chain(&self) -> &CachedChain {
        &self.chain
    }

    pub(super) fn outline(&self) -> &Arc<Outline> {
        &self.outline
    }

    /// Records that the index covers the whole outline.
    pub(super) fn note_indexed(&mut self) {
        let outline = Arc::make_mut(&mut self.outline);
        outline.indexed = outline.end;
    }

    /// Fails if the journal is damaged.
    pub(super) fn check_sound(&self) -> Result<(), StoreError> {
        match &self.outline.damage {
            Some(damage) => Err(self.corrupt(damage.at, damage.detail.clone())),
            None => Ok(()),
        }
    }

    /// Returns the checkpoint `seq`, or the newest for `None`, with the chain that rebuilds its state and its
    /// task records. `None` if there is no such checkpoint.
    pub(super) fn lineage(&self, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let Some(tip) = seq.map_or_else(|| self.outline.newest(), |seq| self.outline.find(seq)) else {
            // Damage is reported before absence, because the checkpoint may be behind the damage.
            return self.check_sound().map(|()| None);
        };
        if seq.is_none() {
            self.check_sound()?;
        }
        let chain = self.chain(tip)?;
        let newest = chain.last().expect("a chain ends with its tip");
        let tasks = EntryReader::new(self).tasks(newest)?;
        Ok(Some(Lineage { chain, tasks }))
    }

    /// Returns the checkpoints that rebuild the state at `tip`, from a snapshot on, oldest first.
    pub(super) fn chain(&self, tip: &EntryLocation) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let find = |seq| self.outline.find(seq).map(EntryLocation::chain_link);
        let chain = lineage::chain_to(tip.chain_link(), find).map_err(|missing| {
            self.corrupt(tip.at, format!("it continues checkpoint {missing}, which is not there"))
        })?;
        let spots: Vec<&EntryLocation> = chain.into_iter().filter_map(|seq| self.outline.find(seq)).collect();
        let known = |spot: &EntryLocation| self.chain.find(spot.seq());
        shared(
            &spots,
            |spot| if known(spot).is_some() { 0 } else { spot.end() - spot.at },
            |share| {
                let mut entries = EntryReader::until(self, share.last().map_or(0, |last| last.end()));
                let read = |spot: &&EntryLocation| match known(spot) {
                    Some(checkpoint) => Ok(Arc::clone(checkpoint)),
                    None => entries.checkpoint(spot),
                };
                share.iter().map(read).collect()
            },
        )
    }

    /// Returns the checkpoints that match the query with their task records, newest first.
    pub(super) fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, StoreError> {
        let all = self.outline.checkpoints();
        let older = query.before.map_or(all.len(), |before| all.partition_point(|spot| spot.seq() < before));
        if older == all.len() {
            let known = all.last().map(EntryLocation::seq);
            // Damage is an error only for a query that reaches it, because the checkpoints before it are still listable.
            if query.before.is_none_or(|before| known.map(Seq::next) < Some(before)) {
                self.check_sound()?;
            }
        }
        let first = older.saturating_sub(query.limit.unwrap_or(usize::MAX));
        let spots: Vec<&EntryLocation> = all[first..older].iter().rev().collect();
        shared(
            &spots,
            |spot| spot.end() - spot.at,
            |share| {
                let mut entries =
                    EntryReader::until(self, share.first().map_or(0, |newest| self.records_end(newest)));
                let entry = |spot: &&EntryLocation| {
                    let checkpoint = entries.checkpoint(spot)?;
                    Ok(HistoryEntry { tasks: entries.tasks(&checkpoint)?, checkpoint })
                };
                // Read in file order, which is fastest, and reversed afterwards.
                let mut listed = share.iter().rev().map(entry).collect::<Result<Vec<_>, StoreError>>()?;
                listed.reverse();
                Ok(listed)
            },
        )
    }

    /// Returns the offset behind the last task record of a checkpoint, or behind the checkpoint if it has
    /// none.
    fn records_end(&self, spot: &EntryLocation) -> u64 {
        self.outline.tasks(spot.seq()).last().map_or(spot.end(), EntryLocation::end)
    }

    /// Returns the number of the run that wrote each checkpoint, oldest checkpoint first.
    pub(super) fn runs(&self) -> Result<Vec<u64>, StoreError> {
        let mut entries = EntryReader::new(self);
        self.outline.checkpoints().iter().map(|spot| Ok(entries.checkpoint(spot)?.run)).collect()
    }

    /// Summarises the thread for a listing; `None` if it has no checkpoint and no damage. A damaged thread is
    /// shown as of its last readable checkpoint, with the damage.
    pub(super) fn summary(&self, thread: &ThreadId) -> Result<Option<ThreadSummary>, StoreError> {
        let Outline { damage, passed_over, .. } = &*self.outline;
        let damage = damage.as_ref().or(passed_over.as_ref());
        let damage = damage.map(|damage| self.corrupt(damage.at, damage.detail.clone()).to_string());
        let Some(newest) = self.outline.newest() else {
            return Ok(damage.map(|damage| summarize_unreadable(thread, damage)));
        };
        let mut entries = EntryReader::until(self, self.outline.end);
        let checkpoint = entries.checkpoint(newest)?;
        let tasks = entries.tasks(&checkpoint)?;
        Ok(Some(ThreadSummary { damage, ..summarize(thread, &checkpoint, &tasks) }))
    }

    /// Returns a function that reads the payload of an entry.
    pub(super) fn payloads(&self) -> impl FnMut(&EntryLocation) -> Result<Vec<u8>, StoreError> {
        let mut entries = EntryReader::new(self);
        move |spot| entries.require_payload(spot).map(<[u8]>::to_vec)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the seal that binds the entries to the file.
    pub(super) fn seal(&self) -> Seal {
        self.outline.identity.seal
    }

    /// Makes the error for damage at `offset`.
    pub(super) fn corrupt(&self, offset: u64, detail: String) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), offset, detail }
    }
}
