//! Log of the events of an exploration: numbers them, writes them to a file as they happen, and passes
//! them on to readers (EXP-41, EXP-48).
//!
//! A resumed run repeats parts of its work and tells events again that the file has already; the log
//! drops an event whose key it knows. An event is written before the step that it belongs to is
//! committed, so no event of a committed step is missing.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stategraph_base::regular::{Links, open, open_as};

use super::event::{ExplorationEvent, NumberedEvent};
use super::reader::{EventQueue, EventReader};

/// Maximum length of a line of the file, in bytes. A longer one is damaged.
pub const LINE_MAX: usize = 1 << 20;

/// Log of the events of an exploration, shared by all agents.
#[derive(Debug, Default)]
pub struct EventLog {
    open: Mutex<OpenLog>,
}

/// State of an event log under its lock: the file, the known keys, and the readers.
#[derive(Debug, Default)]
pub struct OpenLog {
    path: Option<PathBuf>,
    /// `None` before the first event, and without a path.
    file: Option<File>,
    /// Keys of the events in the log.
    told: HashSet<String>,
    /// Number of the last event; 0 before the first one.
    last: u64,
    readers: Vec<Arc<EventQueue>>,
}

/// Error of an event log that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the log of events {} cannot be {action}: {source}", path.display())]
pub struct EventLogError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

impl EventLog {
    /// Makes a log that continues the file at `path`. The file is opened by the first event.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let open = OpenLog { path: Some(path.into()), ..OpenLog::default() };
        Self { open: Mutex::new(open) }
    }

    /// Locks the log, so that several events can be told without others between them.
    pub fn lock(&self) -> MutexGuard<'_, OpenLog> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Empties the log and its file for a new exploration, and creates the file and its folders.
    pub fn begin(&self) -> Result<(), EventLogError> {
        let mut open = self.lock();
        open.told.clear();
        open.last = 0;
        let Some(path) = open.path.clone() else { return Ok(()) };
        open.file =
            Some(create(&path).map_err(|source| EventLogError { path, action: "written", source })?);
        Ok(())
    }

    /// Adds a reader that gets all events from number `from` on, including those that are in the file
    /// already (EXP-48).
    pub fn subscribe(&self, from: u64) -> Result<EventReader, EventLogError> {
        let mut open = self.lock();
        open.resume()?;
        let queue = Arc::new(EventQueue::default());
        if let Some(path) = open.path.clone() {
            let push = |event: NumberedEvent| {
                if event.seq >= from {
                    queue.push(&Arc::new(event));
                }
            };
            read_log(&path, push).map_err(|source| EventLogError { path, action: "read", source })?;
        }
        open.readers.push(queue.clone());
        Ok(EventReader::of(queue))
    }

    /// Ends the streams of all readers.
    pub fn close(&self) {
        self.lock().readers.drain(..).for_each(|reader| reader.close());
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        self.close();
    }
}

impl OpenLog {
    /// Numbers an event, writes it to the file and passes it to the readers. Returns it with its
    /// number, or `None` if its key is known already.
    pub fn tell(&mut self, event: ExplorationEvent) -> Result<Option<Arc<NumberedEvent>>, EventLogError> {
        self.resume()?;
        let key = event.key();
        if key.as_ref().is_some_and(|key| self.told.contains(key)) {
            return Ok(None);
        }
        let event = Arc::new(NumberedEvent { seq: self.last + 1, event });
        if let (Some(file), Some(path)) = (&mut self.file, &self.path) {
            let mut line = serde_json::to_vec(&*event).expect("an event is JSON with string keys");
            line.push(b'\n');
            // One write a line, so that a kill leaves at most one torn line, which is the last.
            if let Err(source) = file.write_all(&line) {
                let path = path.clone();
                // A part of the line may be in the file. The next event begins behind the last whole line.
                (self.file, self.last) = (None, 0);
                self.told.clear();
                return Err(EventLogError { path, action: "written", source });
            }
        }
        // Told only now: an event that could not be written is told again.
        self.last = event.seq;
        self.told.extend(key);
        self.readers.iter().for_each(|reader| reader.push(&event));
        Ok(Some(event))
    }

    /// Opens the file before the first event of a process, and reads the keys and the last number from
    /// it.
    fn resume(&mut self) -> Result<(), EventLogError> {
        let (None, Some(path)) = (&self.file, self.path.clone()) else { return Ok(()) };
        let failed = |source| EventLogError { path: path.clone(), action: "read", source };
        let mut learn = |event: NumberedEvent| {
            self.last = event.seq;
            self.told.extend(event.event.key());
        };
        let whole = if path.exists() { read_log(&path, &mut learn).map_err(failed)? } else { 0 };
        self.file = Some(append_from(&path, whole).map_err(failed)?);
        Ok(())
    }
}

/// Creates the file and its folders, or empties it.
fn create(path: &Path) -> io::Result<File> {
    append_from(path, 0)
}

/// Opens a log file for writing behind its first `whole` bytes and cuts off the rest, such as a line
/// that a kill left incomplete. Creates missing folders and refuses a symbolic link.
fn append_from(path: &Path, whole: u64) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // A link there would lead out of the folder.
    let mut options = OpenOptions::new();
    let mut file = open_as(options.create(true).truncate(false).write(true), path, Links::Refused)?;
    file.set_len(whole)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

/// Reads the events of a log file in order and passes each to `take`. Stops at the first line that is
/// damaged or out of order, and returns the length in bytes of the lines before it.
pub fn read_log(path: &Path, mut take: impl FnMut(NumberedEvent)) -> io::Result<u64> {
    let mut lines = BufReader::new(open(path, Links::Followed)?);
    let (mut whole, mut last) = (0, 0);
    loop {
        let mut line = Vec::new();
        lines.by_ref().take(LINE_MAX as u64).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(whole);
        }
        let Ok(event) = serde_json::from_slice::<NumberedEvent>(&line) else { return Ok(whole) };
        if event.seq != last + 1 {
            return Ok(whole);
        }
        last = event.seq;
        whole += line.len() as u64;
        take(event);
    }
}
