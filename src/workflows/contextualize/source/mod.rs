//! The repository of a run: a local folder, or a shallow clone of a GitHub URL.
