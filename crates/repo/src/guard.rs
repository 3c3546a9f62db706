//! The path guard that everything shares (ENG-17): a path either lies inside the root or is not a path here. Opens no file.
//!
//! It guards against what a model or a user names, not against another process that swaps a directory for a link between
//! the check and the use.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::limit::PATH_BYTES;
use super::noise::Ignored;
use super::show::{show, show_typed};

/// An opened repository: an existing directory, as an absolute path without links. All paths in it are
/// checked against it. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    absolute: Arc<Path>,
    ignored: Ignored,
}

impl Root {
    /// Opens the directory at `path` as a root. Fails if it is missing, not a directory or not accessible
    /// (CTX-103).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RootError> {
        let path = path.as_ref();
        let named = || show_typed(path);
        let absolute = fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => RootError::Missing { path: named() },
            _ => RootError::Unreadable { path: named(), reason: error.to_string() },
        })?;
        if !absolute.is_dir() {
            return Err(RootError::NotADirectory { path: named() });
        }
        Ok(Self { absolute: absolute.into(), ignored: Ignored::default() })
    }

    /// Returns the same root with more names that listings and walks omit, for folders and files alike (CTX-16). Such files can still be
    /// opened by path.
    ///
    /// ```
    /// use stategraph_repo::{Files, Root, WalkLimits};
    ///
    /// let root = Root::open(".").unwrap().ignoring(["src", "tests"]);
    /// assert!(root.walk(WalkLimits::default()).files.iter().all(|file| !file.path.to_string().starts_with("src/")));
    /// assert!(root.path("src/lib.rs").is_ok());
    /// ```
    pub fn ignoring<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.ignored = Ignored::of(names);
        self
    }

    /// Returns the absolute path of the root, without links (CTX-100).
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    pub(super) fn ignored_names(&self) -> &Ignored {
        &self.ignored
    }

    /// Returns the path that `typed` names inside the root; `.` is the root. It need not exist, so that it can be written.
    ///
    /// `..` is resolved by name (`src/../README.md` is `README.md`) and may not lead above the root. Links are followed and must end
    /// inside.
    ///
    /// ```
    /// use stategraph_repo::Root;
    ///
    /// let root = Root::open(".").unwrap();
    /// assert_eq!(root.path("./src/../Cargo.toml").unwrap().to_string(), "Cargo.toml");
    /// assert!(root.path("../elsewhere").is_err());
    /// assert!(root.path("/etc/passwd").is_err());
    /// ```
    pub fn path(&self, typed: impl AsRef<Path>) -> Result<RepoPath, PathError> {
        let relative = relative(typed.as_ref())?;
        let absolute = self.resolve(&relative)?;
        Ok(RepoPath { relative, absolute })
    }

    /// Makes the path of an entry that a walk found below the root. The walk follows no links, so it is not
    /// checked again.
    pub(super) fn child_path(&self, relative: PathBuf) -> RepoPath {
        RepoPath { absolute: self.absolute.join(&relative), relative }
    }

    /// Returns the absolute path of `relative`, following links one name at a time. Fails if a link leads out
    /// of the root. Names after one that does not exist are appended as they are.
    fn resolve(&self, relative: &Path) -> Result<PathBuf, PathError> {
        let mut here = self.absolute.to_path_buf();
        let mut names = relative.components();
        while let Some(name) = names.next() {
            here.push(name);
            match fs::symlink_metadata(&here) {
                Ok(found) if found.is_symlink() => here = self.follow(&here, relative)?,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    here.extend(names);
                    break;
                }
                Err(error) => {
                    return Err(PathError::Unreadable {
                        path: show_typed(relative),
                        reason: error.to_string(),
                    });
                }
            }
        }
        Ok(here)
    }

    /// Returns the absolute path to which the link at `link` leads; `relative` is the whole path, for errors.
    /// A link out of the root is refused, and one to a missing file too, because writing through it could
    /// create a file outside.
    fn follow(&self, link: &Path, relative: &Path) -> Result<PathBuf, PathError> {
        let named = || (show_typed(relative), show(link.strip_prefix(&self.absolute).unwrap_or(link)));
        let end = fs::canonicalize(link).map_err(|error| {
            let (path, link) = named();
            PathError::BrokenLink { path, link, reason: error.to_string() }
        })?;
        // By components, so that `/repo-other` is not inside `/repo` (CTX-102).
        if end.starts_with(&self.absolute) {
            return Ok(end);
        }
        let (path, link) = named();
        Err(PathError::LinkOutside { path, link })
    }
}

/// Returns a typed path without `.` and `..`, which are resolved by name. Refuses empty, too long and
/// absolute paths, and those that lead above their start.
pub(super) fn relative(typed: &Path) -> Result<PathBuf, PathError> {
    let bytes = typed.as_os_str().as_encoded_bytes();
    let path = || show_typed(typed);
    if bytes.is_empty() {
        return Err(PathError::Empty);
    }
    if bytes.len() > PATH_BYTES {
        return Err(PathError::TooLong { path: path(), bytes: bytes.len() });
    }
    if bytes.contains(&0) {
        return Err(PathError::Nul { path: path() });
    }
    let mut names = PathBuf::new();
    for component in typed.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name),
            Component::ParentDir if names.pop() => {}
            Component::ParentDir => return Err(PathError::Escapes { path: path() }),
            Component::RootDir | Component::Prefix(_) => return Err(PathError::Absolute { path: path() }),
        }
    }
    Ok(names)
}

/// A path that was checked to lie inside a repository; it need not exist. Only [`Root::path`] and walks make
/// one. Displays as the relative path, `.` for the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepoPath {
    relative: PathBuf,
    absolute: PathBuf,
}

impl RepoPath {
    /// Makes a path of a repository in memory. It has no absolute path to open.
    pub(super) fn nowhere(relative: PathBuf) -> Self {
        Self { absolute: relative.clone(), relative }
    }

    /// Returns the path relative to the root, by the names that the caller typed; empty for the root itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns the absolute path of the entry, without links, with which it is opened.
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.relative.as_os_str().is_empty() {
            return f.write_str(".");
        }
        f.write_str(&show(&self.relative))
    }
}

/// The reason why [`Root::open`] cannot open a directory as a repository.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RootError {
    /// There is nothing.
    #[error("no directory `{path}`")]
    Missing {
        /// As typed.
        path: String,
    },
    /// There is something else.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// As typed.
        path: String,
    },
    /// It cannot be reached.
    #[error("cannot open `{path}`: {reason}")]
    Unreadable {
        /// As typed.
        path: String,
        /// As the operating system says it.
        reason: String,
    },
}

impl RootError {
    /// Returns a hint for the user: the next step after this error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "give the path of an existing repository",
            Self::NotADirectory { .. } => "give the directory that holds the file",
            Self::Unreadable { .. } => "check the permissions of the directories above it",
        }
    }
}

/// The reason why [`Root::path`] refuses a path.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// Nothing was typed.
    #[error("the path is empty")]
    Empty,
    /// Longer than any real path.
    #[error("the path `{path}` has {bytes} bytes, more than {PATH_BYTES}")]
    TooLong {
        /// Its beginning.
        path: String,
        /// Its length.
        bytes: usize,
    },
    /// No file name holds a NUL.
    #[error("the path {path} contains a NUL character")]
    Nul {
        /// As typed.
        path: String,
    },
    /// It begins at the file system's root.
    #[error("the path `{path}` is absolute")]
    Absolute {
        /// As typed.
        path: String,
    },
    /// `..` leads above the root.
    #[error("the path `{path}` leads out of the repository")]
    Escapes {
        /// As typed.
        path: String,
    },
    /// A link leads outside (CTX-101).
    #[error("the path `{path}` leaves the repository through the link `{link}`")]
    LinkOutside {
        /// As typed.
        path: String,
        /// The link, below the root.
        link: String,
    },
    /// A link leads nowhere, or in a circle.
    #[error("the path `{path}` goes through the link `{link}`, which cannot be followed: {reason}")]
    BrokenLink {
        /// As typed.
        path: String,
        /// The link, below the root.
        link: String,
        /// As the operating system says it.
        reason: String,
    },
    /// It cannot be followed to its end.
    #[error("cannot look at `{path}`: {reason}")]
    Unreadable {
        /// As typed.
        path: String,
        /// As the operating system says it.
        reason: String,
    },
}

impl PathError {
    /// Returns a hint for the user: the next step after this error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "`.` is the repository itself",
            Self::Unreadable { .. } => "list the directory above it to see what is there",
            Self::BrokenLink { .. } => "use the path of the file itself",
            _ => "give a path relative to the repository, such as `src/main.rs`",
        }
    }
}
