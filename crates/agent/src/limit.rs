//! Every bound of this layer, in one place (ENG-20). [`CallPolicy`](super::CallPolicy) and [`Agent`](super::Agent) take
//! others.

use std::time::Duration;

/// Maximum number of requests to the model for one task (EXP-9).
pub const ROUNDS: u32 = 50;

/// Maximum number of calls of one answer that run at the same time.
pub const CALLS_AT_ONCE: usize = 8;

/// Maximum time of a tool for one call.
pub const CALL_TIMEOUT: Duration = Duration::from_mins(2);

/// Maximum length of a tool's result, in characters; about 10,000 tokens.
pub const OUTPUT_CHARS: usize = 40_000;

/// Maximum length of the arguments of a call, in bytes: 1 MiB, enough for a whole written file.
pub const ARGUMENT_BYTES: usize = 1024 * 1024;

/// Maximum length of a text of the model that an error message quotes, in characters.
pub const QUOTED_CHARS: usize = 200;

/// Maximum length of a tool name, in bytes, as endpoints allow. For a longer unknown name no similar name is
/// suggested.
pub const TOOL_NAME_BYTES: usize = 64;
