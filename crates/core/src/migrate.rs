//! Reads states and updates that an earlier version of a state wrote (parity D9, P5). Removed channels are left out; added or removed
//! reducers are an error; other differences need migration steps. Runs nothing of the graph.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde_json::value::RawValue;

use super::checkpoint::Checkpoint;
use super::id::Digest;
use super::json_text::to_raw_value;
use super::read_back::channel_at;
use super::rebuild_error::RebuildError;
use super::state::State;

/// The reader of stored states and updates. It converts those of older versions to the present version of the
/// state. A compiled graph owns one.
pub(crate) struct StateReader<S> {
    /// The present schema.
    pub(crate) schema: Digest,
    pub(crate) migrations: Migrations,
    /// The state from which read states take over the parts that JSON does not hold.
    pub(crate) prototype: Option<S>,
}

/// The migration steps of a graph.
#[derive(Default)]
pub(crate) struct Migrations {
    pub(super) steps: Vec<MigrationStep>,
    /// The steps for updates of finished tasks in an open superstep, by the version that wrote the update.
    pub(super) updates: BTreeMap<Digest, LiftUpdate>,
}

/// A migration step from one version of a state to the next.
pub(super) struct MigrationStep {
    pub(super) from: Digest,
    pub(super) to: Digest,
    pub(super) from_type: &'static str,
    pub(super) to_type: &'static str,
    /// Folds a chain of checkpoints of the older version to a state of that version.
    pub(super) fold_old: FoldChain,
    /// Folds a chain of checkpoints of the older version to a state of the newer one.
    pub(super) fold_new: FoldChain,
    /// Returns an update of the older version unchanged, or fails when it writes a channel that differs in
    /// the newer one. Used when no step for updates was declared.
    pub(super) carry_update: LiftUpdate,
}

pub(super) type FoldChain =
    Box<dyn Fn(&[Arc<Checkpoint>]) -> Result<Box<RawValue>, RebuildError> + Send + Sync>;
pub(super) type LiftUpdate = Box<dyn Fn(&RawValue) -> serde_json::Result<Box<RawValue>> + Send + Sync>;

impl Migrations {
    /// Returns the reasons why steps are never used or do not lead to `schema`, the present schema of the
    /// graph; empty when all do.
    pub(crate) fn problems(&self, schema: Digest) -> Vec<String> {
        let mut found = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let MigrationStep { from, from_type, to_type, .. } = step;
            if *from == schema {
                found.push(format!("the step from `{from_type}` begins at the state as it is now"));
            } else if self.steps[..at].iter().any(|other| other.from == *from) {
                found.push(format!("there are two steps from `{from_type}`"));
            } else if !self.leads_to(step.to, schema) {
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

    fn leads_to(&self, mut from: Digest, schema: Digest) -> bool {
        // More steps than exist would mean a circle.
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

impl<S: State> StateReader<S> {
    /// Reads a whole state that was written with `schema`. Leaves out channels that no longer exist, and
    /// takes over from the prototype the parts that JSON does not hold. Fails for a state with a
    /// [fault](State::fault).
    pub(crate) fn read_state(&self, raw: &RawValue, schema: Digest) -> serde_json::Result<S> {
        let raw = if schema == self.schema { Cow::Borrowed(raw) } else { self.drop_removed_channels(raw)? };
        let mut state: S = read_value(&raw)?;
        if let Some(prototype) = &self.prototype {
            state.adopt(prototype);
        }
        match state.fault() {
            None => Ok(state),
            Some(fault) => Err(serde_json::Error::custom(fault)),
        }
    }

    /// Reads an update that was written with `schema` and applies migration steps to it. If they do not lead
    /// to the present schema, removed channels are left out, and a written channel that gained or lost its
    /// reducer is an error.
    pub(crate) fn read_update(&self, raw: &RawValue, schema: Digest) -> serde_json::Result<S::Update> {
        if schema == self.schema {
            return read_value(raw);
        }
        let mut raw = Cow::Borrowed(raw);
        let mut schema = schema;
        while let Some(step) = self.migrations.step(schema).filter(|_| schema != self.schema) {
            let lift = self.migrations.updates.get(&schema).unwrap_or(&step.carry_update);
            raw = Cow::Owned(lift(&raw)?);
            schema = step.to;
        }
        if schema == self.schema {
            return read_value(&raw);
        }
        let raw = self.drop_removed_channels(&raw)?;
        self.check_reducers(&raw)?;
        read_value(&raw)
    }

    /// Folds a chain of checkpoints to a state of the older version that wrote its last checkpoint, and
    /// returns the state as JSON with that schema. Returns `None` when that version is the present one or has
    /// no step. A snapshot of that state lets later checkpoints be folded by the reducers they were written
    /// for.
    pub(crate) fn fold_in_own_version(
        &self,
        chain: &[Arc<Checkpoint>],
    ) -> Result<Option<(Box<RawValue>, Digest)>, RebuildError> {
        let Some(schema) = chain.last().map(|tip| tip.schema) else { return Ok(None) };
        let Some(step) = self.migrations.step(schema).filter(|_| schema != self.schema) else {
            return Ok(None);
        };
        let chain = self.lift_chain(chain, schema)?;
        if chain.first().is_none_or(|first| first.snapshot_schema() != schema) {
            return Ok(None);
        }
        Ok(Some(((step.fold_old)(&chain)?, schema)))
    }

    /// Returns the chain with its oldest checkpoints replaced by one snapshot in a newer version: as many
    /// steps as exist are applied until the first checkpoint has the schema `wanted` or the present one.
    pub(crate) fn lift_chain<'a>(
        &self,
        chain: &'a [Arc<Checkpoint>],
        wanted: Digest,
    ) -> Result<Cow<'a, [Arc<Checkpoint>]>, RebuildError> {
        let mut chain = Cow::Borrowed(chain);
        loop {
            let Some(schema) = chain.first().map(|first| first.snapshot_schema()) else { return Ok(chain) };
            let Some(step) =
                self.migrations.step(schema).filter(|_| schema != wanted && schema != self.schema)
            else {
                return Ok(chain);
            };
            let old = 1 + chain[1..].iter().take_while(|checkpoint| checkpoint.schema == schema).count();
            let mut whole = Checkpoint::clone(&chain[old - 1]);
            whole.snapshot = Some((step.fold_new)(&chain[..old])?);
            whole.schema = step.to;
            if let Some(rare) = &mut whole.rare {
                rare.snapshot_schema = None;
            }
            let rest = chain[old..].iter().cloned();
            chain = std::iter::once(Arc::new(whole)).chain(rest).collect();
        }
    }

    /// Returns the steps from `schema` to the present one, each as the names of the older and the newer type.
    pub(crate) fn steps_from(&self, mut schema: Digest) -> Vec<(&'static str, &'static str)> {
        let mut steps = Vec::new();
        while let Some(step) = self.migrations.step(schema).filter(|_| schema != self.schema) {
            steps.push((step.from_type, step.to_type));
            schema = step.to;
        }
        steps
    }

    /// Returns the JSON of a state or an update without channels that no longer exist.
    fn drop_removed_channels<'a>(&self, raw: &'a RawValue) -> serde_json::Result<Cow<'a, RawValue>> {
        // A value that is not an object is left to the deserializer of the type to reject.
        let Ok(mut parts) = serde_json::from_str::<BTreeMap<String, &RawValue>>(raw.get()) else {
            return Ok(Cow::Borrowed(raw));
        };
        let all = parts.len();
        parts.retain(|name, _| S::rule(self.prototype.as_ref(), name).is_some());
        if parts.len() == all { Ok(Cow::Borrowed(raw)) } else { to_raw_value(&parts).map(Cow::Owned) }
    }

    /// Fails when an update writes a channel that has gained or lost its reducer since, because folding it
    /// unchanged would give another value.
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

/// Returns true for the rules `last` and `any`, under which a write replaces the value of its channel.
pub(crate) fn is_replaced(rule: &str) -> bool {
    matches!(rule, "last" | "any")
}

/// Returns true when a write has the JSON form `{"+": …}`, `{"++": …}` or `{"=": …}` of a channel with a
/// reducer; see [`Fold`](super::Fold).
fn is_folded(write: &RawValue) -> bool {
    let keys: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(write.get()).ok();
    keys.is_some_and(|keys| {
        keys.len() == 1 && keys.keys().all(|key| matches!(key.as_str(), "+" | "++" | "="))
    })
}

/// Reads a value from a checkpoint. The error names the channel in which reading failed.
fn read_value<T: DeserializeOwned>(raw: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(raw.get()).map_err(|error| match channel_at(raw.get().as_bytes(), &error) {
        Some(channel) => serde_json::Error::custom(format_args!("`{channel}`: {error}")),
        None => error,
    })
}
