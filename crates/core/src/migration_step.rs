//! Makes the steps from one version of a state to the next. `migrate.rs` chooses the steps for a stored state.

use std::any::type_name;
use std::sync::Arc;

use serde::de::Error as _;
use serde_json::value::RawValue;

use super::checkpoint::Checkpoint;
use super::migrate::{MigrationStep, Migrations, StateReader};
use super::read_back::to_checked;
use super::rebuild::rebuild;
use super::rebuild_error::RebuildError;
use super::state::{State, Update};

impl Migrations {
    /// Adds a step that converts a state of the version `From` to the version `To`.
    pub(crate) fn add<From: State, To: State>(&mut self, step: impl Fn(From) -> To + Send + Sync + 'static) {
        self.steps.push(MigrationStep {
            from: From::fingerprint(),
            to: To::fingerprint(),
            from_type: type_name::<From>(),
            to_type: type_name::<To>(),
            fold_old: Box::new(|chain| write_state(&fold_version::<From>(chain)?, chain)),
            fold_new: Box::new(move |chain| write_state(&step(fold_version(chain)?), chain)),
            carry_update: Box::new(carry_update::<From, To>),
        });
    }

    /// Adds a step that converts an update of the version `From` to the version `To`.
    pub(crate) fn add_updates<From: State, To: State>(
        &mut self,
        step: impl Fn(From::Update) -> To::Update + Send + Sync + 'static,
    ) {
        let lift = move |old: &RawValue| to_checked(&step(serde_json::from_str(old.get())?));
        self.updates.insert(From::fingerprint(), Box::new(lift));
    }
}

/// Folds a chain of checkpoints of version `S` with that version's reducers.
fn fold_version<S: State>(chain: &[Arc<Checkpoint>]) -> Result<S, RebuildError> {
    let reading =
        StateReader { schema: S::fingerprint(), migrations: Migrations::default(), prototype: None };
    rebuild(chain, &reading)
}

/// Returns a state as the JSON of a checkpoint. The error names the last checkpoint of `chain`.
fn write_state<S: State>(state: &S, chain: &[Arc<Checkpoint>]) -> Result<Box<RawValue>, RebuildError> {
    let seq = chain.last().map_or(0, |tip| tip.seq.0);
    to_checked(state).map_err(|source| RebuildError::Json { seq, source })
}

/// Returns an update unchanged when every channel that it writes is the same in the next version. Fails with the name of one that is not.
fn carry_update<From: State, To: State>(old: &RawValue) -> serde_json::Result<Box<RawValue>> {
    let written = serde_json::from_str::<From::Update>(old.get())?.written_channels();
    let is_same = |channel: &&super::state::Channel| {
        let mut others = To::CHANNELS.iter();
        others.any(|new| (new.name, new.kind, new.rule) == (channel.name, channel.kind, channel.rule))
    };
    let mut channels =
        (0..).zip(From::CHANNELS).filter(|(at, _)| written.contains(*at)).map(|(_, channel)| channel);
    match channels.find(|channel| !is_same(channel)) {
        None => Ok(old.to_owned()),
        Some(channel) => Err(serde_json::Error::custom(format_args!(
            "`{}` is another channel in `{}`; say with `migrate_updates` what the update becomes",
            channel.name,
            type_name::<To>()
        ))),
    }
}
