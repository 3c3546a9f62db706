//! Folds the updates of a superstep into the state, in task order. Pure; live and stored updates are folded by the same code.

use smallvec::SmallVec;

use super::closure::{ClosurePanic, UserClosure, catch_panic};
use super::error::RunError;
use super::state::{ChannelSet, State, Update};

/// The updates of one superstep, each with the index of its task.
pub(crate) type StepUpdates<S> = SmallVec<[(usize, <S as State>::Update); 1]>;

/// A conflict: two tasks of one superstep, by index, wrote a channel that takes only one write (LangGraph F9,
/// F11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteConflict {
    pub(crate) channel: String,
    pub(crate) first: usize,
    pub(crate) second: usize,
}

/// The reason why the updates of a superstep cannot be committed.
#[derive(Debug)]
pub(crate) enum FoldError {
    /// Two updates conflict. The state is unchanged.
    Conflict(WriteConflict),
    /// A reducer panicked on the update of this task, by index. The state is spoiled.
    Panic { index: usize, panic: ReducerPanic },
    /// A branch or fan-out panicked after the fold. The state is spoiled.
    Decision(Box<ClosurePanic>),
}

/// A panic of a reducer during a fold. It lacks the name of the node that wrote the update.
#[derive(Debug)]
pub(crate) struct ReducerPanic(Box<ClosurePanic>);

impl ReducerPanic {
    /// Converts the panic to the error of the run. `writer` is the name of the node that wrote the update.
    pub(crate) fn into_error(mut self, writer: &str) -> RunError {
        if let UserClosure::Reducer { node, .. } = &mut self.0.closure {
            writer.clone_into(node);
        }
        self.0.into()
    }

    /// Returns the message of the panic.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }
}

/// Folds one update into the state, and merges it into `total`, the sum of the updates so far, if there is
/// one. After an error both may be half-changed.
#[inline]
pub(crate) fn fold_update<S: State>(
    state: &mut S,
    update: S::Update,
    total: Option<&mut S::Update>,
) -> Result<(), ReducerPanic> {
    let (written, exclusive) = (update.written_channels(), state.exclusive_channels(&update));
    let fold = || {
        if let Some(total) = total {
            state.compose(total, update.clone());
        }
        state.fold(update);
    };
    let mut panic =
        match catch_panic(fold, || UserClosure::Reducer { node: String::new(), channels: Vec::new() }) {
            Ok(()) => return Ok(()),
            Err(panic) => panic,
        };
    name_channels(&mut panic, state, written, exclusive);
    Err(ReducerPanic(panic))
}

/// Sets the channels that a reducer panic may concern: all written channels but those that keep the last
/// value.
#[cold]
fn name_channels<S: State>(panic: &mut ClosurePanic, state: &S, written: ChannelSet, exclusive: ChannelSet) {
    let folded = written.minus(exclusive);
    let reduced = if folded.is_empty() { written } else { folded };
    if let UserClosure::Reducer { channels, .. } = &mut panic.closure {
        *channels = reduced.iter().map(|channel| state.channel_name(channel).to_owned()).collect();
    }
}

/// Folds the updates of one superstep into the state, each with the index of its task, and merges them into
/// `total` if there is one. Resets ephemeral channels first. After a conflict the state is unchanged.
pub(crate) fn fold_step<S: State>(
    state: &mut S,
    mut updates: StepUpdates<S>,
    mut total: Option<&mut S::Update>,
) -> Result<(), FoldError> {
    resolve_conflicts(state, &mut updates).map_err(FoldError::Conflict)?;
    if let Some(total) = &mut total {
        state.expire(total);
    }
    state.begin_step();
    fold_all(state, updates, total)
}

fn fold_all<S: State>(
    state: &mut S,
    updates: StepUpdates<S>,
    mut total: Option<&mut S::Update>,
) -> Result<(), FoldError> {
    for (index, update) in updates {
        fold_update(state, update, total.as_deref_mut())
            .map_err(|panic| FoldError::Panic { index, panic })?;
    }
    Ok(())
}

/// Folds the updates of finished tasks of a superstep that is still under way. Ephemeral channels are not
/// reset, because the unfinished tasks still read them.
pub(crate) fn fold_some<S: State>(state: &mut S, mut updates: StepUpdates<S>) -> Result<(), FoldError> {
    resolve_conflicts(state, &mut updates).map_err(FoldError::Conflict)?;
    fold_all(state, updates, None)
}

/// Fails when two updates write a channel that takes one write. Removes deltas from channels that another
/// task overwrites.
fn resolve_conflicts<S: State>(state: &S, updates: &mut [(usize, S::Update)]) -> Result<(), WriteConflict> {
    if updates.len() < 2 {
        return Ok(());
    }
    let mut exclusive = ChannelSet::EMPTY;
    for (at, (second, update)) in updates.iter().enumerate() {
        let written = state.exclusive_channels(update);
        if let Some(channel) = exclusive.and(written).first() {
            let twice = |(_, earlier): &&(usize, S::Update)| {
                !state.exclusive_channels(earlier).and(written).is_empty()
            };
            let (first, _) = updates[..at].iter().find(twice).expect("one of them wrote the channel");
            let channel = state.channel_name(channel).to_owned();
            return Err(WriteConflict { channel, first: *first, second: *second });
        }
        exclusive = exclusive.or(written);
    }
    if exclusive.is_empty() {
        return Ok(());
    }
    for (_, update) in updates.iter_mut() {
        let others = exclusive.minus(state.exclusive_channels(update));
        state.forget(update, others);
    }
    Ok(())
}

/// Fails with `BadState` when [`State::fault`] finds that the state cannot be stored, after a fold or after
/// the branches that read it (D10). States of Rust types never have a fault, and the compiler removes the
/// check.
#[inline]
pub(crate) fn reject_fault<S: State>(state: &S) -> Result<(), RunError> {
    match state.fault() {
        None => Ok(()),
        Some(reason) => Err(RunError::BadState { reason }),
    }
}
