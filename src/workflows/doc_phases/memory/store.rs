//! The memory itself: what is stored is held against its schema and the repository, kept whole on disk and found again. All of it
//! takes `&self`, so that components can be explored side by side.
//!
//! The rule for an id that is stored again (DOC-98): the new entry replaces the old one as a whole and `created_at` stays; what says the
//! same as before keeps its `updated_at` too. Of two authors of one run the one that [`Author`] puts first stands, whoever comes first.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::author::{Author, WrittenBy};
use super::error::MemoryError;
use super::folder::Folder;
use super::index::{Course, Index, Records};
use super::lock::Lock;
use super::meaning::Vectors;
use super::record::{self, History, Record};
use super::schema::{Problem, Rejection, quoted};
use super::timestamp::Timestamp;
use super::tree::Tree;
use super::types::{Entry, EntryType, MemoryEntry};
use crate::engine::nearest;
use crate::repo::{ContentHash, Files};

/// The largest entry, in bytes of JSON. A query answers a hundred of them at most.
pub const ENTRY_BYTES: usize = 256 * 1024;

/// What became of an entry that was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It is the first of its id.
    New,
    /// It took the place of an earlier one.
    Replaced,
    /// It says what was there already.
    Unchanged,
    /// An entry of this run by an author that comes before this one stands.
    Overruled,
}

/// An opened memory. Nobody else can open it until it is dropped.
pub struct Memory {
    folder: Folder,
    now: Timestamp,
    files: Option<Arc<dyn Files>>,
    written_by: Option<WrittenBy>,
    notices: Vec<String>,
    held: Mutex<Held>,
    tree: Mutex<Option<Tree>>,
    pub(super) vectors: Mutex<Vectors>,
    _lock: Lock,
}

/// What the lock guards.
struct Held {
    records: Records,
    course: Course,
    /// As it stands in its file.
    index: Index,
}

impl Memory {
    /// Opens the memory in the folder `root`, which is made if it is not there. `now` is the time of everything that is stored:
    /// the run's journaled start, so that a run that was killed and resumed writes the same bytes.
    pub fn open(root: &Path, now: Timestamp) -> Result<Self, MemoryError> {
        let folder = Folder::open(root)?;
        let lock = Lock::take(&folder.lock()?, folder.shown())?;
        let mut notices = Vec::new();
        // The index first: nothing is put aside in a memory of another version.
        let found = folder.read_index(&mut notices)?;
        let (records, broken) = folder.load()?;
        notices.extend(broken);
        let course = found.clone().map(Course::of).unwrap_or_default();
        let index = Index::of(&records, &course);
        if let Some(found) = &found
            && *found != index
        {
            notices.push(format!(
                "{}/index.json did not agree with the files; it was made anew",
                folder.shown()
            ));
        }
        if found.as_ref() != Some(&index) && (found.is_some() || !records.is_empty()) {
            folder.write_index(&index)?;
        }
        let tree = Mutex::new(folder.read_tree(&mut notices)?);
        let held = Mutex::new(Held { records, course, index });
        let vectors = Mutex::default();
        Ok(Self { folder, now, files: None, written_by: None, notices, held, tree, vectors, _lock: lock })
    }

    /// Holds the paths in entries against these files, and hashes each file that is described (DOC-89).
    #[must_use]
    pub fn checking(mut self, files: Arc<dyn Files>) -> Self {
        self.files = Some(files);
        self
    }

    /// Marks what is stored from now on as found out by rules, or by a model.
    #[must_use]
    pub fn written_by(mut self, author: WrittenBy) -> Self {
        self.written_by = Some(author);
        self
    }

    /// What was wrong with the files when the memory was opened, for the user.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The time of everything that is stored.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Stores an entry.
    pub fn store(&self, entry: impl Into<Entry>) -> Result<Stored, MemoryError> {
        self.store_as(&Author::default(), entry)
    }

    /// Stores an entry in somebody's name.
    pub fn store_as(&self, author: &Author, entry: impl Into<Entry>) -> Result<Stored, MemoryError> {
        let entry = entry.into();
        let value = Value::Object(record::fields(&entry));
        let mut checked = self.checked(entry.entry_type(), &value)?;
        if let (Entry::File(checked), Entry::File(file), None) = (&mut checked, entry, &self.files) {
            checked.last_read_hash = file.last_read_hash;
        }
        self.keep(author, checked)
    }

    /// Stores an entry as a model gives it (DOC-61, 78). Times and hashes in it, as a query shows them, are ignored.
    pub fn store_json(&self, kind: EntryType, entry: &Value) -> Result<Stored, MemoryError> {
        self.store_json_as(&Author::default(), kind, entry)
    }

    /// Stores an entry as a model gives it, in somebody's name.
    pub fn store_json_as(
        &self,
        author: &Author,
        kind: EntryType,
        entry: &Value,
    ) -> Result<Stored, MemoryError> {
        let entry = self.checked(kind, entry)?;
        self.keep(author, entry)
    }

    /// Takes an entry out of memory; whether there was one.
    pub fn forget(&self, kind: EntryType, id: &str) -> Result<bool, MemoryError> {
        let mut held = self.held();
        self.folder.remove(kind, id)?;
        let was = held.records.get_mut(&kind).and_then(|records| records.remove(id)).is_some();
        self.renew_index(&mut held)?;
        Ok(was)
    }

    /// One entry.
    pub fn get(&self, kind: EntryType, id: &str) -> Option<Record> {
        self.held().records.get(&kind)?.get(id).cloned()
    }

    /// All entries of a type, by their ids. For programs: a model gets what a query bounds.
    pub fn all(&self, kind: EntryType) -> Vec<Record> {
        self.held().records.get(&kind).into_iter().flat_map(|records| records.values().cloned()).collect()
    }

    /// All entries of a type, by their ids, as what they are.
    pub fn entries<E: MemoryEntry + Clone>(&self) -> Vec<E> {
        self.all(E::TYPE).iter().filter_map(|record| E::of(&record.entry).cloned()).collect()
    }

    /// What the memory holds, at a glance.
    pub fn index(&self) -> Index {
        self.held().index.clone()
    }

    /// Says that the exploration of a component ended (DOC-63). It must have an entry.
    pub fn mark_explored(&self, id: &str) -> Result<(), MemoryError> {
        self.change_component(id, Some(self.now))
    }

    /// Says that a component is to be explored again: its entry stays, but no longer counts as explored.
    pub fn reopen(&self, id: &str) -> Result<(), MemoryError> {
        self.change_component(id, None)
    }

    /// Says which phase is under way, and what there is to know of it.
    pub fn set_phase(&self, phase: &str, progress: impl Into<Value>) -> Result<(), MemoryError> {
        let mut held = self.held();
        held.course.current_phase = Some(phase.to_owned());
        held.course.phase_progress.insert(phase.to_owned(), progress.into());
        self.renew_index(&mut held)
    }

    pub(super) fn tree(&self) -> Option<Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_tree(&self, tree: Tree) {
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree);
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What `look` makes of the entries of a type, without a copy.
    pub(super) fn with_records<T>(
        &self,
        kind: EntryType,
        look: impl FnOnce(&std::collections::BTreeMap<String, Record>) -> T,
    ) -> T {
        let mut held = self.held();
        look(held.records.entry(kind).or_default())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry, if its schema, its size and the repository have nothing against it.
    fn checked(&self, kind: EntryType, value: &Value) -> Result<Entry, Rejection> {
        let bytes = value.to_string().len();
        if bytes > ENTRY_BYTES {
            let rule = format!("has {bytes} bytes, more than {ENTRY_BYTES}");
            let problem = Problem::new("", rule, "keep the essentials; what is left out can be read again");
            return Err(Rejection { entry_type: kind, problems: vec![problem] });
        }
        let mut entry = record::given(kind, value)?;
        let Some(files) = &self.files else { return Ok(entry) };
        let problems = absent(&**files, &entry);
        if !problems.is_empty() {
            return Err(Rejection { entry_type: kind, problems });
        }
        if let Entry::File(file) = &mut entry {
            let path = files.path(Path::new(&file.file_path));
            file.last_read_hash = path.ok().and_then(|path| ContentHash::of_file(&**files, &path).ok());
        }
        Ok(entry)
    }

    pub(super) fn keep(&self, author: &Author, entry: Entry) -> Result<Stored, MemoryError> {
        let (kind, id) = (entry.entry_type(), entry.id().to_owned());
        let mut held = self.held();
        let old = held.records.get(&kind).and_then(|records| records.get(&id));
        let stored = self.fate(author, &entry, old);
        if stored == Stored::Overruled {
            return Ok(stored);
        }
        let history = self.history(author, &entry, old);
        let record = Record { entry, history };
        if old != Some(&record) {
            self.folder.write_record(&record)?;
            held.records.entry(kind).or_default().insert(id, record);
        }
        self.renew_index(&mut held)?;
        Ok(stored)
    }

    fn fate(&self, author: &Author, entry: &Entry, old: Option<&Record>) -> Stored {
        let Some(old) = old else { return Stored::New };
        let by = &old.history.stored_by;
        if old.history.stored_at() == self.now
            && !author.overrules(entry.component(), by, old.entry.component())
        {
            return Stored::Overruled;
        }
        if old.entry == *entry { Stored::Unchanged } else { Stored::Replaced }
    }

    fn history(&self, author: &Author, entry: &Entry, old: Option<&Record>) -> History {
        let now = self.now;
        let before = old.and_then(|old| old.before(now));
        let fresh = History {
            created_at: old.map_or(now, Record::created_at),
            updated_at: now,
            confirmed_at: None,
            explored_at: old.and_then(|old| old.history.explored_at),
            stored_by: author.clone(),
            written_by: self.written_by.clone(),
            before: None,
        };
        match before {
            Some(same) if same.says(entry) => {
                let confirmed_at = Some(now).filter(|now| *now != same.updated_at);
                History { updated_at: same.updated_at, confirmed_at, written_by: same.written_by, ..fresh }
            }
            before => History { before, ..fresh },
        }
    }

    fn change_component(&self, id: &str, explored_at: Option<Timestamp>) -> Result<(), MemoryError> {
        let kind = EntryType::Component;
        let mut held = self.held();
        let records = held.records.entry(kind).or_default();
        let Some(record) = records.get_mut(id) else {
            let nearest = nearest(id, records.keys().map(String::as_str));
            return Err(MemoryError::Unknown { entry_type: kind, id: quoted(id), nearest });
        };
        if record.history.explored_at != explored_at {
            let mut changed = record.clone();
            changed.history.explored_at = explored_at;
            self.folder.write_record(&changed)?;
            *record = changed;
        }
        self.renew_index(&mut held)
    }

    /// Makes the index say what the records say, in its file too.
    fn renew_index(&self, held: &mut Held) -> Result<(), MemoryError> {
        held.course.changed = self.now;
        let index = Index::of(&held.records, &held.course);
        if index != held.index {
            self.folder.write_index(&index)?;
            held.index = index;
        }
        Ok(())
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("folder", &self.folder.shown())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// The paths of an entry that the repository does not have: models claim files that they never saw.
fn absent(files: &dyn Files, entry: &Entry) -> Vec<Problem> {
    let looked_at = |(field, path): (&'static str, &str), folders: bool| {
        let fix = "list_files shows what there is; give the path from the root of the repository";
        match files.path(Path::new(path)) {
            Err(error) => {
                Some(Problem::new(field, format!("names a path that is refused: {error}"), error.hint()))
            }
            Ok(found) if files.file_exists(&found) || (folders && files.list(&found).is_ok()) => None,
            Ok(_) => {
                let what = if folders { "no file or folder" } else { "no file" };
                Some(Problem::new(
                    field,
                    format!("names `{}`, which is {what} of the repository", quoted(path)),
                    fix,
                ))
            }
        }
    };
    let named = entry.files().into_iter().filter_map(|named| looked_at(named, false));
    let placed = entry.places().into_iter().filter_map(|named| looked_at(named, true));
    named.chain(placed).take(10).collect()
}
