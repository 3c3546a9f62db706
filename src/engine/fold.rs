//! Makes one state out of the updates of a superstep, in task order. Pure; the same code folds live updates and stored ones.

use super::error::RunError;
use super::state::{ChannelSet, State};

/// Two tasks of one superstep, by index, wrote a channel that takes one write (LangGraph F9, F11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteConflict {
    pub(crate) channel: String,
    pub(crate) first: usize,
    pub(crate) second: usize,
}

/// Folds the updates of one superstep, and adds them to a total where one is kept. On a conflict the state is as it was.
pub(crate) fn fold_step<S: State>(
    state: &mut S,
    mut updates: Vec<(usize, S::Update)>,
    total: Option<&mut S::Update>,
) -> Result<(), WriteConflict> {
    settle(state, &mut updates)?;
    if let Some(total) = total {
        state.expire(total);
        updates.iter().for_each(|(_, update)| state.compose(total, update.clone()));
    }
    state.begin_step();
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Folds what the tasks of a superstep wrote that have finished while others have not: the ephemeral channels stay.
pub(crate) fn fold_some<S: State>(
    state: &mut S,
    mut updates: Vec<(usize, S::Update)>,
) -> Result<(), WriteConflict> {
    settle(state, &mut updates)?;
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
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
pub(crate) fn sound<S: State>(state: &S) -> Result<(), RunError> {
    match state.fault() {
        None => Ok(()),
        Some(reason) => Err(RunError::BadState { reason }),
    }
}
