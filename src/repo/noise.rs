//! What hardly anybody wants to read in a code base: hidden entries, dependencies, build outputs (CTX-16). By name alone.

use std::ffi::OsStr;

/// Folders skipped at every level, in order.
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

/// Why an entry is noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Its name begins with a dot: version control, editors, caches, virtual environments.
    Hidden,
    /// A folder of [`NOISE_FOLDERS`].
    Folder,
}

/// Whether the folder `name` is noise.
pub fn noise(name: &OsStr) -> Option<Noise> {
    if name.as_encoded_bytes().starts_with(b".") {
        return Some(Noise::Hidden);
    }
    let name = name.to_str()?;
    NOISE_FOLDERS.binary_search(&name).is_ok().then_some(Noise::Folder)
}
