//! The writing end of one journal: the only code that appends to one. Blocks; called by the committer, and once to begin with.
//!
//! Every append is a compare-and-swap: the file must still have its name and the length that this claim left it with. After a
//! failed write or sync nothing more is written: what the system did with those bytes is not known.

use std::fs;
use std::io::Write;
use std::process;
use std::sync::{Mutex, OnceLock};

use super::folder::Folder;
use super::frame::Frame;
use super::header;
use super::held::Held;
use super::outline::Outline;
use super::tip::Tip;
use crate::engine::{Seq, StoreError, ThreadId};
use crate::store::lock;

/// A journal claimed by a run.
pub(super) struct Claim {
    thread: ThreadId,
    folder: Folder,
    held: Held,
    tail: Mutex<Tail>,
    /// Why nothing more is written.
    failed: OnceLock<StoreError>,
}

struct Tail {
    /// The length that this claim left the file with, in bytes.
    len: u64,
    /// How much of it is known to be on the disk.
    synced: u64,
    /// Whether the file's name is known to be on the disk. The process that gave it may have ended before it knew.
    named: bool,
    /// The newest checkpoint written.
    tip: Tip,
    /// How often the thread was claimed.
    epoch: u64,
    /// Whether the thread has any record; a journal without is removed in the end.
    used: bool,
}

impl Claim {
    /// Begins to write behind what `outline` found whole. What follows it was never acknowledged, and is cut off.
    pub(super) fn begin(
        folder: Folder,
        thread: ThreadId,
        held: Held,
        outline: Option<&Outline>,
    ) -> Result<Self, StoreError> {
        let whole = outline.map_or(0, |outline| outline.end);
        cut(&held, &thread, whole)?;
        let mut first = Vec::new();
        if outline.is_none() {
            first.extend_from_slice(&header::fresh().0);
        }
        let epoch = outline.map_or(0, |outline| outline.epoch).saturating_add(1);
        let synced = outline.map_or(0, |outline| outline.synced);
        Frame::claim(epoch, process::id()).write(synced, &mut first);
        let tip = outline.map_or_else(Tip::default, Outline::tip);
        let tail = Tail { len: whole, synced, named: false, tip, epoch, used: tip.seq.is_some() };
        let claim = Self { thread, folder, held, tail: Mutex::new(tail), failed: OnceLock::new() };
        claim.put(&mut lock(&claim.tail), &first)?;
        Ok(claim)
    }

    pub(super) fn thread(&self) -> &ThreadId {
        &self.thread
    }

    pub(super) fn head(&self) -> Option<Seq> {
        lock(&self.tail).tip.seq
    }

    /// The error of every further append, after the first that failed.
    pub(super) fn failed(&self) -> Option<StoreError> {
        self.failed.get().cloned()
    }

    /// Appends entries with one write. They survive the end of the process then.
    pub(super) fn write<'a>(
        &self,
        frames: impl Iterator<Item = &'a Frame> + Clone,
    ) -> Result<(), StoreError> {
        if let Some(error) = self.failed() {
            return Err(error);
        }
        let mut tail = lock(&self.tail);
        self.unmoved(&tail).inspect_err(|error| self.fail(error))?;
        let size: u64 = frames.clone().map(Frame::size).sum();
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        for frame in frames {
            let at = tail.len + bytes.len() as u64;
            tail.tip.follow(frame.head(), at);
            frame.write(tail.synced, &mut bytes);
        }
        tail.used = true;
        self.put(&mut tail, &bytes)
    }

    /// Puts everything written on the disk, and the first time the file's name.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        if let Some(error) = self.failed() {
            return Err(error);
        }
        let mut tail = lock(&self.tail);
        if tail.named && tail.synced == tail.len {
            return Ok(());
        }
        let synced = self.held.file().sync_data();
        let synced = synced.map_err(|error| StoreError::io("sync", self.held.path(), error));
        let named = synced.and_then(|()| if tail.named { Ok(()) } else { self.folder.sync() });
        named.inspect_err(|error| self.fail(error))?;
        (tail.named, tail.synced) = (true, tail.len);
        Ok(())
    }

    /// Ends the claim.
    pub(super) fn end(&self) {
        if self.failed().is_none() {
            self.close();
        }
        self.held.give_back();
    }

    /// A last entry says that everything is on the disk, once it is.
    fn close(&self) {
        let used = {
            let tail = lock(&self.tail);
            if self.unmoved(&tail).is_err() {
                return;
            }
            tail.used
        };
        if !used {
            // The file is empty again, and goes with the right to it.
            let _ = self.held.file().set_len(0);
        } else if self.sync().is_ok() {
            let mut tail = lock(&self.tail);
            let mut last = Vec::new();
            Frame::close(tail.epoch, tail.tip.root).write(tail.synced, &mut last);
            let _ = self.put(&mut tail, &last);
        }
    }

    /// Whether nobody else has written since.
    fn unmoved(&self, tail: &Tail) -> Result<(), StoreError> {
        let found = match self.held.in_place()? {
            false if fs::exists(self.held.path()).unwrap_or(false) => {
                "in a journal that replaced its own".to_owned()
            }
            false => "gone, its journal was removed".to_owned(),
            true => match self.held.len()? {
                len if len == tail.len => return Ok(()),
                len => format!("in a journal of {len} bytes instead of {}", tail.len),
            },
        };
        let expected = tail.tip.seq.map_or_else(|| "none".to_owned(), |head| head.to_string());
        Err(StoreError::Conflict { thread: self.thread.clone(), expected, found })
    }

    fn put(&self, tail: &mut Tail, bytes: &[u8]) -> Result<(), StoreError> {
        if let Err(error) = self.held.file().write_all(bytes) {
            // Were this to fail too, the next claim would cut the same bytes off.
            let _ = self.held.file().set_len(tail.len);
            let error = StoreError::io("append to", self.held.path(), error);
            self.fail(&error);
            return Err(error);
        }
        tail.len += bytes.len() as u64;
        Ok(())
    }

    fn fail(&self, error: &StoreError) {
        let lasting = match error {
            StoreError::Conflict { .. } => error.clone(),
            other => StoreError::Closed(other.to_string()),
        };
        let _ = self.failed.set(lasting);
    }
}

/// Cuts off what is behind the last whole entry.
fn cut(held: &Held, thread: &ThreadId, whole: u64) -> Result<(), StoreError> {
    let torn = held.len()?.saturating_sub(whole);
    if torn == 0 {
        return Ok(());
    }
    tracing::warn!(%thread, bytes = torn, "cut off the end of a journal that was never acknowledged");
    held.file().set_len(whole).map_err(|error| StoreError::io("cut", held.path(), error))
}
