//! How much the values of a run may take: of a text, a channel, a state, a whole run. Counts; folds nothing.
//!
//! The bounds of a program are its user's; a graph file is a stranger's text and can only lower them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Bytes of a value besides its texts: what it takes in memory.
const VALUE: usize = 80;

/// Bytes of an entry of a map besides its key and its value.
const ENTRY: usize = 80;

const MIB: usize = 1024 * 1024;

/// The most that the values of a run may take, in bytes. A value takes 80 bytes and those of its texts; so does each item in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The text that a template makes; 4 MiB.
    pub template: usize,
    /// The value of a channel, and what a node writes to it; 8 MiB.
    pub value: usize,
    /// All channels of a state; 32 MiB.
    pub state: usize,
    /// All that a run holds for its next checkpoint: its state, those of its sub-graphs, and what the nodes of the step have written;
    /// 64 MiB.
    pub checkpoint: usize,
}

impl Limits {
    /// The bounds when the user says nothing.
    pub const DEFAULT: Self =
        Self { template: 4 * MIB, value: 8 * MIB, state: 32 * MIB, checkpoint: 64 * MIB };

    /// The names of the bounds, as files and the command line write them.
    pub const NAMES: [&'static str; 4] = ["template", "value", "state", "checkpoint"];

    /// The bound of this name, to be changed.
    pub fn named(&mut self, name: &str) -> Option<&mut usize> {
        Some(match name {
            "template" => &mut self.template,
            "value" => &mut self.value,
            "state" => &mut self.state,
            "checkpoint" => &mut self.checkpoint,
            _ => return None,
        })
    }

    /// The lower of both, bound by bound.
    #[must_use]
    pub fn lowest(self, other: Self) -> Self {
        Self {
            template: self.template.min(other.template),
            value: self.value.min(other.value),
            state: self.state.min(other.state),
            checkpoint: self.checkpoint.min(other.checkpoint),
        }
    }

    /// Bytes as people write them: `64KiB`, `8MiB`, `1GiB`, or a plain number.
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

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A bound that was exceeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    what: String,
    bytes: usize,
    most: usize,
    limit: &'static str,
}

impl Exceeded {
    /// Says that `what` takes so many bytes where the limit of this name allows `most`.
    pub fn new(what: impl Into<String>, bytes: usize, most: usize, limit: &'static str) -> Self {
        Self { what: what.into(), bytes, most, limit }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        let Self { bytes, limit, .. } = self;
        let enough = bytes.div_ceil(MIB).next_power_of_two();
        format!(
            "keep less of it, or allow more: `--limits {limit}={enough}MiB`, if the file does not say less under `limits`"
        )
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, bytes, most, limit } = self;
        write!(f, "{what} takes {bytes} bytes, and the limit `{limit}` is {most}")
    }
}

/// The bytes that a value takes.
pub fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => VALUE,
        Value::String(text) => VALUE + text.len(),
        Value::Array(items) => VALUE + items.iter().map(weight).sum::<usize>(),
        Value::Object(entries) => {
            VALUE + entries.iter().map(|(key, value)| ENTRY + key.len() + weight(value)).sum::<usize>()
        }
    }
}

/// The most bytes that the value of a JSON text takes: known before it is parsed.
pub fn weight_of_json(text: &str) -> usize {
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

/// What all states of a run, and what is about to be written to them, take together.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    bytes: AtomicUsize,
    /// What sub-graphs have written since the last step of the run: it stays in the log of the task until the step is committed.
    logged: AtomicUsize,
}

impl Ledger {
    /// Counts what a sub-graph wrote: the write and the checkpoint with it.
    pub(crate) fn log(&self, written: usize) {
        self.logged.fetch_add(written.saturating_mul(2), Ordering::Relaxed);
    }

    /// Forgets what sub-graphs wrote: their step is over.
    pub(crate) fn begin_step(&self) {
        self.logged.store(0, Ordering::Relaxed);
    }
}

/// A part of a `Ledger`, given back when it is dropped.
#[derive(Debug, Default)]
pub struct Lease {
    ledger: Arc<Ledger>,
    bytes: usize,
}

impl Lease {
    /// Nothing of a ledger.
    pub(crate) fn of(ledger: &Arc<Ledger>) -> Self {
        Self { ledger: ledger.clone(), bytes: 0 }
    }

    /// The ledger.
    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Holds so many bytes from now on; says how many the run then holds where that is more than `most`.
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

/// Shares the ledger, not what is held of it.
impl Clone for Lease {
    fn clone(&self) -> Self {
        Self::of(&self.ledger)
    }
}
