//! Writes the files of a session while the run proceeds. Each write replaces the whole file, so a reader or a kill sees the old or
//! the new content.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::debug::DebugLog;
use super::{SESSION_VERSION, SESSIONS_FOLDER, SessionState, SessionStatus};
use crate::engine::ThreadId;
use crate::llm::{ChatRequest, Role};
use crate::repo::{FileWriter, PathError, RepoPath, Root, WriteError};
use crate::workflows::doc_phases::input::Debugging;
use crate::workflows::doc_phases::state::Documentation;

/// Folder of everything that a run writes, relative to the repository (DOC-10).
const AGENTIC: &str = ".agentic";

/// Text of the `.gitignore` in that folder. Sessions hold complete prompts and answers, so they are not committed. Documents are
/// published, and memory with them, because an update on another machine needs it.
const IGNORE: &str = "\
# Written once by `graph run doc-phases`; change it as you like.
# Prompts and answers of models stay here. Documents are made to be published, and an update of them needs memory.
/doc_sessions/
/memory/.lock
.stategraph-*.tmp
";

/// Files of the running session: session file, debug log and context file. Methods take `&self` because
/// components are explored concurrently.
pub struct SessionFiles {
    ignore: RepoPath,
    json: RepoPath,
    context: RepoPath,
    state: Mutex<SessionState>,
    debug: Option<Mutex<DebugLog>>,
    writer: FileWriter,
}

/// Error of session files that cannot be created or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// Its path leads out of the repository.
    #[error("the session cannot be kept: {0}")]
    Path(#[from] PathError),
    /// The file cannot be written.
    #[error("the session cannot be kept: {0}")]
    Write(#[from] WriteError),
    /// The debug log cannot be written.
    #[error("the debug log {} cannot be written: {reason}", path.display())]
    Log {
        /// Path of the log.
        path: PathBuf,
        /// Error text of the operating system.
        reason: String,
    },
    /// The session id is not a valid file name.
    #[error("`{id}` cannot be the id of a session: use letters, digits, `_` and `-`, at most 100")]
    Id {
        /// Id as given.
        id: String,
    },
}

impl SessionError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Path(error) => error.hint(),
            Self::Write(error) => error.hint(),
            Self::Log { .. } => {
                "make `.agentic` in the repository writable, or set `debug_logging: false` in a budgets file"
            }
            Self::Id { .. } => "leave the id out to get one",
        }
    }
}

impl SessionFiles {
    /// Returns the files of a run in the repository at `root`. Writes nothing yet.
    /// Fails for a session id that is not 1 to 100 letters, digits, `_` or `-`.
    pub fn new(root: &Root, run: Documentation) -> Result<Self, SessionError> {
        let id = run.session_id.clone();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !(1..=100).contains(&id.len()) || !id.chars().all(plain) {
            return Err(SessionError::Id { id });
        }
        let at = |ending: &str| root.path(format!("{SESSIONS_FOLDER}/{id}{ending}"));
        let debug = match run.settings.debug {
            Debugging::Files => Some(Mutex::new(DebugLog::new(&at("_debug.txt")?))),
            Debugging::Off => None,
        };
        let status = SessionStatus::Unfinished;
        let state = SessionState { version: SESSION_VERSION, status, thread: None, run };
        let ignore = root.path(format!("{AGENTIC}/.gitignore"))?;
        Ok(Self {
            ignore,
            json: at(".json")?,
            context: at("_context.txt")?,
            state: Mutex::new(state),
            debug,
            writer: FileWriter::default(),
        })
    }

    /// Replaces the writer of files, which decides between immediate and deferred flushes. Session files are
    /// private in any case.
    #[must_use]
    pub fn with_writer(mut self, writer: FileWriter) -> Self {
        self.writer = writer;
        self
    }

    /// Returns a copy of the current content of the session file.
    pub fn state(&self) -> SessionState {
        self.lock_state().clone()
    }

    /// Applies `change` to the session, and writes the session file if it then differs (DOC-53). `thread` is
    /// the thread of the run, if it has one.
    pub fn update(
        &self,
        thread: Option<&ThreadId>,
        change: impl FnOnce(&mut SessionState),
    ) -> Result<(), SessionError> {
        let mut state = self.lock_state();
        let mut fresh = state.clone();
        fresh.thread = thread.cloned().or(fresh.thread);
        change(&mut fresh);
        if *state == fresh && self.json.absolute().exists() {
            return Ok(());
        }
        let mut text =
            serde_json::to_string_pretty(&fresh).expect("a session is plain data with string keys");
        text.push('\n');
        if !self.ignore.absolute().exists() {
            self.writer.replace(self.ignore.absolute(), IGNORE.as_bytes())?;
        }
        // Written under the lock because otherwise the older of two concurrent changes could replace the newer one.
        self.writer.private().replace(self.json.absolute(), text.as_bytes())?;
        *state = fresh;
        Ok(())
    }

    /// Appends an entry to the debug log unless it has one with this key (DOC-27, DOC-122). Does nothing if
    /// debug files are off.
    pub fn append_debug(&self, key: &str, text: &str) -> Result<(), SessionError> {
        let Some(debug) = &self.debug else { return Ok(()) };
        debug.lock().unwrap_or_else(PoisonError::into_inner).add(key, text)
    }

    /// Replaces the context file with the messages of the next model request (DOC-123, DOC-128). Does nothing
    /// if debug files are off.
    pub fn write_context(&self, key: &str, request: &ChatRequest) -> Result<(), SessionError> {
        if self.debug.is_none() {
            return Ok(());
        }
        let mut text = format!("Context of {key}\n");
        for message in &request.messages {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            };
            writeln!(text, "\n===== {role} =====\n{}", message.content).expect("a string takes all");
            for call in &message.tool_calls {
                writeln!(text, "[calls {} with {}]", call.name, call.arguments).expect("a string takes all");
            }
        }
        self.writer.private().replace(self.context.absolute(), text.as_bytes()).map_err(SessionError::from)
    }

    fn lock_state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
