//! Strips removed files and components from every entry that names them (DOC-88, DOC-90): an update explores only changes, so the
//! entries that it does not explore would go on naming removed items.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::store::Memory;
use super::types::{DataModel, EntryType, Note};

/// Files and components that are no longer in the repository, and the data models of these files. An update
/// strips them from all entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removals {
    /// Paths of removed files.
    pub files: BTreeSet<String>,
    /// Ids of removed components.
    pub components: BTreeSet<String>,
    /// Ids and names of the data models that the removed files defined.
    #[serde(default)]
    models: BTreeSet<String>,
}

impl Removals {
    /// Returns the removal of these files and components, without data models.
    pub fn new(files: BTreeSet<String>, components: BTreeSet<String>) -> Self {
        Self { files, components, models: BTreeSet::new() }
    }

    /// Returns true if no file and no component is removed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.components.is_empty()
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    pub(super) fn has_component(&self, id: &str) -> bool {
        self.components.contains(id)
    }

    pub(super) fn has_model(&self, model: &str) -> bool {
        self.models.contains(model)
    }

    pub(super) fn remove_files(&self, paths: &mut Vec<String>) {
        paths.retain(|path| !self.has_file(path));
    }

    pub(super) fn remove_components(&self, ids: &mut Vec<String>) {
        ids.retain(|id| !self.has_component(id));
    }

    /// Returns true if the text contains the path of a removed file as a whole, not as a part of a longer
    /// path.
    pub(super) fn is_mentioned_in(&self, text: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
        let stands_alone = |(at, path): (usize, &str)| {
            let before = text[..at].chars().next_back().is_some_and(|c| is_part(c) || c == '.');
            let behind = text[at + path.len()..].chars().next().is_some_and(is_part);
            !before && !behind
        };
        self.files.iter().any(|path| text.match_indices(path.as_str()).any(stands_alone))
    }

    /// Removes the sentences that mention a removed file from the text. Sentences end with `. `.
    pub(super) fn remove_sentences(&self, text: &mut String) {
        if self.is_mentioned_in(text) {
            let left = text.split_inclusive(". ").filter(|sentence| !self.is_mentioned_in(sentence));
            left.collect::<String>().trim_end().clone_into(text);
        }
    }
}

impl Memory {
    /// Removes the notes about lines of the `changed` files from the agent's memory: the lines may have
    /// moved, and the notes may be outdated. Idempotent.
    pub fn forget_notes_on(&self, changed: &[String]) -> Result<(), MemoryError> {
        for note in self.entries::<Note>() {
            if note.lines().is_some_and(|lines| changed.contains(&lines.path)) {
                self.forget(EntryType::Note, &note.note_id)?;
            }
        }
        Ok(())
    }

    /// Removes the entries about removed files and components from the agent's memory, and strips their names
    /// from all other entries. Idempotent.
    pub fn forget_removed(&self, gone: &Removals) -> Result<(), MemoryError> {
        if gone.is_empty() {
            return Ok(());
        }
        let models = self.entries::<DataModel>().into_iter().filter(|model| gone.has_file(&model.file_path));
        let models = models.flat_map(|model| [model.model_id, model.model_name]).collect();
        let gone = Removals { models, ..gone.clone() };
        for kind in EntryType::ALL {
            for record in self.all(*kind) {
                let mut entry = record.entry.clone();
                if !entry.strip_removed(&gone) {
                    self.forget(*kind, record.entry.id())?;
                } else if entry != record.entry {
                    self.commit(&record.history.stored_by, entry)?;
                }
            }
        }
        Ok(())
    }
}
