//! The repository of a run: a local folder, or a shallow clone of a GitHub URL.
//!
//! Reading order: this file (a source, and the repository that it opens), `github_url`, `clone` (the steps of a clone), `git` (one call of
//! the program `git`), `clone_folder` (the temporary folder), `size`, `head` (the commit of a local folder), `error`.

mod clone;
mod clone_folder;
mod error;
mod git;
mod github_url;
mod head;
mod size;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::llm::Env;
use crate::repo::{Root, show};

pub use clone::{CLONE_BYTES, CLONE_TIME, CloneOptions};
pub use error::SourceError;
pub use github_url::GitHubUrl;

use clone_folder::CloneFolder;

/// The repository that the user named: a local folder or one on GitHub. Part of a run's state, so a resumed
/// run opens the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepositorySource {
    /// A folder, by its absolute path as typed.
    Folder(PathBuf),
    /// A repository on GitHub.
    GitHub(GitHubUrl),
}

impl RepositorySource {
    /// Parses a source: `https://github.com/OWNER/REPO`, else a path that starts in `folder` (CTX-3, CTX-124). A URL with a user or a
    /// password is refused, because a source is stored and shown.
    pub fn parse(typed: &OsStr, folder: &Path) -> Result<Self, SourceError> {
        if let Some(text) = typed.to_str() {
            if github_url::has_credentials(text) {
                return Err(SourceError::Credentials);
            }
            if let Some(url) = GitHubUrl::parse(text) {
                return Ok(Self::GitHub(url));
            }
        }
        Ok(Self::Folder(folder.join(typed)))
    }

    /// Checks that a local folder exists (CTX-103). A URL passes without a connection.
    pub fn check(&self) -> Result<(), SourceError> {
        match self {
            Self::Folder(path) => open_folder(path).map(drop),
            Self::GitHub(_) => Ok(()),
        }
    }

    /// Opens the repository. A URL is cloned to a temporary folder, which the returned value removes when it
    /// is dropped (CTX-4). `commit` is the commit that the run used before a resume; `None` clones the
    /// newest. A folder is opened as it is now.
    pub async fn open(
        &self,
        commit: Option<&str>,
        options: &CloneOptions,
        env: &dyn Env,
    ) -> Result<OpenedRepository, SourceError> {
        match self {
            Self::Folder(path) => {
                let root = open_folder(path)?;
                let commit = head::read_head(&root);
                let name = root.absolute().file_name().unwrap_or(OsStr::new("root"));
                let (name, source_repo) = (name.to_string_lossy().into_owned(), show(root.absolute()));
                Ok(OpenedRepository { root, name, source_repo, commit, clone: None })
            }
            Self::GitHub(url) => clone::clone(url, commit, options, env).await,
        }
    }
}

fn open_folder(path: &Path) -> Result<Root, SourceError> {
    Root::open(path).map_err(|error| match path.to_str() {
        // The path was joined to the working folder, so the URL stands at its end.
        Some(text) if github_url::is_meant_as_url(text) => SourceError::OtherUrl,
        _ => SourceError::Folder(error),
    })
}

/// A repository that can be read. Dropping it removes the temporary folder of a clone.
#[derive(Debug)]
pub struct OpenedRepository {
    root: Root,
    name: String,
    source_repo: String,
    commit: Option<String>,
    /// The temporary folder around the root; `None` for a local folder.
    clone: Option<CloneFolder>,
}

impl OpenedRepository {
    /// Returns the root: absolute and without links, through which no path leads outside (CTX-100 to CTX-102).
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the name of the repository: that of the local folder, or that in the URL.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the repository as context files name it: the absolute path of a local folder, or the URL of a clone (CTX-125).
    pub fn source_repo(&self) -> &str {
        &self.source_repo
    }

    /// Returns the id of the commit that `HEAD` names; `None` for a folder that is no repository, and for a repository without commits.
    pub fn commit(&self) -> Option<&str> {
        self.commit.as_deref()
    }

    /// Returns true for a clone in a temporary folder.
    pub fn is_clone(&self) -> bool {
        self.clone.is_some()
    }
}
