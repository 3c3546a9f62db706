//! The deadline for all waits between the result of a command and the end of its process: blocking tasks,
//! and the export of traces. Waits for nothing itself.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::trace::export::EXIT_LIMIT;

/// Minimum time for the export of traces, even if other waits used up the limit; a collector on this
/// machine needs less.
const LEAST: Duration = Duration::from_millis(100);

/// The deadline for all waits at the end of the program: [`EXIT_LIMIT`] after the moment at which the
/// result is printed.
#[derive(Default)]
pub(super) struct ExitDeadline(OnceLock<Instant>);

impl ExitDeadline {
    /// Sets the moment from which the time limit counts. A later call has no effect.
    pub(super) fn begin(&self) {
        self.begun_at(Instant::now());
    }

    /// Returns the remaining time for blocking tasks; half of it if traces are exported, because the trace
    /// of a run that hangs is the one that is needed.
    pub(super) fn left_for_tasks(&self, has_traces: bool) -> Duration {
        self.tasks_at(Instant::now(), has_traces)
    }

    /// Returns the remaining time for the export of traces, which is the last wait.
    pub(super) fn left_for_traces(&self) -> Duration {
        self.traces_at(Instant::now())
    }

    fn begun_at(&self, now: Instant) -> Instant {
        *self.0.get_or_init(|| now)
    }

    fn left_at(&self, now: Instant) -> Duration {
        EXIT_LIMIT.saturating_sub(now.duration_since(self.begun_at(now)))
    }

    fn tasks_at(&self, now: Instant, has_traces: bool) -> Duration {
        if has_traces { self.left_at(now) / 2 } else { self.left_at(now) }
    }

    fn traces_at(&self, now: Instant) -> Duration {
        self.left_at(now).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_waits_at_the_end_have_one_deadline() {
        let deadline = ExitDeadline::default();
        let printed = Instant::now();
        let after = |millis| printed + Duration::from_millis(millis);
        assert_eq!(deadline.begun_at(printed), printed);
        // A second wait does not get the whole time again.
        assert_eq!(deadline.begun_at(after(300)), printed);
        let tasks = deadline.tasks_at(after(100), true);
        assert_eq!(Duration::from_millis(100) + tasks * 2, EXIT_LIMIT);
        let spent = Duration::from_millis(100) + tasks;
        assert_eq!(spent + deadline.traces_at(printed + spent), EXIT_LIMIT);
        assert_eq!(deadline.tasks_at(after(0), false), EXIT_LIMIT);
        assert_eq!(deadline.traces_at(after(5_000)), LEAST);
        assert!(EXIT_LIMIT + LEAST < Duration::from_secs(1), "the end costs at most a second");
    }
}
