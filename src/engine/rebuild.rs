//! Makes a state out of a chain of checkpoints. Pure; folds by the same code as a live run.

use std::sync::Arc;

use super::checkpoint::{Checkpoint, Write};
use super::contract::Lineage;
use super::fold::fold_step;
use super::migrate::{Reading, StoredPart};
use super::state::State;

/// Why a chain does not give a state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RebuildError {
    #[error("the chain of checkpoints does not begin with a snapshot")]
    NoSnapshot,
    #[error("checkpoint {seq}: {source}")]
    Json { seq: u64, source: serde_json::Error },
    #[error("checkpoint {seq} writes `{channel}` twice")]
    Conflict { seq: u64, channel: String },
}

/// The state at the end of the chain.
pub(crate) fn rebuild<S: State>(chain: &[Arc<Checkpoint>], reading: &Reading<S>) -> Result<S, RebuildError> {
    let (first, rest) = chain.split_first().ok_or(RebuildError::NoSnapshot)?;
    let snapshot = first.snapshot.as_ref().ok_or(RebuildError::NoSnapshot)?;
    let json = |seq: u64| move |source| RebuildError::Json { seq, source };
    let mut state = reading.state(snapshot, first.schema).map_err(json(first.seq.0))?;
    for checkpoint in rest {
        let seq = checkpoint.seq.0;
        let update = |write: &Write| reading.part(&write.update, checkpoint.schema, StoredPart::Update);
        let updates = checkpoint.writes.iter().enumerate().map(|(at, write)| Ok((at, update(write)?)));
        let updates = updates.collect::<Result<Vec<_>, _>>().map_err(json(seq))?;
        fold_step(&mut state, updates, None)
            .map_err(|conflict| RebuildError::Conflict { seq, channel: conflict.channel })?;
    }
    Ok(state)
}

/// The state of a lineage.
pub(crate) fn state_of<S: State>(lineage: &Lineage, reading: &Reading<S>) -> Result<S, RebuildError> {
    rebuild(&lineage.chain, reading)
}
