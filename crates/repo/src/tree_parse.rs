//! All files of a tree, each parsed once, on all cores. In a tree that is too large only the files of the highest rank are. Parts are held as
//! bytes until the last file is parsed, so that syntax trees and outlines are never in memory together.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::byte_gate::ByteGate;
use super::code_base::CodeBase;
use super::edges::{CodeFile, Dependencies, dependencies};
use super::limit::{TREE_BYTES_AT_ONCE, TREE_FILE_BYTES, TREE_PARSED_BYTES, TREE_PARSED_FILES};
use super::manifest::project;
use super::names::file_names;
use super::outline::{FileOutline, Language, outline_with, whole_lines};
use super::parallel::parallel_map;
use super::parts::{FileParts, Keys, PartStore};
use super::resolve::ImportMap;
use super::sites::{Site, file_sites};
use super::walk::{Walk, WalkedFile};

/// The options for parsing a whole tree with [`CodeBase::parse_all`].
pub struct TreeParse<'a> {
    /// Store with the parse results of earlier runs; `None` parses every file.
    pub store: Option<&'a dyn PartStore>,
    /// Version of the caller's `digest` function. Stored results of another version are not used.
    pub digest_version: &'a str,
    /// Priority of a path if not all files can be parsed; the lowest first. Of equal ones, files nearer to
    /// the root come first.
    pub rank: &'a (dyn Fn(&str) -> u8 + Sync),
    /// Maximum number of files that are parsed.
    pub files: usize,
    /// Maximum number of bytes that are parsed.
    pub bytes: u64,
}

impl Default for TreeParse<'_> {
    fn default() -> Self {
        Self {
            store: None,
            digest_version: "",
            rank: &|_| 0,
            files: TREE_PARSED_FILES,
            bytes: TREE_PARSED_BYTES,
        }
    }
}

/// The parse results of one file, which `digest` gets. They are dropped afterwards, except the outline.
#[derive(Clone, Copy, Debug)]
pub struct ParsedFile<'a> {
    /// Its definitions and imports.
    pub outline: &'a FileOutline,
    /// Its calls, attributes and keywords.
    pub sites: &'a [Site],
    /// Its text.
    pub text: &'a str,
}

/// The result of parsing a whole tree: outlines, dependencies and coverage. [`CodeBase::parse_all`] returns
/// it.
#[derive(Debug)]
pub struct ParsedTree<T> {
    /// The outlines of the parsed files, each with the value that `digest` returned, in the order of the
    /// walk.
    pub files: Vec<(Arc<FileOutline>, T)>,
    /// The dependencies between the files.
    pub dependencies: Dependencies,
    /// The numbers of files that were found and parsed.
    pub coverage: ParseCoverage,
}

/// The numbers of files that a walk found and that were parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ParseCoverage {
    /// Number of files that the walk found.
    pub walked: usize,
    /// Number of files among them whose name is that of a known language.
    pub code: usize,
    /// Number of files that were parsed.
    pub parsed: usize,
}

impl CodeBase {
    /// Parses the walked files, each once, on all cores. Calls `digest` with the results of each file, and
    /// returns its values with the outlines, and the dependencies between the files. Files that cannot be
    /// read any more are omitted. The sites of a file are dropped after its digest, because those of a large
    /// tree would not fit into memory.
    pub fn parse_all<T: Serialize + DeserializeOwned + Send>(
        &self,
        walk: &Walk,
        request: &TreeParse,
        digest: impl Fn(&ParsedFile) -> T + Sync,
    ) -> ParsedTree<T> {
        let (chosen, code) = choose(walk, request);
        let (keys, gate) = (Keys::new(request.digest_version), ByteGate::new(TREE_BYTES_AT_ONCE));
        let encoded = parallel_map(chosen.len(), |index| {
            Mutex::new(self.encoded_parts(chosen[index], request.store, &keys, &gate, &digest))
        });
        let parts = parallel_map(encoded.len(), |index| {
            let bytes = encoded[index].lock().unwrap_or_else(PoisonError::into_inner).take()?;
            // Stored bytes of another form are no reason to lose a file.
            FileParts::<T>::decode(&bytes).or_else(|| {
                FileParts::decode(&self.encoded_parts(chosen[index], None, &keys, &gate, &digest)?)
            })
        });
        let parts = parts.into_iter().flatten();
        let (files, digests): (Vec<CodeFile>, Vec<T>) = parts
            .map(|parts| (CodeFile { outline: Arc::new(parts.outline), names: parts.names }, parts.digest))
            .unzip();
        let project = project(&*self.files, walk);
        let dependencies = dependencies(&files, &ImportMap::new(&*self.files, walk), &project.manifests);
        let coverage = ParseCoverage { walked: walk.files.len(), code, parsed: files.len() };
        let files = files.into_iter().map(|file| file.outline).zip(digests).collect();
        ParsedTree { files, dependencies, coverage }
    }

    /// Returns the encoded parse results of a file, from the store or by parsing it. New results are stored.
    /// `None` if the file cannot be read or is no code.
    fn encoded_parts<T: Serialize + DeserializeOwned>(
        &self,
        file: &WalkedFile,
        store: Option<&dyn PartStore>,
        keys: &Keys,
        gate: &ByteGate,
        digest: &impl Fn(&ParsedFile) -> T,
    ) -> Option<Vec<u8>> {
        let text = self.files.read_text(&file.path).ok()?;
        let language = Language::of(file.path.relative(), &text)?;
        let path = file.path.to_string();
        let key = keys.key(language, &path, &text);
        if let Some(known) = store.and_then(|store| store.load(&key)) {
            return Some(known);
        }
        let bytes = gate.run(text.len(), || parts(language, &path, &text, digest).encode())?;
        if let Some(store) = store {
            store.store(key, &bytes);
        }
        Some(bytes)
    }
}

/// Parses one file, calls `digest` with its results, and returns the results that are stored.
fn parts<T>(language: Language, path: &str, text: &str, digest: &impl Fn(&ParsedFile) -> T) -> FileParts<T> {
    let whole = text;
    let text = whole_lines(whole, TREE_FILE_BYTES);
    let (mut outline, (names, sites)) = outline_with(language, path, text, |tree, parsed| {
        let both = |tree| (file_names(language, tree, parsed), file_sites(language, tree, parsed));
        tree.map(both).unwrap_or_default()
    });
    outline.gaps.bytes += whole.len() - text.len();
    if text.len() < whole.len() {
        outline.line_count = whole.lines().count();
    }
    let digest = digest(&ParsedFile { outline: &outline, sites: &sites, text: whole });
    FileParts { outline, names, digest }
}

/// Returns the files to parse within the limits of `request`, in the order of the walk, and the number of all
/// code files.
fn choose<'a>(walk: &'a Walk, request: &TreeParse) -> (Vec<&'a WalkedFile>, usize) {
    let is_code = |path: &Path| Language::of_path(path).is_some();
    let may_be_code = |path: &Path| is_code(path) || path.extension().is_none();
    let code = walk.files.iter().filter(|file| is_code(file.path.relative())).count();
    let mut chosen: Vec<(usize, &WalkedFile)> =
        walk.files.iter().filter(|file| may_be_code(file.path.relative())).enumerate().collect();
    let all_bytes: u64 = chosen.iter().map(|(_, file)| counted_bytes(file)).sum();
    if chosen.len() > request.files || all_bytes > request.bytes {
        chosen.sort_by_cached_key(|(index, file)| {
            let path = file.path.to_string();
            // A file without an extension is a script or no code at all.
            (!is_code(file.path.relative()), (request.rank)(&path), path.matches('/').count(), *index)
        });
        let mut left = request.bytes;
        chosen.truncate(request.files);
        chosen.retain(|(_, file)| {
            let rest = left.checked_sub(counted_bytes(file));
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        chosen.sort_unstable_by_key(|(index, _)| *index);
    }
    (chosen.into_iter().map(|(_, file)| file).collect(), code)
}

/// Returns the number of bytes of a file that are parsed.
fn counted_bytes(file: &WalkedFile) -> u64 {
    file.bytes.min(TREE_FILE_BYTES as u64)
}
