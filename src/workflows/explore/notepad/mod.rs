//! Notepad that all agents share: notes by topic, in memory and thread-safe (EXP-29 to 36).
//!
//! A note is identified by its author and its number, so a resumed run that writes it again changes
//! nothing. All outputs order the notes of a topic by author and number, never by arrival.

mod note;
mod text;
mod topic;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub use note::{MAX_AGENT_NOTES, NOTE_CHARS, NotepadEntry};
pub use topic::{InvalidTopic, Topic};

/// Maximum number of topics of a notepad.
pub const MAX_TOPICS: usize = 2_000;

/// Maximum number of bytes of all notes together.
pub const MAX_BYTES: usize = 16 << 20;

/// Maximum length of the text form for prompts, in characters (EXP-34).
pub const TEXT_CHARS: usize = 8_000;

/// Reason why a notepad takes no further note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FullNotepad {
    /// The limit of topics is reached.
    #[error("the notepad has {MAX_TOPICS} topics, which is the limit; write to one that exists")]
    Topics,
    /// The limit of bytes is reached.
    #[error("the notepad is full; put the finding into your summary")]
    Bytes,
}

/// Notes of all agents by topic. A copy of the notes in the states of the agents, from which it is
/// filled again after a resume.
#[derive(Debug, Default)]
pub struct Notepad {
    kept: Mutex<KeptNotes>,
}

/// Notes by topic, sorted by author and number, and the bytes of their contents.
#[derive(Debug, Default)]
struct KeptNotes {
    topics: BTreeMap<Topic, Vec<NotepadEntry>>,
    bytes: usize,
}

/// Effect of writing a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteEffect {
    /// The first note of its topic.
    NewTopic,
    /// A further note.
    Appended,
    /// The note was there already.
    Known,
}

impl Notepad {
    /// Makes a notepad with these notes.
    pub fn of(notes: impl IntoIterator<Item = NotepadEntry>) -> Self {
        let notepad = Self::default();
        for note in notes {
            notepad.write(note);
        }
        notepad
    }

    /// Adds a note to its topic, unless it is there already. Does not check the limits; see
    /// [`check_room`](Self::check_room).
    pub fn write(&self, note: NotepadEntry) -> WriteEffect {
        let mut kept = self.lock();
        let bytes = note.content.len();
        let notes = kept.topics.entry(note.topic.clone()).or_default();
        match notes.binary_search_by(|known| known.position().cmp(&note.position())) {
            Ok(_) => WriteEffect::Known,
            Err(at) => {
                notes.insert(at, note);
                let effect = if notes.len() == 1 { WriteEffect::NewTopic } else { WriteEffect::Appended };
                kept.bytes += bytes;
                effect
            }
        }
    }

    /// Returns the notes of a topic, by author and number; empty for an unknown topic.
    pub fn read(&self, topic: &Topic) -> Vec<NotepadEntry> {
        self.lock().topics.get(topic).cloned().unwrap_or_default()
    }

    /// Returns the topics, sorted by name, with their numbers of notes.
    pub fn list_topics(&self) -> Vec<(Topic, usize)> {
        self.lock().topics.iter().map(|(topic, notes)| (topic.clone(), notes.len())).collect()
    }

    /// Returns all notes, by topic, author and number.
    pub fn notes(&self) -> Vec<NotepadEntry> {
        self.lock().topics.values().flatten().cloned().collect()
    }

    /// Returns true if there is no note.
    pub fn is_empty(&self) -> bool {
        self.lock().topics.is_empty()
    }

    /// Checks that there is room for a note, or that it is there already.
    pub fn check_room(&self, note: &NotepadEntry) -> Result<(), FullNotepad> {
        let kept = self.lock();
        let notes = kept.topics.get(&note.topic).map_or(&[][..], Vec::as_slice);
        if notes.binary_search_by(|known| known.position().cmp(&note.position())).is_ok() {
            return Ok(());
        }
        if kept.topics.len() >= MAX_TOPICS && !kept.topics.contains_key(&note.topic) {
            return Err(FullNotepad::Topics);
        }
        if kept.bytes + note.content.len() > MAX_BYTES { Err(FullNotepad::Bytes) } else { Ok(()) }
    }

    /// Returns the notes by topic as a text of at most `chars` characters (EXP-34), with the number of
    /// omitted notes.
    pub fn to_text(&self, chars: usize) -> String {
        text::format(&self.lock().topics, chars)
    }

    /// Returns the notes as JSON for storage: by topic, a list of content, author and timestamp (EXP-33); `None` if there is no note.
    pub fn to_json(&self) -> Option<Value> {
        text::to_json(&self.lock().topics)
    }

    fn lock(&self) -> MutexGuard<'_, KeptNotes> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
