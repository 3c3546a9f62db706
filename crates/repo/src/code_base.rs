//! The facade of a code base: outlines, symbols, lines, references and files by path (CTX-48, 51). Parsed outlines are cached by content,
//! within a bound.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::cache::Cache;
use super::edges::Dependencies;
use super::files::Files;
use super::guard::RepoPath;
use super::lines::{Lines, LinesError, lines};
use super::outline::{FileOutline, Language, outline};
use super::parallel::parallel_map;
use super::references::{References, references};
use super::symbols::{SymbolDetail, SymbolError, symbol};
use super::tree_parse::TreeParse;
use super::walk::{Walk, WalkLimits};
use super::{PathError, ReadError, cut};

/// A code base: its files, and a cache of their outlines. All methods can be called by several threads at
/// once.
pub struct CodeBase {
    pub(crate) files: Arc<dyn Files>,
    outlines: Mutex<Cache>,
}

impl CodeBase {
    /// Creates a code base that reads `files`.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, outlines: Mutex::default() }
    }

    /// Returns the files that the code base reads.
    pub fn files(&self) -> &Arc<dyn Files> {
        &self.files
    }

    /// Returns the outline of one file; `None` if there is no such file, or its language is not supported.
    pub fn get_outline(&self, path: impl AsRef<Path>) -> Option<Arc<FileOutline>> {
        let path = self.files.path(path.as_ref()).ok()?;
        self.outline_of(&path, &self.files.read_text(&path).ok()?)
    }

    /// Returns the outlines of the walked files, in the order of the walk. Files of other languages, and
    /// those that cannot be read any more, are left out. Works on all cores.
    pub fn outlines(&self, walk: &Walk) -> Vec<Arc<FileOutline>> {
        let all = parallel_map(walk.files.len(), |index| {
            let path = &walk.files[index].path;
            let relative = path.relative();
            if Language::of_path(relative).is_none() && relative.extension().is_some() {
                return None;
            }
            self.outline_of(path, &self.files.read_text(path).ok()?)
        });
        all.into_iter().flatten().collect()
    }

    /// Returns the dependencies between the walked files. Files that cannot be read any more are left out.
    /// Works on all cores.
    pub fn dependencies(&self, walk: &Walk) -> Dependencies {
        self.parse_all(walk, &TreeParse::default(), |_| ()).dependencies
    }

    /// Returns the source of the symbol `name` in a file, as [`symbol`] finds it; `None` if there is no such
    /// file or its language is not supported.
    pub fn read_symbol(
        &self,
        path: impl AsRef<Path>,
        name: &str,
    ) -> Option<Result<SymbolDetail, SymbolError>> {
        let path = self.files.path(path.as_ref()).ok()?;
        let text = self.files.read_text(&path).ok()?;
        let file = self.outline_of(&path, &text)?;
        Some(symbol(&file, &text, name))
    }

    /// Returns the lines `first` to `last` of a file, counted from 1, both included; `None` if it cannot be
    /// read.
    pub fn read_lines(
        &self,
        path: impl AsRef<Path>,
        first: usize,
        last: usize,
    ) -> Option<Result<Lines, LinesError>> {
        let path = self.files.path(path.as_ref()).ok()?;
        Some(lines(&self.files.read_text(&path).ok()?, first, last))
    }

    /// Returns the references to `name` in files below `scope`; in the whole code base if `scope` is empty.
    pub fn find_references(&self, name: &str, scope: impl AsRef<Path>) -> References {
        references(&*self.files, &self.files.walk(WalkLimits::default()), name, scope.as_ref())
    }

    /// Returns the first `max_chars` characters of a file, with a note about the omitted ones (CTX-55);
    /// `None` if it cannot be read.
    pub fn read_file(&self, path: impl AsRef<Path>, max_chars: usize) -> Option<String> {
        let path = self.files.path(path.as_ref()).ok()?;
        Some(cut(&self.files.read_text(&path).ok()?, max_chars).to_string())
    }

    /// Returns the outline of a text, from the cache or newly made; `None` if its language is not supported.
    fn outline_of(&self, path: &RepoPath, text: &str) -> Option<Arc<FileOutline>> {
        let language = Language::of(path.relative(), text)?;
        let key = (language, *blake3::hash(text.as_bytes()).as_bytes());
        let kept = || self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        let named = path.to_string();
        let known = kept().get(&key);
        if let Some(known) = known {
            return Some(if known.path == named {
                known
            } else {
                Arc::new(FileOutline { path: named, ..(*known).clone() })
            });
        }
        let fresh = Arc::new(outline(language, &named, text));
        kept().put(key, Arc::clone(&fresh));
        Some(fresh)
    }
}

/// Access to texts, with the reason if there is none.
impl CodeBase {
    /// Returns the guarded path and the text of a file.
    pub fn text(&self, path: impl AsRef<Path>) -> Result<(RepoPath, String), NoText> {
        let path = self.files.path(path.as_ref()).map_err(NoText::Path)?;
        let text = self.files.read_text(&path).map_err(NoText::Read)?;
        Ok((path, text))
    }
}

/// The error if the text of a file cannot be returned: the path is refused, or the file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// The path is refused.
    #[error(transparent)]
    Path(PathError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(ReadError),
}
