//! Rebuilds a state from a chain of checkpoints. Pure; folds by the same code as a live run.

use std::sync::Arc;

use super::checkpoint::{Checkpoint, Write};
use super::contract::Lineage;
use super::fold::{FoldError, fold_step};
use super::migrate::StateReader;
use super::rebuild_error::RebuildError;
use super::share::shared;
use super::state::State;

/// The decoded content of one checkpoint of a chain: the snapshot of the first, the updates of each later
/// one.
enum ChainPart<S: State> {
    State(S),
    Updates(u64, Vec<(usize, S::Update)>),
}

/// Returns the state at the end of a chain that begins with a snapshot, in the present version of the state.
/// Several threads decode a long chain.
pub(crate) fn rebuild<S: State>(
    chain: &[Arc<Checkpoint>],
    reading: &StateReader<S>,
) -> Result<S, RebuildError> {
    let chain = &*reading.lift_chain(chain, reading.schema)?;
    let parts = shared(
        chain,
        |checkpoint| checkpoint.text_bytes() as u64,
        |share| share.iter().map(|checkpoint| read(checkpoint, chain, reading)).collect(),
    )?;
    let mut parts = parts.into_iter();
    let Some(ChainPart::State(mut state)) = parts.next() else { return Err(RebuildError::NoSnapshot) };
    for part in parts {
        let ChainPart::Updates(seq, updates) = part else { return Err(RebuildError::NoSnapshot) };
        fold_step(&mut state, updates.into(), None).map_err(|error| match error {
            FoldError::Conflict(conflict) => RebuildError::Conflict { seq, channel: conflict.channel },
            FoldError::Panic { panic, .. } => {
                RebuildError::Panic { seq, message: panic.message().to_owned() }
            }
            FoldError::Decision(panic) => RebuildError::Panic { seq, message: panic.message },
        })?;
    }
    match state.fault() {
        None => Ok(state),
        Some(reason) => Err(RebuildError::Unsound { reason }),
    }
}

/// Decodes a checkpoint of `chain`: the first as its snapshot, the others as their updates.
fn read<S: State>(
    checkpoint: &Arc<Checkpoint>,
    chain: &[Arc<Checkpoint>],
    reading: &StateReader<S>,
) -> Result<ChainPart<S>, RebuildError> {
    let seq = checkpoint.seq.0;
    let json = |source| RebuildError::Json { seq, source };
    if chain.first().is_some_and(|first| Arc::ptr_eq(first, checkpoint)) {
        let snapshot = checkpoint.snapshot.as_ref().ok_or(RebuildError::NoSnapshot)?;
        return reading
            .read_state(snapshot, checkpoint.snapshot_schema())
            .map(ChainPart::State)
            .map_err(json);
    }
    let update = |write: &Write| reading.read_update(&write.update, checkpoint.schema);
    let updates = checkpoint.writes.iter().enumerate().map(|(at, write)| Ok((at, update(write)?)));
    updates.collect::<Result<_, _>>().map(|updates| ChainPart::Updates(seq, updates)).map_err(json)
}

/// Returns the state at the last checkpoint of a lineage.
pub(crate) fn state_of<S: State>(lineage: &Lineage, reading: &StateReader<S>) -> Result<S, RebuildError> {
    rebuild(&lineage.chain, reading)
}
