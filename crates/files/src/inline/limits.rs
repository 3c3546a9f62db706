//! Bounds the memory of the values of a run: of a text, a channel, a state, and all states of the run. Counts bytes;
//! folds nothing.
//!
//! The user sets the bounds. A graph file may come from a stranger, so it can only lower them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Estimated bytes of a value in memory besides its texts.
const VALUE: usize = 80;

/// Estimated bytes of a map entry besides its key and its value.
const ENTRY: usize = 80;

const MIB: usize = 1024 * 1024;

/// Upper bounds of the values of a run, in bytes. A value counts as 80 bytes plus the bytes of its texts; the same
/// holds for each item in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueLimits {
    /// Text that a template renders; 4 MiB unless set.
    pub template: usize,
    /// Value of a channel, and a single write of a node to it; 8 MiB unless set.
    pub value: usize,
    /// All channels of a state together; 32 MiB unless set.
    pub state: usize,
    /// Everything that a run holds until its next checkpoint: its state, the states of its sub-graphs, and the writes
    /// of the superstep; 64 MiB unless set.
    pub checkpoint: usize,
}

impl ValueLimits {
    /// Bounds that the user did not set.
    pub const DEFAULT: Self =
        Self { template: 4 * MIB, value: 8 * MIB, state: 32 * MIB, checkpoint: 64 * MIB };

    /// Names of the bounds in graph files and on the command line.
    pub const NAMES: [&'static str; 4] = ["template", "value", "state", "checkpoint"];

    /// Returns the bound named in a graph file or on the command line, to be changed; `None` for another
    /// name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut usize> {
        Some(match name {
            "template" => &mut self.template,
            "value" => &mut self.value,
            "state" => &mut self.state,
            "checkpoint" => &mut self.checkpoint,
            _ => return None,
        })
    }

    /// Returns the lower value of each bound in `self` and `other`.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            template: self.template.min(other.template),
            value: self.value.min(other.value),
            state: self.state.min(other.state),
            checkpoint: self.checkpoint.min(other.checkpoint),
        }
    }

    /// Parses a size such as `64KiB`, `8MiB`, `1GiB`, or a number of bytes. Returns bytes; 0 is an error.
    pub fn parse(text: &str) -> Result<usize, String> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let factor = match unit.trim() {
            "" | "B" => 1,
            "KiB" => 1024,
            "MiB" => MIB,
            "GiB" => 1024 * MIB,
            _ => return Err(format!("`{text}` is no size")),
        };
        let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(factor));
        bytes.filter(|bytes| *bytes > 0).ok_or_else(|| format!("`{text}` is no size"))
    }
}

impl Default for ValueLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The error of a value that exceeds a bound. `Display` names the value, its size and the bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitExceeded {
    what: String,
    bytes: usize,
    most: usize,
    limit: &'static str,
}

impl LimitExceeded {
    /// Creates the error: `what` takes `bytes` bytes, and the bound named `limit` is `most`.
    pub fn new(what: impl Into<String>, bytes: usize, most: usize, limit: &'static str) -> Self {
        Self { what: what.into(), bytes, most, limit }
    }

    /// Returns advice for the user: to keep less, or a higher value for the bound.
    pub fn hint(&self) -> String {
        let Self { bytes, limit, .. } = self;
        let enough = bytes.div_ceil(MIB).next_power_of_two();
        format!(
            "keep less of it, or allow more in the limits of the run: `{limit}={enough}MiB`, if the file does not say less under `limits`"
        )
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, bytes, most, limit } = self;
        write!(f, "{what} takes {bytes} bytes, and the limit `{limit}` is {most}")
    }
}

/// Returns an estimate of the bytes that a JSON value takes in memory: 80 for each value and map entry, plus
/// its texts.
pub fn json_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => VALUE,
        Value::String(text) => VALUE + text.len(),
        Value::Array(items) => VALUE + items.iter().map(json_size).sum::<usize>(),
        Value::Object(entries) => {
            VALUE + entries.iter().map(|(key, value)| ENTRY + key.len() + json_size(value)).sum::<usize>()
        }
    }
}

/// Returns an upper bound of [`json_size`] of the value in a JSON text, without parsing it.
pub fn json_text_size(text: &str) -> usize {
    let (mut is_text, mut is_escaped, mut values) = (false, false, 1_usize);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b':' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values.saturating_mul(VALUE).saturating_add(text.len())
}

/// The sum of the bytes that all states and unfolded updates of a run hold. All states of the run, sub-graphs
/// included, share it.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    bytes: AtomicUsize,
    /// Bytes that sub-graphs wrote since the last superstep of the run. They stay in the log of the task until its
    /// superstep is committed.
    logged: AtomicUsize,
}

impl Ledger {
    /// Counts `written` bytes of a sub-graph twice: for the write itself and for the checkpoint that will
    /// hold it.
    pub(crate) fn log(&self, written: usize) {
        self.logged.fetch_add(written.saturating_mul(2), Ordering::Relaxed);
    }

    /// Resets the bytes that sub-graphs wrote, because their superstep was committed.
    pub(crate) fn begin_step(&self) {
        self.logged.store(0, Ordering::Relaxed);
    }
}

/// A reservation of bytes in the `Ledger` of a run. Dropping it releases the bytes.
#[derive(Debug, Default)]
pub struct Lease {
    ledger: Arc<Ledger>,
    bytes: usize,
}

impl Lease {
    /// Creates a reservation of 0 bytes in the ledger.
    pub(crate) fn of(ledger: &Arc<Ledger>) -> Self {
        Self { ledger: ledger.clone(), bytes: 0 }
    }

    /// Returns the ledger in which the bytes are counted.
    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Changes the reservation to `bytes`. If it grew and the run now holds more than `most`, fails with the
    /// total of the run; the bytes stay reserved nevertheless.
    pub(crate) fn hold(&mut self, bytes: usize, most: usize) -> Result<(), usize> {
        let before = std::mem::replace(&mut self.bytes, bytes);
        let held = if bytes >= before {
            let more = bytes - before;
            self.ledger.bytes.fetch_add(more, Ordering::Relaxed).saturating_add(more)
        } else {
            self.ledger.bytes.fetch_sub(before - bytes, Ordering::Relaxed) - (before - bytes)
        };
        let held = held.saturating_add(self.ledger.logged.load(Ordering::Relaxed));
        if bytes > before && held > most { Err(held) } else { Ok(()) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ledger.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Shares the ledger, but not the reserved bytes.
impl Clone for Lease {
    fn clone(&self) -> Self {
        Self::of(&self.ledger)
    }
}
