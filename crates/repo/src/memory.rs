//! A repository in memory, for tests and for trees that are on no disk: the same rules as on disk (CTX-47). No links, no pipes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::files::{Files, text_of};
use super::guard::{PathError, RepoPath, relative};
use super::left_out::LeftOut;
use super::list::{EntryKind, ListEntry, Listing};
use super::noise::{Ignored, NoiseEntry};
use super::read::{ReadError, ReadProblem};
use super::show::show_typed;
use super::source::{FolderEntry, TreeView};
use super::walk::{Walk, WalkLimits, WalkedFile};

/// The error number of "not a directory" on Linux and macOS.
const ENOTDIR: i32 = 20;

/// A repository in memory: the contents of its files, by path. It answers like a folder on disk.
///
/// ```
/// use stategraph_repo::{Files, MemoryFiles, WalkLimits};
///
/// let files = MemoryFiles::new([(".gitignore", "*.log"), ("src/main.rs", "fn main() {}"), ("x.log", "")]);
/// assert_eq!(files.walk(WalkLimits::default()).files[0].path.to_string(), "src/main.rs");
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
    ignored: Ignored,
}

impl MemoryFiles {
    /// Makes a repository of these files. Paths that a repository cannot contain (`..`, absolute, empty) are
    /// omitted.
    pub fn new<P: AsRef<Path>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let kept =
            files.into_iter().filter_map(|(path, bytes)| Some((relative(path.as_ref()).ok()?, bytes.into())));
        let files = kept.filter(|(path, _)| !path.as_os_str().is_empty()).collect();
        Self { files, ignored: Ignored::default() }
    }

    /// Adds names that listings and walks omit, as [`Root::ignoring`](super::Root::ignoring).
    pub fn ignoring<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.ignored = Ignored::of(names);
        self
    }

    /// Returns the names of the direct entries of a folder with their kinds.
    fn below(&self, folder: &Path) -> BTreeMap<PathBuf, EntryKind> {
        let below = self.files.iter().filter_map(|(path, bytes)| {
            let mut names = path.strip_prefix(folder).ok()?.components();
            let name = PathBuf::from(names.next()?.as_os_str());
            let kind = if names.next().is_some() {
                EntryKind::Directory
            } else {
                EntryKind::File { bytes: bytes.len() as u64 }
            };
            Some((name, kind))
        });
        below.collect()
    }

    fn bytes(&self, path: &RepoPath) -> Result<&[u8], ReadError> {
        let failed = |problem| ReadError { path: path.to_string(), problem };
        let relative = path.relative();
        if let Some(bytes) = self.files.get(relative) {
            return Ok(bytes);
        }
        let above: BTreeSet<&Path> = self.files.keys().flat_map(|file| file.ancestors().skip(1)).collect();
        let is_folder = above.contains(relative) || relative.as_os_str().is_empty();
        Err(failed(if is_folder { ReadProblem::Directory } else { ReadProblem::Missing }))
    }
}

impl Files for MemoryFiles {
    fn repo_path(&self) -> &Path {
        Path::new("memory")
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        let relative = relative(typed)?;
        let through_file = relative.ancestors().skip(1).any(|above| self.files.contains_key(above));
        if through_file {
            // What the kernel says of `README.md/x`.
            let reason = io::Error::from_raw_os_error(ENOTDIR).to_string();
            return Err(PathError::Unreadable { path: show_typed(&relative), reason });
        }
        Ok(RepoPath::nowhere(relative))
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        Ok(Box::new(self.bytes(path)?))
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        Ok(self.bytes(path)?.len() as u64)
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        text_of(self.bytes(path)?).map_err(|problem| ReadError { path: path.to_string(), problem })
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        match self.bytes(path) {
            Ok(_) => Err(ReadError { path: path.to_string(), problem: ReadProblem::NotADirectory }),
            Err(error) if error.problem == ReadProblem::Directory => {
                let entries = self.below(path.relative());
                let seen =
                    entries.into_iter().map(|(name, kind)| ListEntry { name: name.into_os_string(), kind });
                let skips = |name: &OsStr, kind| self.ignored.skips(self, &path.relative().join(name), kind);
                Ok(Listing::of(seen.map(Ok), skips))
            }
            Err(error) => Err(error),
        }
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        let mut walk = Walk::default();
        self.walk_folder(Path::new(""), 1, limits, &mut Vec::new(), &mut walk);
        walk
    }
}

impl MemoryFiles {
    fn walk_folder(
        &self,
        folder: &Path,
        depth: usize,
        limits: WalkLimits,
        rules: &mut Vec<Gitignore>,
        walk: &mut Walk,
    ) {
        let added = self.rules(folder, &mut walk.left_out);
        let has_rules = added.is_some();
        rules.extend(added);
        for (name, kind) in self.below(folder) {
            let path = folder.join(&name);
            let is_folder = kind == EntryKind::Directory;
            let skipped = self.ignored.skips(self, &path, NoiseEntry::folder(is_folder));
            match (skipped, kind) {
                _ if is_ignored(rules, &path, is_folder) => {}
                (Some(noise), _) => walk.left_out.count_noise(noise),
                (None, EntryKind::Directory) if depth == limits.depth => walk.left_out.too_deep += 1,
                (None, EntryKind::Directory) => self.walk_folder(&path, depth + 1, limits, rules, walk),
                (None, EntryKind::File { .. }) if walk.files.len() >= limits.files => {
                    walk.left_out.beyond_limit += 1;
                }
                (None, EntryKind::File { bytes }) => {
                    walk.files.push(WalkedFile { path: RepoPath::nowhere(path), bytes });
                }
                (None, EntryKind::Link | EntryKind::Special) => {}
            }
        }
        if has_rules {
            rules.pop();
        }
    }

    fn rules(&self, folder: &Path, left_out: &mut LeftOut) -> Option<Gitignore> {
        let path = folder.join(".gitignore");
        let text = String::from_utf8_lossy(self.files.get(&path)?).into_owned();
        let mut builder = GitignoreBuilder::new(folder);
        for (number, line) in text.lines().enumerate() {
            if let Err(error) = builder.add_line(None, line) {
                left_out.count_problem(format!("{}: line {}: {error}", path.display(), number + 1));
            }
        }
        builder.build().ok()
    }
}

impl TreeView for MemoryFiles {
    fn names(&self, folder: &Path) -> Vec<FolderEntry> {
        let seen = self.below(folder).into_iter().filter_map(|(name, kind)| {
            let bytes = if let EntryKind::File { bytes } = kind { Some(bytes) } else { None };
            Some(FolderEntry { name: name.to_str()?.to_owned(), bytes })
        });
        seen.collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        text_of(self.files.get(path)?).ok()
    }
}

/// Returns true if `.gitignore` rules exclude a path. `rules` are those of the folders above it, outermost
/// first; the innermost with a matching rule decides.
fn is_ignored(rules: &[Gitignore], path: &Path, is_folder: bool) -> bool {
    let said = rules.iter().rev().map(|rules| rules.matched(path, is_folder)).find(|said| !said.is_none());
    matches!(said, Some(Match::Ignore(_)))
}
