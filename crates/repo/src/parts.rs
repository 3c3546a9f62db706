//! The parts of a file that depend on its path and its bytes alone, as compact bytes: for a store between runs, and because a tree's parts
//! take a third of the memory in this form. Edges between files are never part of it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::names::FileNames;
use super::outline::{FileOutline, Language, Spans, grammar_fingerprint};

/// The key of the stored parse results of a file: a hash of its path, language and bytes, and of the version
/// of the code that made them.
pub type PartKey = [u8; 32];

/// A store that keeps the parse results of files between runs. The caller provides it. A lost or damaged
/// entry only costs time.
pub trait PartStore: Send + Sync {
    /// Returns the bytes that were stored under `key`; `None` if there are none.
    fn load(&self, key: &PartKey) -> Option<Vec<u8>>;

    /// Stores `bytes` under `key`. The store may forget them.
    fn store(&self, key: PartKey, bytes: &[u8]);
}

/// Hash of the sources of this crate at build time, the version of the code that makes parse results.
const SOURCES: &str = env!("STATEGRAPH_SOURCE_HASH");

/// A maker of keys for parse results, with the version of the code hashed into it.
pub(crate) struct Keys {
    version: blake3::Hasher,
}

impl Keys {
    /// Makes a maker of keys. `digest_version` is the version of the caller's part of the results.
    pub(crate) fn new(digest_version: &str) -> Self {
        let mut version = blake3::Hasher::new();
        for part in [SOURCES, digest_version] {
            version.update(&part.len().to_le_bytes()).update(part.as_bytes());
        }
        Self { version }
    }

    pub(crate) fn key(&self, language: Language, path: &str, text: &str) -> PartKey {
        let mut hasher = self.version.clone();
        grammar_fingerprint(language).iter().for_each(|part| {
            hasher.update(&part.to_le_bytes());
        });
        for part in [language.to_string().as_str(), path] {
            hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
        }
        *hasher.update(text.as_bytes()).finalize().as_bytes()
    }
}

/// The parse results of one file that depend only on its path and bytes: its outline, its names, and a value
/// of the caller.
pub(crate) struct FileParts<T> {
    pub(crate) outline: FileOutline,
    pub(crate) names: FileNames,
    /// The value that the caller computed from the file.
    pub(crate) digest: T,
}

/// The encoded form of [`FileParts`]. The digest is JSON, because the caller's type may need a
/// self-describing format.
#[derive(Serialize, Deserialize)]
struct EncodedParts {
    outline: FileOutline,
    spans: Vec<Spans>,
    names: FileNames,
    digest: Vec<u8>,
}

impl<T: Serialize + DeserializeOwned> FileParts<T> {
    pub(crate) fn encode(self) -> Option<Vec<u8>> {
        let digest = serde_json::to_vec(&self.digest).ok()?;
        let spans = self.outline.spans();
        let whole = EncodedParts { outline: self.outline, spans, names: self.names, digest };
        let mut bytes = postcard::to_allocvec(&whole).ok()?;
        bytes.shrink_to_fit();
        Some(bytes)
    }

    /// Decodes the parse results of a file; `None` if the bytes have another form.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let EncodedParts { mut outline, spans, names, digest } = postcard::from_bytes(bytes).ok()?;
        outline.set_spans(spans);
        Some(Self { outline, names, digest: serde_json::from_slice(&digest).ok()? })
    }
}
