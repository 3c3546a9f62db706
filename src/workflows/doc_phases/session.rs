//! The files of a session, for people: `{session}.json` (DOC-53, 121), `{session}_debug.txt` (DOC-122) and `{session}_context.txt`
//! (DOC-123), and which session a `--resume` goes on with (DOC-55). What a run goes on from is its thread; a session whose thread is
//! in no store goes on from its file.

mod debug;
mod files;
mod resumable;

use serde::{Deserialize, Serialize};

use super::state::Documentation;
use crate::engine::ThreadId;

pub use files::{SessionError, SessionFiles};
pub use resumable::{Resumable, find_resumable};

/// Where the files are, below the repository (DOC-10).
pub const SESSIONS_FOLDER: &str = ".agentic/doc_sessions";

/// The format of a session's file.
pub const SESSION_VERSION: u32 = 1;

/// A session as its file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionState {
    /// [`SESSION_VERSION`].
    pub version: u32,
    /// Whether anything is left to do.
    pub status: SessionStatus,
    /// The thread that the run is kept in, if it is kept.
    pub thread: Option<ThreadId>,
    /// The run, with what its phases under way have used so far.
    #[serde(flatten)]
    pub run: Documentation,
}

/// Whether anything is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It can be resumed.
    Unfinished,
    /// Its documents are written.
    Finished,
}
