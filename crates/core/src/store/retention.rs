//! Chooses the checkpoints that a prune keeps. Pure; removes nothing itself.

use std::collections::BTreeSet;

use super::lineage::ChainLink;
use crate::{Retention, Seq};

/// The plan of a prune of one thread. A store carries it out.
#[derive(Debug, PartialEq, Eq)]
pub struct PrunePlan {
    /// The checkpoints to keep, oldest first.
    pub keep: Vec<Seq>,
    /// The kept checkpoints whose parent is removed. They become roots, and need a snapshot if they have none.
    pub roots: BTreeSet<Seq>,
    /// Number of removed checkpoints.
    pub removed: usize,
}

/// Plans the removal of all checkpoints of one run. `links` has all checkpoints of the thread with the
/// numbers of their runs, oldest first. Returns `None` when the run wrote the newest checkpoint.
pub fn plan_run_removal(links: &[(ChainLink, u64)], run: u64) -> Option<PrunePlan> {
    if links.last().is_some_and(|(_, wrote)| *wrote == run) {
        return None;
    }
    let kept: Vec<ChainLink> =
        links.iter().filter(|(_, wrote)| *wrote != run).map(|(link, _)| *link).collect();
    let keep: BTreeSet<Seq> = kept.iter().map(|link| link.seq).collect();
    let is_orphan = |link: &&ChainLink| link.parent.is_some_and(|parent| !keep.contains(&parent));
    Some(PrunePlan {
        roots: kept.iter().filter(is_orphan).map(|link| link.seq).collect(),
        removed: links.len() - kept.len(),
        keep: kept.iter().map(|link| link.seq).collect(),
    })
}

/// Plans a prune that keeps the newest checkpoints, at least one. `links` has all checkpoints of the thread, oldest first.
pub fn plan_prune(links: &[ChainLink], keep: Retention) -> PrunePlan {
    let removed = links.len().saturating_sub(keep.keep_last.max(1));
    let kept = &links[removed..];
    let oldest = kept.first().map(|link| link.seq);
    let is_orphan = |link: &&ChainLink| link.parent.is_some_and(|parent| Some(parent) < oldest);
    PrunePlan {
        keep: kept.iter().map(|link| link.seq).collect(),
        roots: kept.iter().filter(is_orphan).map(|link| link.seq).collect(),
        removed,
    }
}
