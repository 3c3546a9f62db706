//! The two timeouts of a streamed answer: the time to its first token, and the silence between tokens. Pure except for the clock;
//! `exchange` reports bytes, `assemble` reports tokens.

use std::future::Future;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::super::error::{ModelErrorKind, RequestTimeout};

/// Time to wait for the end of a stream after the model has finished (5 s), because usage follows at once or never, and some servers do
/// not close the stream.
const AFTER_THE_END: Duration = Duration::from_secs(5);

/// The timeouts while an answer is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerTimeouts {
    /// Longest wait for the first token, and for the next token while the server only sends comments. An answer that is not streamed counts
    /// as its own first token.
    pub first_token: Duration,
    /// Longest silence after the first token.
    pub idle: Duration,
}

/// The timer of one streamed answer. It is told of bytes and tokens, and computes from them the timeout that
/// applies.
///
/// Only a token ends the first timeout. A comment (`: OPENROUTER PROCESSING`) or an empty chunk
/// (`{"role": "assistant"}`) does not count, because a proxy may send them while its model is dead, and the
/// wait would never end. After the first token they extend the silence timeout, because a server may hold
/// back a tool call until it is complete, but never beyond the time that a first token may take.
pub(super) struct AnswerTimer {
    limits: AnswerTimeouts,
    activity: Mutex<Activity>,
    begins: Notify,
}

/// The times of the last bytes and the last token, and the stage of the answer.
struct Activity {
    last_byte: Instant,
    last_token: Instant,
    stage: Stage,
}

/// The stage of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No token has arrived.
    Waiting,
    /// A token, or the body of an answer that is not streamed, has arrived.
    Begun,
    /// The model has finished; only the end of the stream is missing.
    Ended,
}

impl AnswerTimer {
    /// Starts both timeouts.
    pub(super) fn new(limits: AnswerTimeouts) -> Self {
        let now = Instant::now();
        let activity = Activity { last_byte: now, last_token: now, stage: Stage::Waiting };
        Self { limits, activity: Mutex::new(activity), begins: Notify::new() }
    }

    /// Records that bytes arrived.
    pub(super) fn note_bytes(&self) {
        self.activity().last_byte = Instant::now();
    }

    /// Records that the body of an answer that is not streamed has begun: from now on the silence timeout
    /// applies.
    pub(super) fn note_begin(&self) {
        self.activity().stage = Stage::Begun;
        self.begins.notify_one();
    }

    /// Records that a token arrived.
    pub(super) fn note_token(&self) {
        let mut activity = self.activity();
        activity.last_token = Instant::now();
        activity.stage = Stage::Begun;
    }

    /// Records that the model has finished.
    pub(super) fn note_end(&self) {
        self.activity().stage = Stage::Ended;
    }

    /// Awaits `work`. Fails with a timeout if the answer makes no progress for too long; each activity
    /// computes the timeout anew.
    pub(super) async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, ModelErrorKind> {
        let mut work = pin!(work);
        loop {
            let (deadline, which, limit) = self.deadline();
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                // Woken because a shorter timeout is in force now.
                () = self.begins.notified() => {}
                () = sleep_until(deadline) => {
                    if self.deadline().0 <= deadline {
                        return Err(ModelErrorKind::Timeout { which, limit });
                    }
                }
            }
        }
    }

    /// Returns the time at which the current timeout expires, its kind and its duration.
    fn deadline(&self) -> (Instant, RequestTimeout, Duration) {
        let AnswerTimeouts { first_token, idle } = self.limits;
        let activity = self.activity();
        let first = |limit| (after(activity.last_token, limit), RequestTimeout::FirstToken, limit);
        let silent = |limit| (after(activity.last_byte, limit), RequestTimeout::Idle, limit);
        match activity.stage {
            Stage::Waiting => first(first_token),
            Stage::Begun => {
                std::cmp::min_by_key(silent(idle), first(first_token.max(idle)), |(due, ..)| *due)
            }
            Stage::Ended => silent(AFTER_THE_END.min(idle)),
        }
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().expect("no holder of this lock panics")
    }
}

/// Returns `moment` plus `limit`. A limit beyond the clock's range counts as thirty years, as in tokio.
fn after(moment: Instant, limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    moment + limit.min(FAR)
}
