//! Makes one state out of the updates of a superstep, in task order. Pure; the same code folds live updates and stored ones.

use super::closure::{ClosurePanic, UserClosure, catch_panic};
use super::error::RunError;
use super::state::{ChannelSet, State, Update};

/// Two tasks of one superstep, by index, wrote a channel that takes one write (LangGraph F9, F11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteConflict {
    pub(crate) channel: String,
    pub(crate) first: usize,
    pub(crate) second: usize,
}

/// The reason why the updates of a superstep make no state.
#[derive(Debug)]
pub(crate) enum FoldError {
    /// The state is as it was.
    Conflict(WriteConflict),
    /// A reducer panicked on the update of this task, by index. The state is spoiled.
    Panic { index: usize, panic: ReducerPanic },
    /// A branch or fan-out panicked after the fold. The state is spoiled.
    Decision(Box<ClosurePanic>),
}

/// The panic of a reducer.
#[derive(Debug)]
pub(crate) struct ReducerPanic(Box<ClosurePanic>);

impl ReducerPanic {
    /// The error that names the node that wrote the update.
    pub(crate) fn into_error(mut self, writer: &str) -> RunError {
        if let UserClosure::Reducer { node, .. } = &mut self.0.closure {
            writer.clone_into(node);
        }
        self.0.into()
    }

    /// The message of the panic.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }
}

/// Folds one update, and adds it to a total where one is kept.
#[inline]
pub(crate) fn fold_update<S: State>(
    state: &mut S,
    update: S::Update,
    total: Option<&mut S::Update>,
) -> Result<(), ReducerPanic> {
    let (written, exclusive) = (update.written(), state.exclusive(&update));
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

/// Names the channels whose reducers ran: all that were written, but for last values.
#[cold]
fn name_channels<S: State>(panic: &mut ClosurePanic, state: &S, written: ChannelSet, exclusive: ChannelSet) {
    let folded = written.minus(exclusive);
    let reduced = if folded.is_empty() { written } else { folded };
    if let UserClosure::Reducer { channels, .. } = &mut panic.closure {
        *channels = reduced.iter().map(|channel| state.channel_name(channel).to_owned()).collect();
    }
}

/// Folds the updates of one superstep, and adds them to a total where one is kept.
pub(crate) fn fold_step<S: State>(
    state: &mut S,
    mut updates: Vec<(usize, S::Update)>,
    mut total: Option<&mut S::Update>,
) -> Result<(), FoldError> {
    settle(state, &mut updates).map_err(FoldError::Conflict)?;
    if let Some(total) = &mut total {
        state.expire(total);
    }
    state.begin_step();
    fold_all(state, updates, total)
}

fn fold_all<S: State>(
    state: &mut S,
    updates: Vec<(usize, S::Update)>,
    mut total: Option<&mut S::Update>,
) -> Result<(), FoldError> {
    for (index, update) in updates {
        fold_update(state, update, total.as_deref_mut())
            .map_err(|panic| FoldError::Panic { index, panic })?;
    }
    Ok(())
}

/// Folds what the tasks of a superstep wrote that have finished while others have not: the ephemeral channels stay.
pub(crate) fn fold_some<S: State>(
    state: &mut S,
    mut updates: Vec<(usize, S::Update)>,
) -> Result<(), FoldError> {
    settle(state, &mut updates).map_err(FoldError::Conflict)?;
    fold_all(state, updates, None)
}

/// Finds conflicts, and drops what an overwrite of a sibling makes void.
fn settle<S: State>(state: &S, updates: &mut [(usize, S::Update)]) -> Result<(), WriteConflict> {
    if updates.len() < 2 {
        return Ok(());
    }
    let mut exclusive = ChannelSet::EMPTY;
    for (at, (second, update)) in updates.iter().enumerate() {
        let written = state.exclusive(update);
        if let Some(channel) = exclusive.and(written).first() {
            let twice =
                |(_, earlier): &&(usize, S::Update)| !state.exclusive(earlier).and(written).is_empty();
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
        let others = exclusive.minus(state.exclusive(update));
        state.forget(update, others);
    }
    Ok(())
}

/// Fails when the state that was just folded, or a branch that looked at it, has a fault (D10). For a state of a type nothing is left of
/// this.
#[inline]
pub(crate) fn reject_fault<S: State>(state: &S) -> Result<(), RunError> {
    match state.fault() {
        None => Ok(()),
        Some(reason) => Err(RunError::BadState { reason }),
    }
}
