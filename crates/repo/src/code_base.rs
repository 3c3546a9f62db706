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

/// A code base. Cheap to share; all of it may be asked by many threads at once.
pub struct CodeBase {
    pub(crate) files: Arc<dyn Files>,
    outlines: Mutex<Cache>,
}

impl CodeBase {
    /// Makes the facade of these files.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, outlines: Mutex::default() }
    }

    /// Returns the files that it reads.
    pub fn files(&self) -> &Arc<dyn Files> {
        &self.files
    }

    /// Returns the outline of one file; `None` if there is no such file, or its language is not supported.
    pub fn get_outline(&self, path: impl AsRef<Path>) -> Option<Arc<FileOutline>> {
        let path = self.files.path(path.as_ref()).ok()?;
        self.outline_of(&path, &self.files.read_text(&path).ok()?)
    }

    /// Returns the outlines of all walked files that have one, in the order of the walk. Works on all cores. Files that are gone or
    /// unreadable by now are omitted.
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

    /// Returns the dependencies between the walked files. Works on all cores. Files that are gone or unreadable by now are omitted.
    pub fn dependencies(&self, walk: &Walk) -> Dependencies {
        self.parse_all(walk, &TreeParse::default(), |_| ()).dependencies
    }

    /// Returns a symbol of a file, like [`symbol`]; `None` if there is no such file.
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

    /// Lines of a file, from 1, both included; nothing if there is no such file.
    pub fn read_lines(
        &self,
        path: impl AsRef<Path>,
        first: usize,
        last: usize,
    ) -> Option<Result<Lines, LinesError>> {
        let path = self.files.path(path.as_ref()).ok()?;
        Some(lines(&self.files.read_text(&path).ok()?, first, last))
    }

    /// Returns the references to a name below `scope`; in the whole code base if `scope` is empty.
    pub fn find_references(&self, name: &str, scope: impl AsRef<Path>) -> References {
        references(&*self.files, &self.files.walk(WalkLimits::default()), name, scope.as_ref())
    }

    /// Returns the beginning of a file and the number of omitted characters (CTX-55); `None` if there is no such file.
    pub fn read_file(&self, path: impl AsRef<Path>, max_chars: usize) -> Option<String> {
        let path = self.files.path(path.as_ref()).ok()?;
        Some(cut(&self.files.read_text(&path).ok()?, max_chars).to_string())
    }

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
    /// Returns the path and the text of a file.
    pub fn text(&self, path: impl AsRef<Path>) -> Result<(RepoPath, String), NoText> {
        let path = self.files.path(path.as_ref()).map_err(NoText::Path)?;
        let text = self.files.read_text(&path).map_err(NoText::Read)?;
        Ok((path, text))
    }
}

/// The reason why a path has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// It is refused.
    #[error(transparent)]
    Path(PathError),
    /// It cannot be read.
    #[error(transparent)]
    Read(ReadError),
}
