//! The commit of a superstep: a checkpoint that borrows the data of the run. A store keeps it in a form of its own;
//! [`Commit::to_checkpoint`] makes the owned form.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, FORMAT, JoinProgress, PlannedTask, RareParts, Source, Write};
use super::error::RunError;
use super::id::{Digest, Namespace, Seq};
use super::json_text::to_raw_value;
use super::read_back::to_checked;
use super::state::{State, Update};

/// A [`Checkpoint`] in the format [`FORMAT`] whose data is borrowed from the run. The run passes it to
/// [`ThreadWriter::commit`](super::ThreadWriter::commit).
#[derive(Debug, Clone, Copy)]
pub struct Commit<'a> {
    /// Position in the thread's log.
    pub seq: Seq,
    /// The checkpoint that this one continues.
    pub parent: Option<Seq>,
    /// Number of supersteps since the input.
    pub step: u64,
    /// The cause of the checkpoint.
    pub source: Source,
    /// Time of the commit, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// The facts that all commits of a run share.
    pub origin: &'a Arc<Origin>,
    /// The updates, in task order.
    pub writes: &'a [WriteRef<'a>],
    /// The whole state after the writes; `None` where readers fold it from earlier checkpoints.
    pub snapshot: Option<&'a RawValue>,
    /// The tasks of the next superstep.
    pub next: &'a [PlannedRef<'a>],
    /// The joins that some of their sources have reached.
    pub joins: &'a [JoinProgress],
    /// The fields that few checkpoints need; `None` where all of them are empty.
    pub rare: Option<&'a RareParts>,
}

/// The facts that all checkpoints of a run share: the graph, its place among nested graphs, the run and the
/// schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The place of the graph among nested graphs; the root for the outermost.
    pub namespace: Namespace,
    /// The number of the run among those of its thread, from 1.
    pub run: u64,
    /// The graph's name.
    pub name: Arc<str>,
    /// The digest of the graph's topology.
    pub graph: Digest,
    /// The fingerprint of the state's schema.
    pub schema: Digest,
}

/// The update of one task in a [`Commit`]: a `Write` whose parts are borrowed, so that a store can encode it without a copy.
#[derive(Debug, Clone, Copy)]
pub struct WriteRef<'a> {
    /// The node that ran.
    pub node: &'a Arc<str>,
    /// The update of the node.
    pub update: Json<'a>,
}

/// The text of one JSON value, as `serde_json` wrote it. Only [`as_str`](Self::as_str) and [`as_raw`](Self::as_raw) read the text again.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a>(&'a [u8]);

impl<'a> Json<'a> {
    /// Wraps a JSON text that `serde_json` wrote. Does not check it.
    pub(crate) fn from_text(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// Returns the text, as UTF-8.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the text. Checks once that it is UTF-8.
    pub fn as_str(&self) -> &'a str {
        std::str::from_utf8(self.0).expect("serde_json writes UTF-8")
    }

    /// Returns the text as a borrowed JSON value. Parses it once.
    pub fn as_raw(&self) -> &'a RawValue {
        serde_json::from_slice(self.0).expect("serde_json wrote it")
    }

    /// Returns a copy of the text as an owned JSON value.
    pub fn to_raw(&self) -> Box<RawValue> {
        self.as_raw().to_owned()
    }
}

impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(value: &'a RawValue) -> Self {
        Self(value.get().as_bytes())
    }
}

/// A borrowed [`PlannedTask`].
#[derive(Debug, Clone, Copy)]
pub struct PlannedRef<'a> {
    /// The node.
    pub node: &'a Arc<str>,
    /// The payload of a fan-out task.
    pub item: Option<&'a RawValue>,
}

impl Commit<'_> {
    /// Returns an owned copy of the checkpoint.
    pub fn to_checkpoint(&self) -> Checkpoint {
        Checkpoint {
            format: FORMAT,
            seq: self.seq,
            parent: self.parent,
            namespace: self.origin.namespace.clone(),
            run: self.origin.run,
            step: self.step,
            source: self.source,
            at_ms: self.at_ms,
            name: self.origin.name.clone(),
            graph: self.origin.graph,
            schema: self.origin.schema,
            writes: self.writes.iter().map(WriteRef::to_write).collect(),
            snapshot: self.snapshot.map(ToOwned::to_owned),
            next: self.next.iter().map(PlannedRef::to_task).collect(),
            joins: self.joins.to_vec(),
            rare: self.rare.map(|rare| Box::new(rare.clone())),
        }
    }

    /// Returns the size of its updates as JSON text, in bytes.
    pub(crate) fn written_bytes(&self) -> usize {
        self.writes.iter().map(|write| write.update.as_bytes().len()).sum()
    }
}

impl<'a> From<&'a Write> for WriteRef<'a> {
    fn from(write: &'a Write) -> Self {
        Self { node: &write.node, update: write.update.as_ref().into() }
    }
}

impl WriteRef<'_> {
    /// Returns an owned copy of the write.
    pub fn to_write(&self) -> Write {
        Write { node: self.node.clone(), update: self.update.to_raw() }
    }
}

impl PlannedRef<'_> {
    /// Returns an owned copy of the planned task.
    pub fn to_task(&self) -> PlannedTask {
        PlannedTask { node: self.node.clone(), item: self.item.map(ToOwned::to_owned) }
    }
}

/// Returns a value as JSON text. `what` names the value in the error, such as `the state`.
pub(crate) fn encode(what: &str, value: &impl serde::Serialize) -> Result<Box<RawValue>, RunError> {
    to_raw_value(value).map_err(|error| encoding_error(what, &error))
}

/// Returns a state as the JSON text of a snapshot. Fails when that text would be read back as another state.
pub(crate) fn encode_state<S: State>(state: &S) -> Result<Box<RawValue>, RunError> {
    let encoded = if S::READ_BACK.is_empty() { to_raw_value(state) } else { to_checked(state) };
    encoded.map_err(|error| encoding_error("the state", &error))
}

/// Returns an update as the JSON text of a checkpoint. Fails when that text would be read back as another
/// update; `what` names the update in the error.
pub(crate) fn encode_update<S: State>(what: &str, update: &S::Update) -> Result<Box<RawValue>, RunError> {
    let is_safe = update.written_channels().and(S::READ_BACK).is_empty();
    let encoded = if is_safe { to_raw_value(update) } else { to_checked(update) };
    encoded.map_err(|error| encoding_error(what, &error))
}

fn encoding_error(what: &str, error: &serde_json::Error) -> RunError {
    RunError::Encoding { what: what.to_owned(), detail: error.to_string() }
}
