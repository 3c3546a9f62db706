//! The stream of events of an exploration: one number each, written to a file as they happen, and passed on to readers (EXP-41, EXP-48).
//!
//! A killed and resumed run repeats parts of its work, so it tells events again that the file has. An event happens once: a second one with
//! its key is left out. The write is done before the step that it belongs to is committed, so no event of a committed step is missing.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stategraph_base::regular::{Links, open, open_as};

use super::event::{ExplorationEvent, NumberedEvent};
use super::reader::{EventQueue, EventReader};

/// Longest line of a log, in bytes. A longer one is damage.
pub const LINE_MAX: usize = 1 << 20;

/// The stream of events of an exploration.
#[derive(Debug, Default)]
pub struct EventLog {
    open: Mutex<OpenLog>,
}

/// The state of a stream.
#[derive(Debug, Default)]
pub struct OpenLog {
    path: Option<PathBuf>,
    /// `None` before the first event, and without a path.
    file: Option<File>,
    told: HashSet<String>,
    last: u64,
    readers: Vec<Arc<EventQueue>>,
}

/// The error of a log that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the log of events {} cannot be {action}: {source}", path.display())]
pub struct EventLogError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

impl EventLog {
    /// Makes a stream that continues the file at `path`. Nothing is opened before the first event.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let open = OpenLog { path: Some(path.into()), ..OpenLog::default() };
        Self { open: Mutex::new(open) }
    }

    /// Locks the stream, so that several events stand together in it.
    pub fn lock(&self) -> MutexGuard<'_, OpenLog> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the file anew: an exploration begins.
    pub fn begin(&self) -> Result<(), EventLogError> {
        let mut open = self.lock();
        open.told.clear();
        open.last = 0;
        let Some(path) = open.path.clone() else { return Ok(()) };
        open.file =
            Some(create(&path).map_err(|source| EventLogError { path, action: "written", source })?);
        Ok(())
    }

    /// Adds a reader that gets the events from number `from` on, also those that are in the file already (EXP-48).
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
    /// Tells an event, unless it was told before. Returns it with its number then.
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

    /// Opens the file at the first event of a process, and learns the events that are in it.
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

/// Opens a log at the end of its whole lines. A torn last line, which a kill left, is cut off.
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

/// Reads the events of a log in order. Ends at the first line that is damaged or out of order. Returns the length of the lines before it.
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
