//! The files of a session, for the user: `{session}.json` (DOC-53, 121), `{session}_debug.txt` (DOC-122) and
//! `{session}_context.txt` (DOC-123), and the search for the session that `--resume` continues (DOC-55). A run resumes from its
//! thread; a session whose thread is in no store resumes from its file.

mod debug;
mod files;
mod resumable;

use serde::{Deserialize, Serialize};

use super::state::Documentation;
use crate::engine::ThreadId;

pub use files::{SessionError, SessionFiles};
pub use resumable::{Resumable, find_resumable};

/// Folder of the session files, relative to the repository (DOC-10).
pub const SESSIONS_FOLDER: &str = ".agentic/doc_sessions";

/// Format version of the session file.
pub const SESSION_VERSION: u32 = 1;

/// Content of a session file: the state of a run, so that `--resume` can continue it without a store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionState {
    /// Format version, [`SESSION_VERSION`].
    pub version: u32,
    /// Status of the session.
    pub status: SessionStatus,
    /// Thread of the run, if it is in a store.
    pub thread: Option<ThreadId>,
    /// State of the run, with the current usage of the phases in progress.
    #[serde(flatten)]
    pub run: Documentation,
}

/// Status of a session: still to be resumed, or finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// The session can be resumed.
    Unfinished,
    /// The documents are written.
    Finished,
}
