//! Entries that readers of a code base rarely want: hidden entries, dependencies, build outputs (CTX-16). Decides by name; source.rs finds
//! the folders that hold source in spite of their name.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::source::{TreeView, holds_source};

/// Folders skipped at every level, in order, unless a language or a manifest makes source of them.
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

/// The reason why an entry is noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Its name begins with a dot: version control, editors, caches, virtual environments.
    Hidden,
    /// A folder of [`NOISE_FOLDERS`].
    Folder,
    /// A name that the caller ignores.
    Named,
}

/// Names that a caller ignores besides, at every level, of folders and files alike (CTX-16).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ignored(Arc<BTreeSet<OsString>>);

impl Ignored {
    pub(super) fn of<N: Into<OsString>>(names: impl IntoIterator<Item = N>) -> Self {
        Self(Arc::new(names.into_iter().map(Into::into).collect()))
    }

    /// Returns the reason to skip the entry at `path` of a tree; `None` to keep it.
    pub(super) fn skips(&self, tree: &dyn TreeView, path: &Path, kind: NoiseEntry) -> Option<Noise> {
        let name = path.file_name()?;
        if self.0.contains(name) {
            return Some(Noise::Named);
        }
        let noise = noise(name).filter(|noise| *noise == Noise::Hidden || kind == NoiseEntry::Folder)?;
        (noise == Noise::Hidden || !holds_source(tree, path)).then_some(noise)
    }
}

/// The kind of an entry, as far as noise is concerned.
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

/// Returns the kind of noise that a folder of this name is; `None` for other folders.
pub fn noise(name: &OsStr) -> Option<Noise> {
    if name.as_encoded_bytes().starts_with(b".") {
        return Some(Noise::Hidden);
    }
    let name = name.to_str()?;
    NOISE_FOLDERS.binary_search(&name).is_ok().then_some(Noise::Folder)
}
