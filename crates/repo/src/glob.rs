//! `list_files`: a directory, or what a pattern finds below it, few enough to be read (DOC-59, 68). Reads no file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobMatcher};
use thiserror::Error;

use super::cut;
use super::files::Files;
use super::guard::{PathError, RepoPath};
use super::left_out::LeftOut;
use super::limit::{GLOB_BYTES, LIST_DIRECTORIES, LIST_FILES};
use super::list::EntryKind;
use super::read::{ReadError, ReadProblem};
use super::show::{is_plain, show};
use super::walk::WalkLimits;

/// The listed files and directories, by paths relative to the root. Displays one line per entry, directories
/// with a slash, files with their size in bytes, and a last line with the counts of omitted entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList {
    /// The first [`LIST_DIRECTORIES`] directories, in the order of a walk.
    pub directories: Vec<String>,
    /// The first [`LIST_FILES`] files with their sizes in bytes, in the order of a walk.
    pub files: Vec<(String, u64)>,
    /// Number of directories beyond the first [`LIST_DIRECTORIES`].
    pub more_directories: usize,
    /// Number of files beyond those in `files`.
    pub more_files: usize,
    /// Number of files, listed or not, whose paths are not [plain](super::is_plain) text.
    pub odd: usize,
    /// Hidden entries, dependencies and the like, which are not counted above.
    pub left_out: LeftOut,
    /// Number of files that are still to be skipped before the first one is listed.
    skip: usize,
}

/// Lists the entries of `directory`, or those that match `pattern`. A pattern without a slash applies to the names in the directory
/// (`*.rs`), a pattern with a slash or `**` to the paths of everything below it (`**/*.rs`, `*/mod.rs`).
///
/// ```
/// use stategraph_repo::{MemoryFiles, list_files};
///
/// let files = MemoryFiles::new([("src/a/mod.rs", ""), ("src/lib.rs", "x"), ("src/notes.md", "")]);
/// assert_eq!(list_files(&files, "src", Some("*.rs")).unwrap().to_string(), "src/lib.rs  1 B");
/// assert_eq!(list_files(&files, ".", Some("**/mod.rs")).unwrap().to_string(), "src/a/mod.rs  0 B");
/// ```
pub fn list_files(
    files: &dyn Files,
    directory: impl AsRef<Path>,
    pattern: Option<&str>,
) -> Result<FileList, ListFilesError> {
    list_files_from(files, directory, pattern, 0)
}

/// Like [`list_files`], without the first `skip` files, to list those beyond the limit.
///
/// ```
/// use stategraph_repo::{MemoryFiles, list_files_from};
///
/// let files = MemoryFiles::new((0..250).map(|n| (format!("{n:03}.rs"), "")));
/// let third = list_files_from(&files, ".", Some("*.rs"), 200).unwrap();
/// assert_eq!((third.files.len(), third.files[0].0.as_str(), third.more_files), (50, "200.rs", 0));
/// ```
pub fn list_files_from(
    files: &dyn Files,
    directory: impl AsRef<Path>,
    pattern: Option<&str>,
    skip: usize,
) -> Result<FileList, ListFilesError> {
    let directory = files.path(directory.as_ref())?;
    let pattern = pattern.filter(|pattern| !matches!(*pattern, "" | "*"));
    let is_deep = pattern.is_some_and(|pattern| pattern.contains('/') || pattern.contains("**"));
    let mut found = FileList { skip, ..FileList::default() };
    match pattern.map(matcher).transpose()? {
        Some(matcher) if is_deep => search_below(files, &directory, &matcher, &mut found)?,
        matcher => list_directory(files, &directory, matcher.as_ref(), &mut found)?,
    }
    Ok(found)
}

/// Compiles a pattern of file names in which `*` does not match a slash. Fails for invalid and too long
/// patterns.
fn matcher(pattern: &str) -> Result<GlobMatcher, ListFilesError> {
    let failed =
        |reason: String| ListFilesError::Pattern { pattern: cut(pattern, 200).kept.to_owned(), reason };
    if pattern.len() > GLOB_BYTES {
        return Err(failed(format!("it has {} bytes, more than {GLOB_BYTES}", pattern.len())));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.as_ref().map(Glob::compile_matcher).map_err(|error| failed(error.kind().to_string()))
}

/// Adds the entries of one directory to `found`; with a matcher those whose names it accepts.
fn list_directory(
    files: &dyn Files,
    directory: &RepoPath,
    matcher: Option<&GlobMatcher>,
    found: &mut FileList,
) -> Result<(), ListFilesError> {
    let all = files.entries(directory)?;
    found.left_out = all.left_out;
    for entry in all.entries {
        if matcher.is_some_and(|matcher| !matcher.is_match(&entry.name)) {
            continue;
        }
        let path = directory.relative().join(&entry.name);
        match entry.kind {
            EntryKind::Directory => found.directory(&path),
            EntryKind::File { bytes } => found.file(&path, bytes),
            EntryKind::Link => found.left_out.links += 1,
            EntryKind::Special => found.left_out.special += 1,
        }
    }
    Ok(())
}

/// Adds the files and directories below a directory whose relative paths the matcher accepts, within the
/// bounds of a walk.
fn search_below(
    files: &dyn Files,
    directory: &RepoPath,
    matcher: &GlobMatcher,
    found: &mut FileList,
) -> Result<(), ListFilesError> {
    // A file is no directory, and what does not exist says so.
    files.entries(directory)?;
    let walk = files.walk(WalkLimits::default());
    found.left_out = walk.left_out;
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let mut fitting = Vec::new();
    for file in &walk.files {
        let Ok(below) = file.path.relative().strip_prefix(directory.relative()) else { continue };
        let above = below.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        let above = above.filter(|path| matcher.is_match(path));
        folders.extend(above.map(|path| directory.relative().join(path)));
        if matcher.is_match(below) {
            fitting.push(file);
        }
    }
    folders.iter().for_each(|path| found.directory(path));
    fitting.iter().for_each(|file| found.file(file.path.relative(), file.bytes));
    Ok(())
}

impl FileList {
    fn directory(&mut self, path: &Path) {
        if self.directories.len() < LIST_DIRECTORIES {
            self.directories.push(show(path));
        } else {
            self.more_directories += 1;
        }
    }

    fn file(&mut self, path: &Path, bytes: u64) {
        self.odd += usize::from(!is_plain(path));
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if self.files.len() < LIST_FILES {
            self.files.push((show(path), bytes));
        } else {
            self.more_files += 1;
        }
    }
}

impl fmt::Display for FileList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let directories = self.directories.iter().map(|path| format!("{path}/"));
        let mut lines: Vec<String> = directories.collect();
        lines.extend(self.files.iter().map(|(path, bytes)| format!("{path}  {bytes} B")));
        if lines.is_empty() {
            lines.push("(nothing to show)".into());
        }
        if self.more_directories + self.more_files > 0 {
            lines.push(format!(
                "({} more directories, {} more files; narrow the pattern or list a directory of them)",
                self.more_directories, self.more_files
            ));
        }
        if !self.left_out.is_empty() {
            lines.push(format!("({})", self.left_out));
        }
        f.write_str(&lines.join("\n"))
    }
}

/// The error of [`list_files`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListFilesError {
    /// The path is refused.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The directory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The pattern makes no sense.
    #[error("invalid pattern `{pattern}`: {reason}")]
    Pattern {
        /// As given, cut.
        pattern: String,
        /// The error of the pattern.
        reason: String,
    },
}

impl ListFilesError {
    /// Returns a hint for the user: the next step after this error; `None` if there is none.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Path(error) => Some(error.hint()),
            Self::Read(error) if error.problem == ReadProblem::NotADirectory => error.hint(),
            Self::Read(_) => Some("list `.` to see what is there"),
            Self::Pattern { .. } => Some("a pattern is such as `*.rs` or `**/*_test.go`"),
        }
    }
}
