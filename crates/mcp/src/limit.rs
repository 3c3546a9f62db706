//! Every bound of this crate, in one place: what a server of a stranger may take of time and memory.

use std::time::Duration;

/// Longest start of a server, its first list of tools included, unless its entry sets `start_limit`. `npx` and `uvx` may install first.
pub const START_LIMIT: Duration = Duration::from_mins(1);

/// Longest silence of a server during a call, unless its entry sets `limit`. A notification of progress ends a silence.
pub const CALL_LIMIT: Duration = Duration::from_mins(1);

/// Longest call in all, with progress: as long as the tool loop allows any tool, or `limit` if that is more.
pub const TOTAL_LIMIT: Duration = stategraph_agent::limit::CALL_TIMEOUT;

/// Largest value of `limit` and `start_limit`, in seconds: a day.
pub const LIMIT_SECONDS_MAX: u64 = 86_400;

/// Most starts of one server in one process. A server that ends a second time stays ended, because it probably always does.
pub const STARTS: u32 = 2;

/// Most calls in a row without an answer before a connection is given up: what a server sent without a line break may block it.
pub const TIMEOUTS_IN_A_ROW: u32 = 2;

/// Most pages of a list of tools.
pub const PAGES: usize = 50;

/// Most tools of one server.
pub const TOOLS: usize = 1_000;

/// Most bytes of the names, descriptions and schemas of one server.
pub const LIST_BYTES: usize = 1024 * 1024;

/// Longest description of a tool for a model, in bytes.
pub const DESCRIPTION_BYTES: usize = 2 * 1024;

/// Largest schema of the arguments of one tool, in bytes.
pub const SCHEMA_BYTES: usize = 64 * 1024;

/// Longest text of a result, in bytes; the rest is cut off, and a line says how much.
pub const RESULT_BYTES: usize = 256 * 1024;

/// Largest result as data, in bytes; larger data is left out.
pub const DATA_BYTES: usize = 1024 * 1024;

/// Longest line that is read from a server, in bytes. `rmcp` drops longer ones without an error, so such an answer ends by time-out.
pub const LINE_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of the standard error of a server that are kept for messages.
pub const STDERR_BYTES: usize = 64 * 1024;

/// Largest configuration file, in bytes.
pub const CONFIG_BYTES: usize = 1024 * 1024;

/// Most servers of one configuration file.
pub const SERVERS: usize = 100;

/// Time that a server has to end after its input was closed, and again after the signal to terminate.
pub const CLOSE_LIMIT: Duration = Duration::from_millis(800);

/// Most calls that our server runs at the same time; further ones wait.
pub const SERVED_AT_ONCE: usize = 8;

/// Longest time of one call of our server that reads. Graphs have no limit, because their client can cancel.
pub const SERVED_LIMIT: Duration = Duration::from_mins(2);
