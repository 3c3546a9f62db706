//! The errors of stores. Each names the thread or file concerned; [`StoreError::hint`] has advice.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::id::{Seq, ThreadId};

/// The error of a [`CheckpointStore`](super::CheckpointStore).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// let error = graph.resume(&thread).await.err().ok_or("there is no such thread")?;
/// assert!(error.is_not_found());
/// let RunError::Store(store) = &error else { panic!("{error}") };
/// assert!(matches!(store, StoreError::NoThread { .. }));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another writer has appended to the thread.
    #[error(
        "thread `{thread}` was written by another process: its newest checkpoint is {found}, this run expected {expected}"
    )]
    Conflict {
        /// The thread.
        thread: ThreadId,
        /// The head that this writer expected, as shown to the user.
        expected: String,
        /// The head that it found.
        found: String,
    },
    /// Another run holds the thread.
    #[error("thread `{thread}` is being run by {holder}")]
    Busy {
        /// The thread.
        thread: ThreadId,
        /// The holder, such as `another process (pid 4711)`.
        holder: String,
    },
    /// The thread does not exist.
    #[error("there is no thread `{thread}` in {place}")]
    NoThread {
        /// The thread, or the text that the user typed for one.
        thread: String,
        /// The place of the store; see [`CheckpointStore::place`](super::CheckpointStore::place).
        place: String,
        /// Threads with similar ids, the most similar first; at most three.
        nearest: Vec<String>,
    },
    /// The thread has no such checkpoint.
    #[error("thread `{thread}` has no checkpoint {seq}")]
    NoCheckpoint {
        /// The thread.
        thread: ThreadId,
        /// The checkpoint.
        seq: Seq,
    },
    /// Several threads begin with the prefix.
    #[error("`{prefix}` fits {} threads: {}", candidates.len(), candidates.join(", "))]
    Ambiguous {
        /// The prefix that the user typed.
        prefix: String,
        /// The matching threads, sorted; at most ten.
        candidates: Vec<String>,
    },
    /// The run to remove wrote the newest checkpoint.
    #[error("run {run} wrote the newest checkpoint of thread `{thread}`")]
    NewestRun {
        /// The thread.
        thread: ThreadId,
        /// The run.
        run: u64,
    },
    /// The target of a copy exists already.
    #[error("thread `{thread}` exists already")]
    Exists {
        /// The thread.
        thread: ThreadId,
    },
    /// A system call failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action, such as `append to`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: Arc<std::io::Error>,
    },
    /// The content of a file is damaged.
    #[error("{} is damaged at byte {offset}: {detail}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The position of the damage, in bytes from the start.
        offset: u64,
        /// The damage.
        detail: String,
    },
    /// A newer version of this program wrote the file.
    #[error("{} has format {found}, this version reads up to {supported}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The newest format that this version reads.
        supported: u32,
    },
    /// A value cannot be written or read.
    #[error("thread `{thread}`: {detail}")]
    Encoding {
        /// The thread.
        thread: String,
        /// The problem.
        detail: String,
    },
    /// The store accepts no more writes, because it was closed or an earlier write failed.
    #[error("the store takes no more writes: {0}")]
    Closed(String),
}

impl StoreError {
    /// Makes the error of a failed system call; `action` completes "cannot …", such as `append to`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { action, path: path.into(), source: Arc::new(source) }
    }

    /// Returns advice for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Conflict { thread, .. } => {
                format!("nothing was overwritten; look at `graph history {thread}`, then resume again")
            }
            Self::Busy { .. } => {
                "wait until it ends or stop it, or start a thread with another id".to_owned()
            }
            Self::NoThread { nearest, .. } => no_thread_hint(nearest),
            Self::NoCheckpoint { thread, .. } => format!("`graph history {thread}` lists its checkpoints"),
            Self::Ambiguous { .. } => "type more of the id".to_owned(),
            Self::NewestRun { .. } => "fork an earlier checkpoint first, or delete the thread".to_owned(),
            Self::Exists { .. } => "choose another id, or delete that thread first".to_owned(),
            Self::Io { source, .. } => limit_hint(source).unwrap_or_else(|| io_hint(source).to_owned()),
            Self::Corrupt { path, .. } => damage_hint(path),
            Self::Newer { .. } => "install the version that wrote it, or a newer one".to_owned(),
            Self::Encoding { .. } => {
                "the checkpoint does not fit the state of this program; run the version that wrote it"
                    .to_owned()
            }
            Self::Closed(_) => "the run can be resumed from its last acknowledged checkpoint".to_owned(),
        }
    }
}

fn damage_hint(path: &Path) -> String {
    if path.extension().is_none_or(|end| end != "log") {
        return format!("move {} away, or restore it from a backup", path.display());
    }
    // A file whose name contains an escape does not show the name of its thread.
    let thread = path.file_stem().and_then(|name| name.to_str()).filter(|name| !name.contains('%'));
    let thread = thread.unwrap_or("THREAD");
    format!(
        "what stands before the damage is readable: `graph repair {thread}` goes back to it and keeps the file, or restore it from a backup"
    )
}

fn no_thread_hint(nearest: &[String]) -> String {
    match nearest {
        [] => "look for it among the threads of the store, or in another store".to_owned(),
        _ => format!("did you mean `{}`?", nearest.join("`, `")),
    }
}

/// Returns advice for an error that means an exceeded limit of the system, such as open files; `None` for
/// other errors.
#[cfg(target_os = "linux")]
fn limit_hint(error: &std::io::Error) -> Option<String> {
    use rustix::io::Errno;
    use rustix::process::{Resource, getrlimit};
    let size = |of| getrlimit(of).current.map_or_else(|| "all".to_owned(), |size| size.to_string());
    match error.raw_os_error().map(Errno::from_raw_os_error)? {
        Errno::MFILE => Some(format!(
            "the process may have {} files open (`ulimit -n`): allow more, or run less at once",
            size(Resource::Nofile)
        )),
        Errno::NFILE => Some("the system has as many files open as it can: close some programs".to_owned()),
        Errno::FBIG => Some(format!(
            "a file of this process may have {} bytes (`ulimit -f`): allow more, then resume; nothing acknowledged is lost",
            size(Resource::Fsize)
        )),
        _ => None,
    }
}

/// Other systems have other error numbers, so there is no advice.
#[cfg(not(target_os = "linux"))]
fn limit_hint(_: &std::io::Error) -> Option<String> {
    None
}

fn io_hint(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded => {
            "free some space, then resume; nothing acknowledged is lost"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => "choose a folder that can be written",
        Kind::NotADirectory | Kind::AlreadyExists => {
            "a file stands where the store needs a folder; choose another"
        }
        _ => "check the folder with `ls -la`, then try again",
    }
}
