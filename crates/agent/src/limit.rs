//! Every bound of this layer, in one place (ENG-20). [`CallPolicy`](super::CallPolicy) and [`Agent`](super::Agent) take
//! others.

use std::time::Duration;

/// Most times a model is asked for one task (EXP-9).
pub const ROUNDS: u32 = 50;

/// Most calls of one answer that run at the same time.
pub const CALLS_AT_ONCE: usize = 8;

/// Longest a tool may take for one call.
pub const CALL_TIMEOUT: Duration = Duration::from_mins(2);

/// Longest content of a tool's result, in characters; about 10,000 tokens.
pub const OUTPUT_CHARS: usize = 40_000;

/// Longest arguments of a call, in bytes: 1 MiB, room for a whole written file.
pub const ARGUMENT_BYTES: usize = 1024 * 1024;

/// Most characters of what a model wrote that an error repeats to it.
pub const QUOTED_CHARS: usize = 200;

/// Longest invented tool name for which a nearest known one is looked for, in bytes; endpoints allow 64.
pub const TOOL_NAME_BYTES: usize = 64;
