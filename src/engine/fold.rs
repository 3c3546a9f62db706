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
    updates: Vec<(NodeIx, S::Update)>,
) -> Result<(), WriteConflict> {
    let mut updates = updates;
    if updates.len() > 1 {
        settle::<S>(&mut updates)?;
    }
    state.begin_step();
    updates.into_iter().for_each(|(_, update)| state.fold(update));
    Ok(())
}

/// Finds conflicts, and drops what an overwrite of a sibling makes void.
fn settle<S: State>(updates: &mut [(NodeIx, S::Update)]) -> Result<(), WriteConflict> {
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
