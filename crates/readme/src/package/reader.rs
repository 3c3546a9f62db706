//! Reads the files of a package within bounds, and collects the defects. Follows no link that leads out of the package.

use std::io::Read as _;
use std::path::Path;

use stategraph_repo::{Files as _, PathError, ReadProblem, RepoPath, Root};
use stategraph_yaml::{YamlLimits, YamlNode};

use super::PackageDefect;

/// Maximum size of a file of a package, in bytes; a larger file is not read.
pub const FILE_BYTES: usize = 1024 * 1024;

/// Limits of the YAML parser. Groups of fields in real packages need a depth of twelve; a file of fields of
/// 1 MiB has about 60,000 values.
const YAML_LIMITS: YamlLimits = YamlLimits { depth: 48, values: 250_000, alias_values: 10_000 };

/// Maximum number of bytes that are read from one package; the largest real packages have about a tenth.
const PACKAGE_BYTES: usize = 48 * 1024 * 1024;

/// Maximum number of entries of one folder that are looked at.
const FOLDER_ENTRIES: usize = 2_000;

/// Maximum number of defects that are kept; one more says how many were dropped.
const DEFECTS: usize = 100;

/// A reader of the files of one package. It bounds the bytes that it reads, and collects the defects that
/// it meets.
pub(super) struct PackageReader {
    root: Root,
    bytes_left: usize,
    defects: Vec<PackageDefect>,
    more_defects: usize,
}

/// The type of folder entries that [`PackageReader::names`] returns: files or folders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PackageEntry {
    File,
    Folder,
}

impl PackageReader {
    pub(super) fn new(root: Root) -> Self {
        Self { root, bytes_left: PACKAGE_BYTES, defects: Vec::new(), more_defects: 0 }
    }

    /// Reads a file, without its byte order mark. Returns `None` if the file is missing (no defect), or
    /// unreadable, too large or not UTF-8 (with a defect).
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        match self.read(path) {
            Ok(text) => text,
            Err(message) => {
                self.report(path, message);
                None
            }
        }
    }

    /// Reads and parses a YAML file. Returns `None` if the file is missing (no defect), or unreadable or
    /// invalid (with a defect).
    pub(super) fn yaml(&mut self, path: &str) -> Option<YamlNode> {
        let text = self.text(path)?;
        match stategraph_yaml::parse(&text, &YAML_LIMITS) {
            Ok(tree) => Some(tree),
            Err(error) => {
                let (line, _) = stategraph_yaml::error_place(&error);
                let message = stategraph_yaml::error_text(&error);
                self.report(path, format!("line {line}: {message}"));
                None
            }
        }
    }

    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        let Some(found) = self.resolve(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        match self.root.open(&found) {
            Ok(file) => file
                .take(FILE_BYTES as u64 + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| format!("it cannot be read: {error}"))?,
            Err(error) if error.problem == ReadProblem::Missing => return Ok(None),
            Err(error) => return Err(format!("it {}", error.problem)),
        };
        if bytes.len() > FILE_BYTES {
            return Err(format!("it has more than the {FILE_BYTES} bytes that are read"));
        }
        if bytes.len() > self.bytes_left {
            return Err(format!("it was not read, because the package has more than {PACKAGE_BYTES} bytes"));
        }
        self.bytes_left -= bytes.len();
        let text = String::from_utf8(bytes)
            .map_err(|error| format!("it is not UTF-8 (at byte {})", error.utf8_error().valid_up_to()))?;
        Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
    }

    fn resolve(&self, path: &str) -> Result<Option<RepoPath>, String> {
        match self.root.path(Path::new(path)) {
            Ok(found) => Ok(Some(found)),
            Err(PathError::Unreadable { .. }) if !self.root.absolute().join(path).exists() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the names of the files, or of the folders, directly in a folder, in byte order. Hidden
    /// entries, links out of the package and names that are not UTF-8 are left out. A missing folder gives
    /// an empty list.
    pub(super) fn names(&mut self, folder: &str, kind: PackageEntry) -> Vec<String> {
        let found = match self.resolve(folder) {
            Ok(Some(found)) => found,
            Ok(None) => return Vec::new(),
            Err(message) => {
                self.report(folder, message);
                return Vec::new();
            }
        };
        // Not by `Files::list`, which leaves out names such as `vendor` that are good names of data streams.
        let Ok(entries) = std::fs::read_dir(found.absolute()) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .flatten()
            .take(FOLDER_ENTRIES + 1)
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        if names.len() > FOLDER_ENTRIES {
            names.truncate(FOLDER_ENTRIES);
            self.report(folder, format!("only {FOLDER_ENTRIES} of its entries are read"));
        }
        names.retain(|name| !name.starts_with('.') && self.is_kind(&format!("{folder}/{name}"), kind));
        names
    }

    fn is_kind(&mut self, path: &str, kind: PackageEntry) -> bool {
        match self.resolve(path) {
            Ok(Some(found)) => match kind {
                PackageEntry::File => found.absolute().is_file(),
                PackageEntry::Folder => found.absolute().is_dir(),
            },
            Ok(None) => false,
            Err(message) => {
                self.report(path, message);
                false
            }
        }
    }

    pub(super) fn report(&mut self, path: &str, message: impl Into<String>) {
        let defect = PackageDefect { path: path.to_owned(), message: message.into() };
        if self.defects.contains(&defect) {
            return;
        }
        if self.defects.len() < DEFECTS {
            self.defects.push(defect);
        } else {
            self.more_defects += 1;
        }
    }

    /// Returns all defects in the order of their discovery, with a last one that counts those above the
    /// limit.
    pub(super) fn finish(mut self) -> Vec<PackageDefect> {
        if self.more_defects > 0 {
            let message = format!("{} more defects", self.more_defects);
            self.defects.push(PackageDefect { path: ".".to_owned(), message });
        }
        self.defects
    }
}
