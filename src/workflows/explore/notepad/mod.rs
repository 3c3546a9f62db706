//! The notepad that all agents share: notes by topic, in memory and thread-safe (EXP-29 to 36).
//!
//! A note is identified by its author and its number, so a resumed run that writes it again changes nothing. All outputs order the notes of
//! a topic by author and number, never by arrival.

mod note;
mod topic;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use note::NotepadEntry;
pub use topic::{InvalidTopic, Topic};

/// The notes of an exploration by topic. A view of the states of the agents: it is filled again from them after a resume.
#[derive(Debug, Default)]
pub struct Notepad {
    topics: Mutex<BTreeMap<Topic, Vec<NotepadEntry>>>,
}

/// The effect of a write.
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
    /// Makes a notepad of notes.
    pub fn of(notes: impl IntoIterator<Item = NotepadEntry>) -> Self {
        let notepad = Self::default();
        notes.into_iter().for_each(|note| drop(notepad.write(note)));
        notepad
    }

    /// Appends a note to its topic, unless it is there already.
    pub fn write(&self, note: NotepadEntry) -> WriteEffect {
        let mut topics = self.topics();
        let notes = topics.entry(note.topic.clone()).or_default();
        match notes.binary_search_by(|known| known.position().cmp(&note.position())) {
            Ok(_) => WriteEffect::Known,
            Err(at) => {
                notes.insert(at, note);
                if notes.len() == 1 { WriteEffect::NewTopic } else { WriteEffect::Appended }
            }
        }
    }

    /// Returns the notes of a topic by author and number; none for an unknown topic.
    pub fn read(&self, topic: &Topic) -> Vec<NotepadEntry> {
        self.topics().get(topic).cloned().unwrap_or_default()
    }

    /// Returns the topics with their numbers of notes, by name.
    pub fn list_topics(&self) -> Vec<(Topic, usize)> {
        self.topics().iter().map(|(topic, notes)| (topic.clone(), notes.len())).collect()
    }

    /// Returns all notes, by topic, author and number.
    pub fn notes(&self) -> Vec<NotepadEntry> {
        self.topics().values().flatten().cloned().collect()
    }

    /// Returns true if there is no note.
    pub fn is_empty(&self) -> bool {
        self.topics().is_empty()
    }

    fn topics(&self) -> MutexGuard<'_, BTreeMap<Topic, Vec<NotepadEntry>>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
