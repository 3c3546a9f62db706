//! View of a repository without the files that this program wrote into it, so that a run does not
//! describe the output of an earlier one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::repo::{Files, Listing, PathError, ReadError, RepoPath, Walk, WalkLimits};

/// View of a repository that omits the program's own files from walks and listings; they can still be
/// opened by path.
pub(crate) struct WithoutOwnFiles {
    files: Arc<dyn Files>,
    /// Omitted files and folders, relative to the root of the repository.
    own: Vec<PathBuf>,
}

impl WithoutOwnFiles {
    /// Returns the view of `files` without the absolute paths `own`. Returns `files` unchanged if none
    /// of these is inside the repository.
    pub(crate) fn hide(files: Arc<dyn Files>, own: &[PathBuf]) -> Arc<dyn Files> {
        let root = files.repo_path();
        let inside = own.iter().filter_map(|path| {
            // Links of the working folder are resolved, as those of the root are; the file itself may not be there yet.
            let folder =
                path.ancestors().skip(1).find_map(|above| Some((above.canonicalize().ok()?, above)))?;
            let path = folder.0.join(path.strip_prefix(folder.1).ok()?);
            path.strip_prefix(root).ok().map(Path::to_owned).filter(|below| below.components().count() > 0)
        });
        let own: Vec<PathBuf> = inside.collect();
        if own.is_empty() { files } else { Arc::new(Self { files, own }) }
    }

    /// Returns true for an omitted file, or one in an omitted folder; `path` is relative to the
    /// repository.
    fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| path.starts_with(own))
    }
}

impl Files for WithoutOwnFiles {
    fn repo_path(&self) -> &Path {
        self.files.repo_path()
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        self.files.path(typed)
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.files.open(path)
    }

    fn open_at<'a>(&'a self, path: &RepoPath, from: u64) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.files.open_at(path, from)
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        self.files.size(path)
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        self.files.read_text(path)
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        let mut listing = self.files.entries(path)?;
        listing.entries.retain(|entry| !self.is_own(&path.relative().join(&entry.name)));
        Ok(listing)
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        let mut walk = self.files.walk(limits);
        walk.files.retain(|file| !self.is_own(file.path.relative()));
        walk
    }
}
