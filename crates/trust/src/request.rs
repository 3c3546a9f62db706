//! The capabilities that one found file asks for, with the places where it does, and the digest that the user's approval is kept under.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::capability::Capability;
use stategraph_repo::ContentHash;

/// All capabilities that a found file asks for. The reader of the file collects them and passes them to
/// [`TrustStore::check`](super::TrustStore::check). An empty request needs no trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRequest {
    file: PathBuf,
    wants: Vec<CapabilityRequest>,
}

/// A capability that a file asks for, with its position. It displays as `config.yaml:4:5: read …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityRequest {
    /// The file, as messages name it.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// The capability.
    pub capability: Capability,
}

impl TrustRequest {
    /// Makes an empty request of `file`. Messages show the path as given; a relative one starts in the
    /// current folder.
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), wants: Vec::new() }
    }

    /// Adds a capability that the file asks for at this line and column, both from 1.
    pub fn want(&mut self, line: u64, column: u64, capability: Capability) {
        self.want_in(self.file.clone(), line, column, capability);
    }

    /// Adds a capability that `file` asks for: another file, which the file of this request includes.
    pub fn want_in(&mut self, file: impl Into<PathBuf>, line: u64, column: u64, capability: Capability) {
        self.wants.push(CapabilityRequest { file: file.into(), line, column, capability });
        self.wants.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    }

    /// Returns the file that asks.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the capabilities with their positions, sorted by file, line and column.
    pub fn wants(&self) -> &[CapabilityRequest] {
        &self.wants
    }

    /// Returns true for a file that asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.wants.is_empty()
    }

    /// Returns the digest under which an approval is stored: of the file's absolute path and its
    /// capabilities, without their positions. So other changes of the file need no new approval, and an
    /// approval of one file does not hold for another.
    pub(super) fn digest(&self) -> ContentHash {
        let capabilities: BTreeSet<&Capability> = self.wants.iter().map(|want| &want.capability).collect();
        let mut bytes = absolute(&self.file).as_os_str().as_encoded_bytes().to_vec();
        // No path holds a NUL, so the two parts cannot run into each other.
        bytes.push(0);
        serde_json::to_writer(&mut bytes, &capabilities).expect("capabilities are texts");
        ContentHash::of(&bytes)
    }
}

impl fmt::Display for CapabilityRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file.display(), self.line, self.column, self.capability)
    }
}

/// Returns the absolute path of a file, with links resolved if it exists.
pub(super) fn absolute(file: &Path) -> PathBuf {
    file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_owned())
}
