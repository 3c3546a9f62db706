//! Entries that readers of a code base rarely want: hidden entries, dependencies, build outputs (CTX-16). Decides by name; source.rs finds
//! the folders that hold source in spite of their name.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::source::{TreeView, holds_source};

/// Names of folders that are skipped at every level, sorted, unless they hold source code by the rules of a
/// language or a manifest.
pub const NOISE_FOLDERS: &[&str] = &[
    "__pycache__",
    "bower_components",
    "build",
    "coverage",
    "dist",
    "env",
    "node_modules",
    "out",
    "site-packages",
    "target",
    "vendor",
    "venv",
];

/// The reason why listings and walks skip an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Its name begins with a dot: version control, editors, caches, virtual environments.
    Hidden,
    /// A folder of [`NOISE_FOLDERS`].
    Folder,
    /// Its name is among those that the caller ignores.
    Named,
}

/// Names of files and folders that the caller wants skipped at every level, besides the usual noise (CTX-16).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ignored(Arc<BTreeSet<OsString>>);

impl Ignored {
    pub(super) fn of<N: Into<OsString>>(names: impl IntoIterator<Item = N>) -> Self {
        Self(Arc::new(names.into_iter().map(Into::into).collect()))
    }

    /// Returns the reason to skip the entry at `path` of a tree; `None` to keep it. `tree` is consulted about
    /// folders that may hold source code.
    pub(super) fn skips(&self, tree: &dyn TreeView, path: &Path, kind: NoiseEntry) -> Option<Noise> {
        let name = path.file_name()?;
        if self.0.contains(name) {
            return Some(Noise::Named);
        }
        let noise = noise(name).filter(|noise| *noise == Noise::Hidden || kind == NoiseEntry::Folder)?;
        (noise == Noise::Hidden || !holds_source(tree, path)).then_some(noise)
    }
}

/// The kind of an entry for the rules of noise: a folder or anything else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoiseEntry {
    Folder,
    Other,
}

impl NoiseEntry {
    pub(super) fn folder(is_folder: bool) -> Self {
        if is_folder { Self::Folder } else { Self::Other }
    }
}

/// Returns the reason to skip an entry by its name alone: hidden, or a noise folder if it is a folder. `None`
/// for other names.
pub fn noise(name: &OsStr) -> Option<Noise> {
    if name.as_encoded_bytes().starts_with(b".") {
        return Some(Noise::Hidden);
    }
    let name = name.to_str()?;
    NOISE_FOLDERS.binary_search(&name).is_ok().then_some(Noise::Folder)
}
