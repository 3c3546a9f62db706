//! Chooses the checkpoints that a prune keeps. Pure; removes nothing itself.

use std::collections::BTreeSet;

use super::lineage::Place;
use crate::{Retention, Seq};

/// The effect of a prune on one thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// The checkpoints to keep, oldest first.
    pub keep: Vec<Seq>,
    /// The kept checkpoints whose parent is removed. They become roots, and need a snapshot if they have none.
    pub roots: BTreeSet<Seq>,
    /// Number of removed checkpoints.
    pub removed: usize,
}

/// Plans the removal of one run. `places` has all checkpoints of the thread with their runs, oldest first. Returns `None` when the run
/// wrote the newest checkpoint.
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

/// Plans a prune that keeps the newest checkpoints, at least one. `places` has all checkpoints of the thread, oldest first.
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
