//! Which file a thread's graph came from, so that it can be found again, and a changed one be noticed. Reads no file.

use serde::{Deserialize, Serialize};

use crate::engine::Digest;

/// A graph file as a thread remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its path, as it was typed.
    pub file: String,
    /// The digest of its text.
    pub digest: Digest,
}

impl Origin {
    /// Of a file with this text.
    pub fn new(file: impl Into<String>, text: &str) -> Self {
        Self { file: file.into(), digest: Digest::of(text) }
    }
}
