//! Decides which checkpoints carry a snapshot of the whole state. Writes none; see `run_log.rs`.

/// The counters that decide when a log gets its next snapshot. The distances grow geometrically, so that a
/// log is at most about three times its updates and loading reads at most a few times the state (parity P1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotSpacing {
    /// Text of the updates since the last snapshot, in bytes.
    since: usize,
    /// Number of checkpoints since the last snapshot.
    checkpoints: usize,
    /// Text of the last snapshot, in bytes.
    snapshot: usize,
    /// Text of all updates up to the last snapshot, in bytes.
    before: usize,
    /// Text of updates between the last snapshot and the next, in bytes.
    distance: usize,
}

/// Minimum text of updates between two snapshots, in bytes. A smaller state would otherwise get a snapshot at every step.
const SMALLEST_SPACING: usize = 4096;

/// Approximate size of a checkpoint in a log besides its text, in bytes.
const OVERHEAD: usize = 64;

impl SnapshotSpacing {
    /// Returns the spacing of a log without checkpoints.
    pub(crate) fn empty() -> Self {
        Self::after_snapshot(0, 0)
    }

    /// Returns the spacing right after a snapshot of `snapshot` bytes, with `before` bytes of updates up to it.
    fn after_snapshot(snapshot: usize, before: usize) -> Self {
        // The next snapshot is due when the updates have doubled, because then a list that doubles exactly doubles its log. The lower
        // bound spares a state that is large from the start; the upper bound serves a state whose values are replaced again and again.
        let distance = before.clamp(snapshot / 10 * 9, snapshot.max(1) * 4).max(SMALLEST_SPACING);
        Self { since: 0, checkpoints: 0, snapshot, before, distance }
    }

    fn is_due(self) -> bool {
        // The second bound counts checkpoints, because with short updates the overhead of each determines the time of loading.
        self.since >= self.distance || self.since + self.checkpoints * OVERHEAD >= 2 * self.distance
    }

    /// Returns true when a checkpoint with `updates` bytes of updates should carry a snapshot.
    pub(crate) fn wants_snapshot(self, updates: usize) -> bool {
        self.after(updates).is_due()
    }

    /// Returns the spacing after a checkpoint without a snapshot, with `updates` bytes of updates.
    fn after(self, updates: usize) -> Self {
        Self { since: self.since + updates, checkpoints: self.checkpoints + 1, ..self }
    }

    /// Counts a checkpoint: the bytes of its updates, and of its snapshot if it has one.
    pub(crate) fn add(&mut self, updates: usize, snapshot: Option<usize>) {
        let Some(snapshot) = snapshot else {
            *self = self.after(updates);
            return;
        };
        // After a resume the size of the updates before the last snapshot is unknown; the updates of a list are about as long as the list.
        let before = if self.snapshot == 0 { snapshot } else { self.before + self.since + updates };
        *self = Self::after_snapshot(snapshot, before);
    }
}
