//! The errors of a repository that cannot be opened (CTX-7).

use crate::repo::RootError;

/// The error of a repository that cannot be opened. No message has a user name, a password or a control character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The path is no folder.
    #[error(transparent)]
    Folder(#[from] RootError),
    /// The text is a URL, but not of a repository on GitHub, and no such folder exists.
    #[error("the source is neither a folder nor the URL of a repository on GitHub")]
    OtherUrl,
    /// The URL has a user or a password in it.
    #[error("the URL has a user name or a password in it, which would be stored with the run")]
    Credentials,
    /// There is no program `git`.
    #[error("cannot clone {url}: there is no program `git` on the PATH")]
    NoGit {
        /// The repository.
        url: String,
    },
    /// `git` failed.
    #[error("cannot clone {url}: {reason}")]
    CloneFailed {
        /// The repository.
        url: String,
        /// Last line of the messages of `git`.
        reason: String,
    },
    /// The server asks for a user name and a password.
    #[error(
        "cannot clone {url}: the server asks for a password, so the repository is private or does not exist"
    )]
    PasswordAsked {
        /// The repository.
        url: String,
    },
    /// The clone took too long.
    #[error("cannot clone {url}: it was not done after {seconds} s")]
    TimedOut {
        /// The repository.
        url: String,
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The clone is too large.
    #[error("cannot clone {url}: it has more than {} MB", limit / 1_000_000)]
    TooLarge {
        /// The repository.
        url: String,
        /// The size limit in bytes.
        limit: u64,
    },
    /// The repository has a path that is longer than paths of sources are.
    #[error("cannot clone {url}: it has a path of {bytes} bytes")]
    LongPath {
        /// The repository.
        url: String,
        /// Length of the path in bytes.
        bytes: usize,
    },
    /// The commit of an earlier part of the run is no longer there.
    #[error("{url} no longer has the commit {commit}, from which this run began")]
    CommitGone {
        /// The repository.
        url: String,
        /// The commit.
        commit: String,
    },
    /// The temporary folder cannot be used.
    #[error("cannot use a temporary folder for the clone of {url}: {reason}")]
    TemporaryFolder {
        /// The repository.
        url: String,
        /// Error of the operating system.
        reason: String,
    },
}

impl SourceError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> String {
        let clone_yourself = "clone it yourself, and give the path of the folder";
        match self {
            Self::Folder(error) => error.hint().to_owned(),
            Self::OtherUrl => {
                format!("write https://github.com/OWNER/REPO; for any other repository, {clone_yourself}")
            }
            Self::Credentials => format!("leave them out; if the repository is private, {clone_yourself}"),
            Self::NoGit { .. } => "install git, or give the path of a local folder".to_owned(),
            Self::CloneFailed { .. } => format!("check the address and the network, or {clone_yourself}"),
            Self::PasswordAsked { .. } => {
                format!("check the address; if the repository is private, {clone_yourself}")
            }
            Self::TimedOut { .. } => format!("try again, or {clone_yourself}"),
            Self::TooLarge { .. } | Self::LongPath { .. } => {
                "clone it yourself, and give the path of the part that you need".to_owned()
            }
            Self::CommitGone { .. } => "start a new run, which begins from the newest commit".to_owned(),
            Self::TemporaryFolder { .. } => {
                "free some space, or name another folder in the variable TMPDIR".to_owned()
            }
        }
    }
}
