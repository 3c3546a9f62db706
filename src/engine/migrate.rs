//! Reading what an earlier version of a state wrote: JSON of declared types, mended by a hook where the types have changed since
//! (parity D9, P5). Runs nothing of the graph.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::id::Digest;
use super::state::State;

/// What is being mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredPart {
    /// A whole state.
    State,
    /// An update, in the form in which checkpoints hold it.
    Update,
}

/// A part of a checkpoint that was written with another schema of the state than the graph has.
#[derive(Debug, Clone)]
pub struct OldPart {
    /// The [fingerprint](super::State::fingerprint) of the schema that it was written with.
    pub schema: Digest,
    /// What it is.
    pub part: StoredPart,
    /// It.
    pub value: Value,
}

/// Makes of an old part one of the state as it is now, or says why it cannot.
pub(crate) type Migrate = Arc<dyn Fn(OldPart) -> Result<Value, String> + Send + Sync>;

/// How a graph reads what is stored.
pub(crate) struct Reading<S> {
    /// The schema as it is now.
    pub(crate) schema: Digest,
    pub(crate) migrate: Option<Migrate>,
    /// What read states take over that JSON does not hold.
    pub(crate) prototype: Option<S>,
}

impl<S: State> Reading<S> {
    /// A part that was written with this schema.
    pub(crate) fn part<T: DeserializeOwned>(
        &self,
        raw: &RawValue,
        schema: Digest,
        part: StoredPart,
    ) -> serde_json::Result<T> {
        let Some(migrate) = self.migrate.as_ref().filter(|_| schema != self.schema) else {
            return serde_json::from_str(raw.get());
        };
        let old = OldPart { schema, part, value: serde_json::from_str(raw.get())? };
        serde_json::from_value(migrate(old).map_err(serde::de::Error::custom)?)
    }

    /// A whole state.
    pub(crate) fn state(&self, raw: &RawValue, schema: Digest) -> serde_json::Result<S> {
        let mut state: S = self.part(raw, schema, StoredPart::State)?;
        if let Some(prototype) = &self.prototype {
            state.adopt(prototype);
        }
        Ok(state)
    }
}
