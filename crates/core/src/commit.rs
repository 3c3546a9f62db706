//! A superstep on its way into a store: a checkpoint that borrows what the run has anyway. What a store keeps of it is its own
//! affair; see [`Commit::to_checkpoint`] for the plain way.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, FORMAT, JoinProgress, PlannedTask, Rare, Source, Write};
use super::error::RunError;
use super::id::{Digest, Namespace, Seq};
use super::json_text::to_raw_value;
use super::read_back::to_checked;
use super::state::{State, Update};

/// A [`Checkpoint`] before anybody owns it. The fields are those of the checkpoint; its format is [`FORMAT`].
#[derive(Debug, Clone, Copy)]
pub struct Commit<'a> {
    /// The position in the thread's log.
    pub seq: Seq,
    /// The checkpoint that this one continues.
    pub parent: Option<Seq>,
    /// How many supersteps of this run were done.
    pub step: u64,
    /// What made it.
    pub source: Source,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// Who writes it: the same for all commits of a run.
    pub origin: &'a Arc<Origin>,
    /// The updates, in task order.
    pub writes: &'a [WriteRef<'a>],
    /// The whole state after the writes.
    pub snapshot: Option<&'a RawValue>,
    /// The tasks of the next superstep.
    pub next: &'a [PlannedRef<'a>],
    /// Joins under way.
    pub joins: &'a [JoinProgress],
    /// What few checkpoints have.
    pub rare: Option<&'a Rare>,
}

/// What the checkpoints of one run have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The sub-graph that wrote them.
    pub namespace: Namespace,
    /// Which run of the thread wrote them.
    pub run: u64,
    /// The graph's name.
    pub name: Arc<str>,
    /// The digest of the graph's topology.
    pub graph: Digest,
    /// The fingerprint of the state's schema.
    pub schema: Digest,
}

/// A [`Write`], borrowed.
#[derive(Debug, Clone, Copy)]
pub struct WriteRef<'a> {
    /// The node that ran.
    pub node: &'a Arc<str>,
    /// Its update.
    pub update: Json<'a>,
}

/// The text of one JSON value, as `serde_json` wrote it. It is looked at again only by who asks for a string or a value.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a>(&'a [u8]);

impl<'a> Json<'a> {
    /// Takes what `serde_json` wrote.
    pub(crate) fn written(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The text, as UTF-8.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// The text.
    pub fn as_str(&self) -> &'a str {
        std::str::from_utf8(self.0).expect("serde_json writes UTF-8")
    }

    /// The value, borrowed. Reads the text once.
    pub fn as_raw(&self) -> &'a RawValue {
        serde_json::from_slice(self.0).expect("serde_json wrote it")
    }

    /// The value, owned.
    pub fn to_raw(&self) -> Box<RawValue> {
        self.as_raw().to_owned()
    }
}

impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(value: &'a RawValue) -> Self {
        Self(value.get().as_bytes())
    }
}

/// A [`PlannedTask`], borrowed.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRef<'a> {
    /// The node.
    pub node: &'a Arc<str>,
    /// The payload of a fan-out task.
    pub item: Option<&'a RawValue>,
}

impl Commit<'_> {
    /// The checkpoint, owned.
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

    /// The text of its updates, in bytes.
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
    /// The write, owned.
    pub fn to_write(&self) -> Write {
        Write { node: self.node.clone(), update: self.update.to_raw() }
    }
}

impl PlannedRef<'_> {
    /// The task, owned.
    pub fn to_task(&self) -> PlannedTask {
        PlannedTask { node: self.node.clone(), item: self.item.map(ToOwned::to_owned) }
    }
}

/// As JSON, or an error that names the thing.
pub(crate) fn encode(what: &str, value: &impl serde::Serialize) -> Result<Box<RawValue>, RunError> {
    to_raw_value(value).map_err(|error| refused(what, &error))
}

/// A state as a checkpoint holds it, if it is read back as it is.
pub(crate) fn encode_state<S: State>(state: &S) -> Result<Box<RawValue>, RunError> {
    let encoded = if S::READ_BACK.is_empty() { to_raw_value(state) } else { to_checked(state) };
    encoded.map_err(|error| refused("the state", &error))
}

/// An update as a checkpoint holds it, if it is read back as it is.
pub(crate) fn encode_update<S: State>(what: &str, update: &S::Update) -> Result<Box<RawValue>, RunError> {
    let is_safe = update.written().and(S::READ_BACK).is_empty();
    let encoded = if is_safe { to_raw_value(update) } else { to_checked(update) };
    encoded.map_err(|error| refused(what, &error))
}

fn refused(what: &str, error: &serde_json::Error) -> RunError {
    RunError::Encoding { what: what.to_owned(), detail: error.to_string() }
}
