//! The files of a memory (DOC-77): all read when it is opened, each replaced as a whole when an entry is stored. An unreadable file
//! is renamed and reported, never lost. Decides nothing about entries.

use std::fs;
use std::io;
use std::path::Path;

use super::error::MemoryError;
use super::index::{INDEX_VERSION, MemoryIndex, Records};
use super::record::EntryRecord;
use super::tree::RepositoryTree;
use super::types::EntryType;
use crate::repo::{FileWriter, ReadProblem, RepoPath, Root, Slug, read_text, show};
use crate::workflows::doc_phases::selection::SelectedFacts;

const INDEX: &str = "index.json";
const TREE: &str = "tree.json";
const FACTS: &str = "facts.json";
const LOCK: &str = ".lock";
/// Extension that an unreadable file is renamed to.
const BROKEN: &str = "broken";

/// Access to the files of the agent's memory in their folder: entries, index, file tree and facts.
pub(super) struct MemoryFolder {
    root: Root,
    shown: String,
    writer: FileWriter,
}

impl MemoryFolder {
    /// Opens the folder at `path`, and creates it if it is missing. Reads no file in it.
    pub(super) fn open(path: &Path) -> Result<Self, MemoryError> {
        let shown = show(path);
        fs::create_dir_all(path)
            .map_err(|error| MemoryError::Folder { path: shown.clone(), reason: error.to_string() })?;
        Ok(Self { root: Root::open(path)?, shown, writer: FileWriter::default() })
    }

    /// Replaces the writer of files, which decides between immediate and deferred flushes to the disk.
    pub(super) fn set_writer(&mut self, writer: FileWriter) {
        self.writer = writer;
    }

    /// Returns the path of the folder, for messages.
    pub(super) fn display_path(&self) -> &str {
        &self.shown
    }

    /// Returns the path of the lock file.
    pub(super) fn lock_file(&self) -> Result<RepoPath, MemoryError> {
        self.resolve(LOCK)
    }

    /// Loads the entries of all types. An unreadable file is renamed, and a notice about it returned.
    pub(super) fn load(&self) -> Result<(Records, Vec<String>), MemoryError> {
        let (mut records, mut notices) = (Records::new(), Vec::new());
        for &kind in EntryType::ALL {
            for name in self.record_names(kind)? {
                let path = format!("{}/{name}", kind.folder());
                match self.read_record(kind, &path) {
                    Ok(record) => {
                        records.entry(kind).or_default().insert(record.entry.id().to_owned(), record);
                    }
                    Err(problem) => notices.push(self.quarantine(&path, &problem)?),
                }
            }
        }
        Ok((records, notices))
    }

    /// Reads the index; `None` if there is none. An unreadable file is renamed, and a notice appended. Fails
    /// for an index of another format version.
    pub(super) fn read_index(&self, notices: &mut Vec<String>) -> Result<Option<MemoryIndex>, MemoryError> {
        let Some(text) = self.read_state_file(INDEX, notices)? else { return Ok(None) };
        let read = serde_json::from_str::<serde_json::Value>(&text);
        let version = read.as_ref().ok().and_then(|index| index["version"].as_str());
        if let Some(found) = version.filter(|found| *found != INDEX_VERSION) {
            let path = format!("{}/{INDEX}", self.shown);
            return Err(MemoryError::OtherVersion { path, found: found.chars().take(40).collect() });
        }
        match read.and_then(serde_json::from_value) {
            Ok(index) => Ok(Some(index)),
            Err(error) => {
                notices.push(self.quarantine(INDEX, &error.to_string())?);
                Ok(None)
            }
        }
    }

    /// Reads the file tree of the last run; `None` if there is none. An unreadable file is renamed, and a
    /// notice appended.
    pub(super) fn read_tree(&self, notices: &mut Vec<String>) -> Result<Option<RepositoryTree>, MemoryError> {
        self.read_state(TREE, notices)
    }

    /// Reads the facts of the repository; `None` if there are none. An unreadable file is renamed, and a
    /// notice appended; the next run selects the facts anew.
    pub(super) fn read_facts(&self, notices: &mut Vec<String>) -> Result<Option<SelectedFacts>, MemoryError> {
        self.read_state(FACTS, notices)
    }

    pub(super) fn write_record(&self, record: &EntryRecord) -> Result<(), MemoryError> {
        let path = record_path(record.entry.entry_type(), record.entry.id());
        self.write(&path, record.to_json_text().as_bytes())
    }

    pub(super) fn write_index(&self, index: &MemoryIndex) -> Result<(), MemoryError> {
        self.write(INDEX, to_pretty_json(index).as_bytes())
    }

    pub(super) fn write_tree(&self, tree: &RepositoryTree) -> Result<(), MemoryError> {
        self.write(TREE, to_pretty_json(tree).as_bytes())
    }

    pub(super) fn write_facts(&self, facts: &SelectedFacts) -> Result<(), MemoryError> {
        self.write(FACTS, to_pretty_json(facts).as_bytes())
    }

    /// Removes the file of the entry with this type and id. A missing file is no error.
    pub(super) fn remove(&self, kind: EntryType, id: &str) -> Result<(), MemoryError> {
        let path = self.resolve(&record_path(kind, id))?;
        match fs::remove_file(path.absolute()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(MemoryError::Folder { path: show(path.absolute()), reason: error.to_string() })
            }
            _ => Ok(()),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), MemoryError> {
        Ok(self.writer.replace(self.resolve(path)?.absolute(), bytes)?)
    }

    /// Resolves a path relative to the memory folder. Fails for a link that leads out of it, because a
    /// repository may contain such links.
    fn resolve(&self, path: &str) -> Result<RepoPath, MemoryError> {
        self.root.path(path).map_err(|error| MemoryError::Path { path: self.shown.clone(), error })
    }

    /// Returns the names of the JSON files of an entry type, sorted; empty if its folder is missing. Removes
    /// temporary files that a killed write left behind.
    fn record_names(&self, kind: EntryType) -> Result<Vec<String>, MemoryError> {
        let folder = self.resolve(kind.folder())?;
        let failed = |error: io::Error| MemoryError::Folder {
            path: show(folder.absolute()),
            reason: error.to_string(),
        };
        let entries = match fs::read_dir(folder.absolute()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            let extension = Path::new(&name).extension().unwrap_or_default();
            if name.starts_with(".stategraph-") && extension == "tmp" {
                let _ = fs::remove_file(folder.absolute().join(&name));
            } else if extension == "json" {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn read_record(&self, kind: EntryType, path: &str) -> Result<EntryRecord, String> {
        let resolved = self.root.path(path).map_err(|error| error.to_string())?;
        let text = read_text(&resolved).map_err(|error| error.problem.to_string())?;
        let record = EntryRecord::parse(kind, &text)?;
        let own = record_path(kind, record.entry.id());
        if own == path { Ok(record) } else { Err(format!("holds what belongs into {own}")) }
    }

    /// Reads and parses the JSON file at `path`; `None` if it is missing. An unreadable file is renamed, and
    /// a notice appended.
    fn read_state<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        notices: &mut Vec<String>,
    ) -> Result<Option<T>, MemoryError> {
        let Some(text) = self.read_state_file(path, notices)? else { return Ok(None) };
        match serde_json::from_str(&text) {
            Ok(state) => Ok(Some(state)),
            Err(error) => {
                notices.push(self.quarantine(path, &error.to_string())?);
                Ok(None)
            }
        }
    }

    /// Reads the text of the file at `path`; `None` if it is missing. An unreadable file is renamed, and a
    /// notice appended.
    fn read_state_file(&self, path: &str, notices: &mut Vec<String>) -> Result<Option<String>, MemoryError> {
        match read_text(&self.resolve(path)?) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.problem == ReadProblem::Missing => Ok(None),
            Err(error) => {
                notices.push(self.quarantine(path, &error.problem.to_string())?);
                Ok(None)
            }
        }
    }

    /// Renames the unreadable file at `path` to a free name (`x.json.broken`, `x.json.broken-2`), so that no
    /// write overwrites it. Returns a notice with `problem` and the new name.
    fn quarantine(&self, path: &str, problem: &str) -> Result<String, MemoryError> {
        // Joins the name without the path guard because the file may be a link that the guard refuses.
        let from = self.root.absolute().join(path);
        let free =
            (1..).map(|n| if n == 1 { format!("{path}.{BROKEN}") } else { format!("{path}.{BROKEN}-{n}") });
        let to = free.into_iter().find(|name| fs::symlink_metadata(self.root.absolute().join(name)).is_err());
        let to = to.expect("a folder holds fewer files than there are numbers");
        fs::rename(&from, self.root.absolute().join(&to)).map_err(|error| MemoryError::Stuck {
            path: show(&from),
            problem: problem.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(format!("{}/{path}: {problem}; it was put aside as {to}", self.shown))
    }
}

/// Returns the path of an entry's file in the memory folder, such as `files/src--a.rs.json`. Different ids
/// have different files (DOC-97).
fn record_path(kind: EntryType, id: &str) -> String {
    format!("{}/{}.json", kind.folder(), Slug::of(id))
}

fn to_pretty_json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("maps of texts are JSON");
    format!("{text}\n")
}
