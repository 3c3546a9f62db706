//! Reading what an earlier version of a state wrote (parity D9, P5). Channels that are gone are left out, reducers that came or went are
//! an error that says so, and what differs otherwise goes from version to version by typed steps. Runs nothing of the graph.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde_json::value::RawValue;

use super::checkpoint::Checkpoint;
use super::id::Digest;
use super::json_text::to_raw_value;
use super::read_back::part_at;
use super::rebuild_error::RebuildError;
use super::state::State;

/// How a graph reads what is stored.
pub(crate) struct Reading<S> {
    /// The schema as it is now.
    pub(crate) schema: Digest,
    pub(crate) versions: Versions,
    /// What read states take over that JSON does not hold.
    pub(crate) prototype: Option<S>,
}

/// The earlier versions of a state that have a step to the next one.
#[derive(Default)]
pub(crate) struct Versions {
    pub(super) steps: Vec<MigrationStep>,
    /// For updates of tasks whose superstep had not ended, by the version that they were written in.
    pub(super) updates: BTreeMap<Digest, LiftUpdate>,
}

/// A step from one version of a state to the next.
pub(super) struct MigrationStep {
    pub(super) from: Digest,
    pub(super) to: Digest,
    pub(super) from_type: &'static str,
    pub(super) to_type: &'static str,
    /// Makes of a chain of checkpoints of the one version its state.
    pub(super) whole: OfChain,
    /// The same in the other version.
    pub(super) state: OfChain,
    /// Takes over an update whose channels are the same in both.
    pub(super) update: LiftUpdate,
}

pub(super) type OfChain =
    Box<dyn Fn(&[Arc<Checkpoint>]) -> Result<Box<RawValue>, RebuildError> + Send + Sync>;
pub(super) type LiftUpdate = Box<dyn Fn(&RawValue) -> serde_json::Result<Box<RawValue>> + Send + Sync>;

impl Versions {
    /// The reasons why a step can never be taken to the schema that the graph has.
    pub(crate) fn problems(&self, schema: Digest) -> Vec<String> {
        let mut found = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let MigrationStep { from, from_type, to_type, .. } = step;
            if *from == schema {
                found.push(format!("the step from `{from_type}` begins at the state as it is now"));
            } else if self.steps[..at].iter().any(|other| other.from == *from) {
                found.push(format!("there are two steps from `{from_type}`"));
            } else if !self.lead(step.to, schema) {
                found.push(format!(
                    "the step from `{from_type}` ends at `{to_type}`, and none goes on from there"
                ));
            }
        }
        let has_step = |from: &Digest| self.step(*from).is_some();
        if !self.updates.keys().all(has_step) {
            found.push("there is a step for updates of a version whose state has none".to_owned());
        }
        found
    }

    fn lead(&self, mut from: Digest, schema: Digest) -> bool {
        // A way through more steps than there are goes round.
        for _ in 0..=self.steps.len() {
            if from == schema {
                return true;
            }
            let Some(step) = self.step(from) else { return false };
            from = step.to;
        }
        false
    }

    fn step(&self, from: Digest) -> Option<&MigrationStep> {
        self.steps.iter().find(|step| step.from == from)
    }
}

impl<S: State> Reading<S> {
    /// Reads a whole state that was written with this schema.
    pub(crate) fn state(&self, raw: &RawValue, schema: Digest) -> serde_json::Result<S> {
        let raw = if schema == self.schema { Cow::Borrowed(raw) } else { self.without_removed(raw)? };
        let mut state: S = named(&raw)?;
        if let Some(prototype) = &self.prototype {
            state.adopt(prototype);
        }
        match state.fault() {
            None => Ok(state),
            Some(fault) => Err(serde_json::Error::custom(fault)),
        }
    }

    /// Reads an update that was written with this schema.
    pub(crate) fn update(&self, raw: &RawValue, schema: Digest) -> serde_json::Result<S::Update> {
        if schema == self.schema {
            return named(raw);
        }
        let mut raw = Cow::Borrowed(raw);
        let mut schema = schema;
        while let Some(step) = self.versions.step(schema).filter(|_| schema != self.schema) {
            let lift = self.versions.updates.get(&schema).unwrap_or(&step.update);
            raw = Cow::Owned(lift(&raw)?);
            schema = step.to;
        }
        if schema == self.schema {
            return named(&raw);
        }
        let raw = self.without_removed(&raw)?;
        self.check_reducers(&raw)?;
        named(&raw)
    }

    /// The state at the end of a chain in the version that wrote the end, with its schema, where that is an earlier one. A snapshot of it
    /// lets the checkpoints that follow be folded by the reducers that they were written for.
    pub(crate) fn in_its_version(
        &self,
        chain: &[Arc<Checkpoint>],
    ) -> Result<Option<(Box<RawValue>, Digest)>, RebuildError> {
        let Some(schema) = chain.last().map(|tip| tip.schema) else { return Ok(None) };
        let Some(step) = self.versions.step(schema).filter(|_| schema != self.schema) else {
            return Ok(None);
        };
        let chain = self.lifted(chain, schema)?;
        if chain.first().is_none_or(|first| first.snapshot_schema() != schema) {
            return Ok(None);
        }
        Ok(Some(((step.whole)(&chain)?, schema)))
    }

    /// The chain with its beginning in this schema, as far as there are steps to it.
    pub(crate) fn lifted<'a>(
        &self,
        chain: &'a [Arc<Checkpoint>],
        wanted: Digest,
    ) -> Result<Cow<'a, [Arc<Checkpoint>]>, RebuildError> {
        let mut chain = Cow::Borrowed(chain);
        loop {
            let Some(schema) = chain.first().map(|first| first.snapshot_schema()) else { return Ok(chain) };
            let Some(step) = self.versions.step(schema).filter(|_| schema != wanted && schema != self.schema)
            else {
                return Ok(chain);
            };
            let old = 1 + chain[1..].iter().take_while(|checkpoint| checkpoint.schema == schema).count();
            let mut whole = Checkpoint::clone(&chain[old - 1]);
            whole.snapshot = Some((step.state)(&chain[..old])?);
            whole.schema = step.to;
            if let Some(rare) = &mut whole.rare {
                rare.snapshot_schema = None;
            }
            let rest = chain[old..].iter().cloned();
            chain = std::iter::once(Arc::new(whole)).chain(rest).collect();
        }
    }

    /// The steps from a schema to the one as it is now, as names of types.
    pub(crate) fn steps_from(&self, mut schema: Digest) -> Vec<(&'static str, &'static str)> {
        let mut steps = Vec::new();
        while let Some(step) = self.versions.step(schema).filter(|_| schema != self.schema) {
            steps.push((step.from_type, step.to_type));
            schema = step.to;
        }
        steps
    }

    /// The JSON of a state or an update without the channels that are no more.
    fn without_removed<'a>(&self, raw: &'a RawValue) -> serde_json::Result<Cow<'a, RawValue>> {
        // What is no object is for the reader of the type to refuse.
        let Ok(mut parts) = serde_json::from_str::<BTreeMap<String, &RawValue>>(raw.get()) else {
            return Ok(Cow::Borrowed(raw));
        };
        let all = parts.len();
        parts.retain(|name, _| S::rule(self.prototype.as_ref(), name).is_some());
        if parts.len() == all { Ok(Cow::Borrowed(raw)) } else { to_raw_value(&parts).map(Cow::Owned) }
    }

    /// Refuses writes to a channel that had a reducer and has none now, or the reverse: folded as they are they would give another value.
    fn check_reducers(&self, update: &RawValue) -> serde_json::Result<()> {
        let writes: BTreeMap<String, &RawValue> = serde_json::from_str(update.get())?;
        for (name, write) in &writes {
            let Some(rule) = S::rule(self.prototype.as_ref(), name) else { continue };
            let problem = match (is_replaced(rule), is_folded(write)) {
                (true, true) => format!("`{name}` was written with a reducer, and has none now"),
                (false, false) => format!("`{name}` was written without a reducer, and has `{rule}` now"),
                _ => continue,
            };
            return Err(serde_json::Error::custom(problem));
        }
        Ok(())
    }
}

/// Tells whether a write to a channel with this rule is its whole value.
pub(crate) fn is_replaced(rule: &str) -> bool {
    matches!(rule, "last" | "any")
}

/// Tells whether a write has the form of one to a folded channel; see [`Fold`](super::Fold).
fn is_folded(write: &RawValue) -> bool {
    let keys: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(write.get()).ok();
    keys.is_some_and(|keys| {
        keys.len() == 1 && keys.keys().all(|key| matches!(key.as_str(), "+" | "++" | "="))
    })
}

/// Reads what checkpoints hold; an error names the channel at which reading ended.
fn named<T: DeserializeOwned>(raw: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(raw.get()).map_err(|error| match part_at(raw.get().as_bytes(), &error) {
        Some(channel) => serde_json::Error::custom(format_args!("`{channel}`: {error}")),
        None => error,
    })
}
