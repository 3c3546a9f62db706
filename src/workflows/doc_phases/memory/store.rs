//! The memory itself: entries are validated against their schema and the repository, stored on disk and found again. All methods
//! take `&self` because components are explored concurrently.
//!
//! An entry stored again under the same id replaces the earlier one and keeps its `created_at` (DOC-98). Unchanged content keeps
//! its `updated_at` too. Of two authors in one run, the one with precedence wins, independent of the order of the stores; see
//! [`EntryAuthor`].

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::author::{EntryAuthor, WrittenBy};
use super::error::MemoryError;
use super::folder::MemoryFolder;
use super::index::{MemoryIndex, PhaseProgress, Records};
use super::lock::Lock;
use super::missing_paths::missing_paths;
use super::record::{self, EntryRecord, History};
use super::schema::{EntryProblem, Rejection, quote};
use super::semantic::Vectors;
use super::tree::RepositoryTree;
use super::types::{Entry, EntryType, MemoryEntry};
use crate::engine::nearest;
use crate::repo::{ContentHash, FileWriter, Files};
use crate::workflows::doc_phases::selection::SelectedFacts;
use crate::workflows::timestamp::Timestamp;

/// Maximum size of an entry, in bytes of JSON. A query result has at most a hundred of them.
pub const ENTRY_BYTES: usize = 256 * 1024;

/// Outcome of storing an entry in the agent's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOutcome {
    /// The id is new.
    New,
    /// An earlier entry was replaced.
    Replaced,
    /// The stored entry is equal.
    Unchanged,
    /// An entry of this run stays because its author has precedence.
    Overruled,
}

/// The agent's memory of a code base: entries with findings, kept as JSON files in a folder and in this
/// value. Its lock keeps other processes out until it is dropped.
pub struct Memory {
    folder: MemoryFolder,
    now: Timestamp,
    files: Option<Arc<dyn Files>>,
    written_by: Option<WrittenBy>,
    notices: Vec<String>,
    state: Mutex<MemoryState>,
    tree: Mutex<Option<RepositoryTree>>,
    facts: Mutex<Arc<SelectedFacts>>,
    pub(super) vectors: Mutex<Vectors>,
    _lock: Lock,
}

/// Part of the agent's memory that stores change, behind one lock: entries, phases and index.
struct MemoryState {
    records: Records,
    progress: PhaseProgress,
    /// Content of the index file.
    index: MemoryIndex,
}

impl Memory {
    /// Opens the agent's memory in the folder `root`, creates the folder if it is missing, locks it, and
    /// reads all entries. `now` is the time stamp of everything that is stored: the run's journaled start, so
    /// a killed and resumed run writes the same bytes.
    pub fn open(root: &Path, now: Timestamp) -> Result<Self, MemoryError> {
        let folder = MemoryFolder::open(root)?;
        let lock = Lock::take(&folder.lock_file()?, folder.display_path())?;
        let mut notices = Vec::new();
        // Reads the index first because no file of a memory with another version may be renamed.
        let found = folder.read_index(&mut notices)?;
        let (records, broken) = folder.load()?;
        notices.extend(broken);
        let progress = found.clone().map(PhaseProgress::from_index).unwrap_or_default();
        let index = MemoryIndex::from_records(&records, &progress);
        if let Some(found) = &found
            && *found != index
        {
            notices.push(format!(
                "{}/index.json did not agree with the files; it was made anew",
                folder.display_path()
            ));
        }
        if found.as_ref() != Some(&index) && (found.is_some() || !records.is_empty()) {
            folder.write_index(&index)?;
        }
        let tree = Mutex::new(folder.read_tree(&mut notices)?);
        let facts = Mutex::new(Arc::new(folder.read_facts(&mut notices)?.unwrap_or_default()));
        let state = Mutex::new(MemoryState { records, progress, index });
        let vectors = Mutex::default();
        Ok(Self {
            folder,
            now,
            files: None,
            written_by: None,
            notices,
            state,
            tree,
            facts,
            vectors,
            _lock: lock,
        })
    }

    /// Sets the repository against which the paths in entries are validated, and from which described files
    /// are hashed (DOC-89). Without it, paths are not checked.
    #[must_use]
    pub fn with_files(mut self, files: Arc<dyn Files>) -> Self {
        self.files = Some(files);
        self
    }

    /// Sets the explorer, rules or a model, that is recorded with every entry stored from now on.
    #[must_use]
    pub fn written_by(mut self, author: WrittenBy) -> Self {
        self.written_by = Some(author);
        self
    }

    /// Replaces the writer of files, for example by a [deferred](FileWriter::deferred) one if all of them can
    /// be computed again.
    #[must_use]
    pub fn with_writer(mut self, writer: FileWriter) -> Self {
        self.folder.set_writer(writer);
        self
    }

    /// Returns the notices for the user about the opening of the memory: renamed unreadable files, and a
    /// rebuilt index.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the start of the run: the time stamp of every entry that this run stores. An entry with an
    /// earlier one is of an earlier run.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Validates and stores an entry with the default author; see [`Self::store_as`].
    pub fn store(&self, entry: impl Into<Entry>) -> Result<StoreOutcome, MemoryError> {
        self.store_as(&EntryAuthor::default(), entry)
    }

    /// Validates an entry and stores it for an author. It replaces the entry with the same id unless an
    /// author with precedence stored that in this run.
    pub fn store_as(
        &self,
        author: &EntryAuthor,
        entry: impl Into<Entry>,
    ) -> Result<StoreOutcome, MemoryError> {
        let entry = entry.into();
        let value = Value::Object(record::entry_fields(&entry));
        let mut checked = self.check_entry(entry.entry_type(), &value)?;
        if let (Entry::File(checked), Entry::File(file), None) = (&mut checked, entry, &self.files) {
            checked.last_read_hash = file.last_read_hash;
        }
        self.commit(author, checked)
    }

    /// Validates and stores an entry, given as JSON, that the rules derived from the repository. Its recorded
    /// explorer is the rules, even in the run of a model.
    pub fn store_by_rules(
        &self,
        author: &EntryAuthor,
        kind: EntryType,
        entry: &Value,
    ) -> Result<StoreOutcome, MemoryError> {
        let entry = self.check_entry(kind, entry)?;
        self.commit_by(author, Some(WrittenBy::Rules), entry)
    }

    /// Validates and stores an entry that a model gives as JSON, with the default author (DOC-61, 78). Times
    /// and hashes in it, as in query results, are ignored.
    pub fn store_json(&self, kind: EntryType, entry: &Value) -> Result<StoreOutcome, MemoryError> {
        self.store_json_as(&EntryAuthor::default(), kind, entry)
    }

    /// Validates and stores an entry that a model gives as JSON, for an author; see [`Self::store_as`].
    pub fn store_json_as(
        &self,
        author: &EntryAuthor,
        kind: EntryType,
        entry: &Value,
    ) -> Result<StoreOutcome, MemoryError> {
        let entry = self.check_entry(kind, entry)?;
        self.commit(author, entry)
    }

    /// Removes an entry and its file. Returns true if it existed.
    pub fn forget(&self, kind: EntryType, id: &str) -> Result<bool, MemoryError> {
        let mut state = self.lock_state();
        self.folder.remove(kind, id)?;
        let was = state.records.get_mut(&kind).and_then(|records| records.remove(id)).is_some();
        self.refresh_index(&mut state)?;
        Ok(was)
    }

    /// Returns a copy of the entry with this type and id, if there is one.
    pub fn get(&self, kind: EntryType, id: &str) -> Option<EntryRecord> {
        self.lock_state().records.get(&kind)?.get(id).cloned()
    }

    /// Returns copies of all entries of a type, in the order of their ids. For programs; models use bounded
    /// queries.
    pub fn all(&self, kind: EntryType) -> Vec<EntryRecord> {
        self.lock_state()
            .records
            .get(&kind)
            .into_iter()
            .flat_map(|records| records.values().cloned())
            .collect()
    }

    /// Returns all entries of a type as their Rust type, in the order of their ids.
    pub fn entries<E: MemoryEntry + Clone>(&self) -> Vec<E> {
        self.all(E::TYPE).iter().filter_map(|record| E::from_entry(&record.entry).cloned()).collect()
    }

    /// Returns a copy of the index.
    pub fn index(&self) -> MemoryIndex {
        self.lock_state().index.clone()
    }

    /// Marks a component as explored (DOC-63). Fails if it has no entry.
    pub fn mark_explored(&self, id: &str) -> Result<(), MemoryError> {
        self.set_explored(id, Some(self.now))
    }

    /// Marks a component as unexplored; its entry stays. Fails if it has no entry.
    pub fn reopen(&self, id: &str) -> Result<(), MemoryError> {
        self.set_explored(id, None)
    }

    /// Sets the current phase, and its progress (such as `in_progress`), in the index file.
    pub fn set_phase(&self, phase: &str, progress: impl Into<Value>) -> Result<(), MemoryError> {
        let mut state = self.lock_state();
        state.progress.current_phase = Some(phase.to_owned());
        state.progress.by_phase.insert(phase.to_owned(), progress.into());
        self.refresh_index(&mut state)
    }

    /// Returns the facts of the repository that a run selected and stored; empty before.
    pub fn facts(&self) -> Arc<SelectedFacts> {
        Arc::clone(&self.facts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the facts of the repository, and writes their file unless they are equal to the stored ones.
    pub fn set_facts(&self, facts: SelectedFacts) -> Result<(), MemoryError> {
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if **known != facts {
            self.folder.write_facts(&facts)?;
            *known = Arc::new(facts);
        }
        Ok(())
    }

    pub(super) fn tree(&self) -> Option<RepositoryTree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_tree(&self, tree: RepositoryTree) {
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree);
    }

    pub(super) fn folder(&self) -> &MemoryFolder {
        &self.folder
    }

    /// Calls `look` with the records of a type, by id, and returns its result. Nothing is copied; the memory
    /// is locked meanwhile.
    pub(super) fn with_records<T>(
        &self,
        kind: EntryType,
        look: impl FnOnce(&std::collections::BTreeMap<String, EntryRecord>) -> T,
    ) -> T {
        let mut state = self.lock_state();
        look(state.records.entry(kind).or_default())
    }

    fn lock_state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Validates an entry against its size limit, its schema and the paths of the repository. Sets the
    /// content hash of a described file.
    fn check_entry(&self, kind: EntryType, value: &Value) -> Result<Entry, Rejection> {
        let bytes = value.to_string().len();
        if bytes > ENTRY_BYTES {
            let rule = format!("has {bytes} bytes, more than {ENTRY_BYTES}");
            let problem =
                EntryProblem::new("", rule, "keep the essentials; what is left out can be read again");
            return Err(Rejection { entry_type: kind, problems: vec![problem] });
        }
        let mut entry = record::parse_entry(kind, value)?;
        let Some(files) = &self.files else { return Ok(entry) };
        let problems = missing_paths(&**files, &entry);
        if !problems.is_empty() {
            return Err(Rejection { entry_type: kind, problems });
        }
        if let Entry::File(file) = &mut entry {
            let path = files.path(Path::new(&file.file_path));
            file.last_read_hash = path.ok().and_then(|path| ContentHash::of_file(&**files, &path).ok());
        }
        Ok(entry)
    }

    pub(super) fn commit(&self, author: &EntryAuthor, entry: Entry) -> Result<StoreOutcome, MemoryError> {
        self.commit_by(author, self.written_by.clone(), entry)
    }

    fn commit_by(
        &self,
        author: &EntryAuthor,
        written_by: Option<WrittenBy>,
        entry: Entry,
    ) -> Result<StoreOutcome, MemoryError> {
        let (kind, id) = (entry.entry_type(), entry.id().to_owned());
        let mut state = self.lock_state();
        let old = state.records.get(&kind).and_then(|records| records.get(&id));
        let stored = self.decide_outcome(author, &entry, old);
        if stored == StoreOutcome::Overruled {
            return Ok(stored);
        }
        let history = self.next_history(author, written_by, &entry, old);
        let record = EntryRecord { entry, history };
        if old != Some(&record) {
            self.folder.write_record(&record)?;
            state.records.entry(kind).or_default().insert(id, record);
        }
        self.refresh_index(&mut state)?;
        Ok(stored)
    }

    fn decide_outcome(&self, author: &EntryAuthor, entry: &Entry, old: Option<&EntryRecord>) -> StoreOutcome {
        let Some(old) = old else { return StoreOutcome::New };
        let by = &old.history.stored_by;
        if old.history.stored_at() == self.now
            && !author.overrules(entry.component(), by, old.entry.component())
        {
            return StoreOutcome::Overruled;
        }
        if old.entry == *entry { StoreOutcome::Unchanged } else { StoreOutcome::Replaced }
    }

    fn next_history(
        &self,
        author: &EntryAuthor,
        written_by: Option<WrittenBy>,
        entry: &Entry,
        old: Option<&EntryRecord>,
    ) -> History {
        let now = self.now;
        let before = old.and_then(|old| old.previous_version(now));
        let fresh = History {
            created_at: old.map_or(now, EntryRecord::created_at),
            updated_at: now,
            confirmed_at: None,
            explored_at: old.and_then(|old| old.history.explored_at),
            stored_by: author.clone(),
            written_by,
            before: None,
        };
        match before {
            Some(same) if same.matches(entry) => {
                let confirmed_at = Some(now).filter(|now| *now != same.updated_at);
                History { updated_at: same.updated_at, confirmed_at, written_by: same.written_by, ..fresh }
            }
            before => History { before, ..fresh },
        }
    }

    fn set_explored(&self, id: &str, explored_at: Option<Timestamp>) -> Result<(), MemoryError> {
        let kind = EntryType::Component;
        let mut state = self.lock_state();
        let records = state.records.entry(kind).or_default();
        let Some(record) = records.get_mut(id) else {
            let nearest = nearest(id, records.keys().map(String::as_str));
            return Err(MemoryError::Unknown { entry_type: kind, id: quote(id), nearest });
        };
        if record.history.explored_at != explored_at {
            let mut changed = record.clone();
            changed.history.explored_at = explored_at;
            self.folder.write_record(&changed)?;
            *record = changed;
        }
        self.refresh_index(&mut state)
    }

    /// Computes the index from the records, and writes its file if it changed.
    fn refresh_index(&self, state: &mut MemoryState) -> Result<(), MemoryError> {
        state.progress.changed = self.now;
        let index = MemoryIndex::from_records(&state.records, &state.progress);
        if index != state.index {
            self.folder.write_index(&index)?;
            state.index = index;
        }
        Ok(())
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("folder", &self.folder.display_path())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
