//! Makes one state out of the updates of a superstep, in task order. Pure; the same code folds live updates and stored ones.

use super::plan::NodeIx;
use super::state::{ChannelSet, State};

/// Two tasks of one superstep wrote a channel that takes one write (LangGraph F9, F11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteConflict {
    pub(crate) channel: String,
    pub(crate) first: NodeIx,
    pub(crate) second: NodeIx,
}

/// Folds the updates of one superstep. On a conflict the state is as it was.
pub(crate) fn fold_step<S: State>(
    state: &mut S,
    mut updates: Vec<(NodeIx, S::Update)>,
) -> Result<(), WriteConflict> {
    settle(state, &mut updates)?;
    state.begin_step();
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Folds what the tasks of a superstep wrote that have finished while others have not: the ephemeral channels stay.
pub(crate) fn fold_some<S: State>(
    state: &mut S,
    mut updates: Vec<(NodeIx, S::Update)>,
) -> Result<(), WriteConflict> {
    settle(state, &mut updates)?;
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Finds conflicts, and drops what an overwrite of a sibling makes void.
fn settle<S: State>(state: &S, updates: &mut [(NodeIx, S::Update)]) -> Result<(), WriteConflict> {
    if updates.len() < 2 {
        return Ok(());
    }
    let all = updates.iter().map(|(_, update)| state.exclusive(update)).reduce(ChannelSet::or);
    let Some(exclusive) = all.filter(|set| !set.is_empty()) else { return Ok(()) };
    for (at, (second, update)) in updates.iter().enumerate() {
        for (first, earlier) in &updates[..at] {
            if let Some(channel) = state.exclusive(earlier).and(state.exclusive(update)).first() {
                let channel = state.channel_name(channel).to_owned();
                return Err(WriteConflict { channel, first: *first, second: *second });
            }
        }
    }
    for (_, update) in updates.iter_mut() {
        let others = exclusive.minus(state.exclusive(update));
        state.forget(update, others);
    }
    Ok(())
}
