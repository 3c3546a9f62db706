//! Makes one state out of the updates of a superstep, in task order. Pure; the same code folds live updates and stored ones.

use super::plan::NodeIx;
use super::state::{Channel, State, Update};

/// Two tasks of one superstep wrote a channel that takes one write (LangGraph F9, F11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteConflict {
    pub(crate) channel: &'static str,
    pub(crate) first: NodeIx,
    pub(crate) second: NodeIx,
}

/// Folds the updates of one superstep. On a conflict the state is as it was.
pub(crate) fn fold_step<S: State>(
    state: &mut S,
    mut updates: Vec<(NodeIx, S::Update)>,
) -> Result<(), WriteConflict> {
    settle::<S>(&mut updates)?;
    state.begin_step();
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Folds what the tasks of a superstep wrote that have finished while others have not: the ephemeral channels stay.
pub(crate) fn fold_some<S: State>(
    state: &mut S,
    mut updates: Vec<(NodeIx, S::Update)>,
) -> Result<(), WriteConflict> {
    settle::<S>(&mut updates)?;
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Finds conflicts, and drops what an overwrite of a sibling makes void.
fn settle<S: State>(updates: &mut [(NodeIx, S::Update)]) -> Result<(), WriteConflict> {
    if updates.len() < 2 {
        return Ok(());
    }
    let all = updates.iter().map(|(_, update)| update.exclusive()).reduce(super::state::ChannelSet::or);
    let Some(exclusive) = all.filter(|set| !set.is_empty()) else { return Ok(()) };
    for (at, (second, update)) in updates.iter().enumerate() {
        for (first, earlier) in &updates[..at] {
            if let Some(channel) = earlier.exclusive().and(update.exclusive()).first() {
                let Channel { name, .. } = S::CHANNELS[channel];
                return Err(WriteConflict { channel: name, first: *first, second: *second });
            }
        }
    }
    for (_, update) in updates.iter_mut() {
        update.forget(exclusive.minus(update.exclusive()));
    }
    Ok(())
}
