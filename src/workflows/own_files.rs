//! A repository without the files that this program wrote into it: a run must not describe what an earlier run wrote.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::repo::{Files, Listing, PathError, ReadError, RepoPath, Walk, WalkLimits};

/// Files without some of them. Walks and listings omit them; they can be opened by path.
pub(crate) struct WithoutOwnFiles {
    files: Arc<dyn Files>,
    /// Below the root: files, and folders with all that is in them.
    own: Vec<PathBuf>,
}

impl WithoutOwnFiles {
    /// Leaves out the absolute paths that are inside of the repository; returns the files as they are if there is none.
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
