//! The steps of a clone: one commit, without history, tags, submodules, hooks and filters (CTX-4, CTX-145).

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

use super::OpenedRepository;
use super::clone_folder::CloneFolder;
use super::error::SourceError;
use super::git::{Git, GitFailure, create_folders, last_line, passed_variables};
use super::github_url::GitHubUrl;
use super::head::is_id;
use super::size::ENTRY_BYTES;
use crate::llm::Env;
use crate::repo::Root;

/// Time limit of a clone unless set (CTX-7).
pub const CLONE_TIME: Duration = Duration::from_mins(2);
/// Size limit of a clone in bytes unless set (CTX-145).
pub const CLONE_BYTES: u64 = 500_000_000;

/// Longest path of a repository that is cloned, in bytes. Deeper folders could neither be walked nor removed.
const PATH_MAX: usize = 1_024;
/// The reference that holds the commit in the clone.
const REFERENCE: &str = "refs/heads/clone";

/// The server, the temporary folder and the limits of a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneOptions {
    /// Address below which repositories are; `https://github.com` unless a program sets another. No variable or file sets it, because a
    /// stranger could.
    pub base_url: String,
    /// Time limit of all steps together; [`CLONE_TIME`] unless set.
    pub time_limit: Duration,
    /// Maximum size of all files in bytes, during the clone and after it; [`CLONE_BYTES`] unless set.
    pub size_limit: u64,
    /// Folder in which temporary folders are created; that of the system unless set.
    pub temporary: PathBuf,
}

impl Default for CloneOptions {
    fn default() -> Self {
        Self {
            base_url: "https://github.com".to_owned(),
            time_limit: CLONE_TIME,
            size_limit: CLONE_BYTES,
            temporary: std::env::temp_dir(),
        }
    }
}

/// Clones one commit of a repository to a temporary folder: `commit`, or the newest of the default branch.
pub(super) async fn clone(
    url: &GitHubUrl,
    commit: Option<&str>,
    options: &CloneOptions,
    env: &dyn Env,
) -> Result<OpenedRepository, SourceError> {
    let variables = passed_variables(env);
    let attempt = CloneAttempt { url, commit, options };
    let unusable = |error: std::io::Error| SourceError::TemporaryFolder {
        url: url.to_string(),
        reason: error.to_string(),
    };
    let parent = options.temporary.clone();
    let folder = tokio::task::spawn_blocking(move || CloneFolder::create(&parent)).await;
    let folder = folder.map_err(|error| unusable(error.into()))?.map_err(unusable)?;
    let git = attempt.git(&folder, variables);
    create_folders(&git).map_err(unusable)?;
    let commit = attempt.fetch(&git).await?;
    if let Some(commit) = &commit {
        attempt.check_tree(&git, commit).await?;
        attempt.run(&git, &["checkout", "--quiet", "--force", "--detach", commit]).await?;
    }
    // Only the files of the commit are needed from here on.
    let repository = git.repository.clone();
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(repository)).await;
    removed.map_err(|error| unusable(error.into()))?.map_err(unusable)?;
    let root = Root::open(&git.work_tree)?;
    let (name, source_repo) = (url.repo().to_owned(), url.to_string());
    Ok(OpenedRepository { root, name, source_repo, commit, clone: Some(folder) })
}

/// The source, the commit and the limits of one clone.
struct CloneAttempt<'a> {
    url: &'a GitHubUrl,
    commit: Option<&'a str>,
    options: &'a CloneOptions,
}

impl CloneAttempt<'_> {
    fn git(&self, folder: &CloneFolder, variables: Vec<(&'static str, String)>) -> Git {
        let protocol = self.options.base_url.split("://").next().unwrap_or_default();
        let folder = folder.path();
        Git {
            folder: folder.to_owned(),
            repository: folder.join("git"),
            // The folder has the name of the repository, as a local one has: names of projects may come from it.
            work_tree: folder.join("tree").join(self.url.repo()),
            home: folder.join("home"),
            protocol: protocol.to_owned(),
            variables,
            deadline: Instant::now() + self.options.time_limit,
            size_limit: self.options.size_limit,
        }
    }

    /// Fetches the wanted commit (the newest of the default branch if none is named) and returns its id;
    /// `None` for a repository without commits.
    async fn fetch(&self, git: &Git) -> Result<Option<String>, SourceError> {
        self.run(git, &["init", "--quiet", "--template="]).await?;
        let wanted = match self.commit {
            None => "HEAD",
            Some(commit) if is_id(commit) => commit,
            Some(commit) => return Err(self.gone(commit)),
        };
        let address = self.url.below(&self.options.base_url);
        let refspec = format!("+{wanted}:{REFERENCE}");
        let options = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
        let arguments = [&options[..], &["--", &address, &refspec]].concat();
        match git.run(&arguments, |_| true).await {
            Ok(()) => {}
            Err(GitFailure::Failed(messages)) if is_missing(&messages) => {
                return self.commit.map_or(Ok(None), |commit| Err(self.gone(commit)));
            }
            Err(failure) => return Err(self.error(failure)),
        }
        let mut id = Vec::new();
        let keep = |piece: &[u8]| {
            id.extend_from_slice(piece);
            true
        };
        let found = git.run(&["rev-parse", "--verify", &format!("{REFERENCE}^{{commit}}")], keep).await;
        found.map_err(|failure| self.error(failure))?;
        Ok(Some(String::from_utf8_lossy(&id).trim().to_owned()))
    }

    /// Checks the total size and the lengths of paths of a commit, before its files are written.
    async fn check_tree(&self, git: &Git, commit: &str) -> Result<(), SourceError> {
        let mut check = TreeCheck { limit: self.options.size_limit, ..TreeCheck::default() };
        let listed = git.run(&["ls-tree", "-r", "-l", "-z", commit], |piece| check.read(piece)).await;
        listed.map_err(|failure| self.error(failure))?;
        let url = || self.url.to_string();
        match check {
            TreeCheck { size, limit, .. } if size > limit => Err(SourceError::TooLarge { url: url(), limit }),
            TreeCheck { long_path: Some(bytes), .. } => Err(SourceError::LongPath { url: url(), bytes }),
            _ => Ok(()),
        }
    }

    async fn run(&self, git: &Git, arguments: &[&str]) -> Result<(), SourceError> {
        git.run(arguments, |_| true).await.map_err(|failure| self.error(failure))
    }

    fn gone(&self, commit: &str) -> SourceError {
        SourceError::CommitGone { url: self.url.to_string(), commit: last_line(commit) }
    }

    fn error(&self, failure: GitFailure) -> SourceError {
        let url = self.url.to_string();
        match failure {
            GitFailure::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => {
                SourceError::NoGit { url }
            }
            GitFailure::NotStarted(error) => SourceError::CloneFailed { url, reason: error.to_string() },
            GitFailure::Failed(messages) if asks_for_password(&messages) => {
                SourceError::PasswordAsked { url }
            }
            GitFailure::Failed(messages) => SourceError::CloneFailed { url, reason: last_line(&messages) },
            GitFailure::TimedOut => SourceError::TimedOut { url, seconds: self.options.time_limit.as_secs() },
            GitFailure::TooLarge => SourceError::TooLarge { url, limit: self.options.size_limit },
        }
    }
}

/// Returns true if messages of `git` tell that the server does not have the reference or commit.
fn is_missing(messages: &str) -> bool {
    ["couldn't find remote ref", "not our ref", "unadvertised object"]
        .iter()
        .any(|known| messages.contains(known))
}

fn asks_for_password(messages: &str) -> bool {
    [
        "could not read Username",
        "could not read Password",
        "Authentication failed",
        "terminal prompts disabled",
        "unable to get password",
    ]
    .iter()
    .any(|known| messages.contains(known))
}

/// The total size and the longest path in the output of `git ls-tree`: entries `MODE TYPE ID SIZE<TAB>PATH`,
/// each with a NUL behind it.
#[derive(Default)]
struct TreeCheck {
    limit: u64,
    size: u64,
    long_path: Option<usize>,
    /// An entry whose end was not read yet.
    open: Vec<u8>,
}

impl TreeCheck {
    /// Reads a piece of the list; returns false to stop, because a limit is exceeded.
    fn read(&mut self, piece: &[u8]) -> bool {
        let mut entries = piece.split(|byte| *byte == 0);
        self.open.extend_from_slice(entries.next().unwrap_or_default());
        for entry in entries {
            let whole = std::mem::replace(&mut self.open, entry.to_vec());
            self.add(&whole);
        }
        if self.open.len() > PATH_MAX + 200 {
            self.long_path = Some(self.open.len());
        }
        self.size <= self.limit && self.long_path.is_none()
    }

    fn add(&mut self, entry: &[u8]) {
        let tab = entry.iter().position(|byte| *byte == b'\t').unwrap_or(entry.len());
        let (head, path) = (String::from_utf8_lossy(&entry[..tab]), entry.len().saturating_sub(tab + 1));
        // A submodule has no size.
        let size = head.split_ascii_whitespace().nth(3).and_then(|size| size.parse().ok()).unwrap_or(0);
        self.size = self.size.saturating_add(ENTRY_BYTES.max(size));
        if path > PATH_MAX {
            self.long_path = Some(path);
        }
    }
}
