//! Which checkpoints a prune keeps. Pure; removes nothing itself.

use std::collections::BTreeSet;

use super::lineage::Place;
use crate::{Retention, Seq};

/// What a prune does to one thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// The checkpoints that stay, oldest first.
    pub keep: Vec<Seq>,
    /// Those of them whose parent goes: they become roots, and need a snapshot when they have none.
    pub roots: BTreeSet<Seq>,
    /// How many go.
    pub removed: usize,
}

/// Keeps what other runs wrote. `places` are all of the thread, oldest first, each with its run. None when the newest is of this run.
pub fn without_run(places: &[(Place, u64)], run: u64) -> Option<Plan> {
    if places.last().is_some_and(|(_, wrote)| *wrote == run) {
        return None;
    }
    let kept: Vec<Place> =
        places.iter().filter(|(_, wrote)| *wrote != run).map(|(place, _)| *place).collect();
    let keep: BTreeSet<Seq> = kept.iter().map(|place| place.seq).collect();
    let orphan = |place: &&Place| place.parent.is_some_and(|parent| !keep.contains(&parent));
    Some(Plan {
        roots: kept.iter().filter(orphan).map(|place| place.seq).collect(),
        removed: places.len() - kept.len(),
        keep: kept.iter().map(|place| place.seq).collect(),
    })
}

/// Keeps the newest checkpoints, always at least one. `places` are all of the thread, oldest first.
pub fn plan(places: &[Place], keep: Retention) -> Plan {
    let removed = places.len().saturating_sub(keep.keep_last.max(1));
    let kept = &places[removed..];
    let oldest = kept.first().map(|place| place.seq);
    let orphan = |place: &&Place| place.parent.is_some_and(|parent| Some(parent) < oldest);
    Plan {
        keep: kept.iter().map(|place| place.seq).collect(),
        roots: kept.iter().filter(orphan).map(|place| place.seq).collect(),
        removed,
    }
}
