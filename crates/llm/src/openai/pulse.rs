//! The two limits of an answer under way: the time to its first token, and the silence between tokens. Pure but for the clock; the
//! bytes are read in `exchange`, the tokens in `assemble`.

use std::future::Future;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::super::error::{ModelErrorKind, Patience};

/// How long the end of a stream is waited for once the model has said that it is done: usage comes at once or not at all, and some
/// servers never close.
const AFTER_THE_END: Duration = Duration::from_secs(5);

/// Limits of the waits within an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for a token: for the first one, and for the next one of a server that sends comments meanwhile. An answer that
    /// is not streamed is its own first token.
    pub first_token: Duration,
    /// Longest silence after the first token.
    pub idle: Duration,
}

/// Signs of life of one answer.
///
/// Only a token ends the first limit. A comment (`: OPENROUTER PROCESSING`) or an empty chunk (`{"role": "assistant"}`) comes from a
/// server that may wait for a model in its turn; if these counted, a proxy before a dead model would be waited for without end. Later
/// they put the limit of silence off, because a call of a tool may be held back until it is whole, but never for longer than a first
/// token may take.
pub(super) struct Pulse {
    limits: Limits,
    signs: Mutex<Signs>,
    begins: Notify,
}

struct Signs {
    last_byte: Instant,
    last_token: Instant,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Begun,
    Ended,
}

impl Pulse {
    /// Starts both clocks.
    pub(super) fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let signs = Signs { last_byte: now, last_token: now, stage: Stage::Waiting };
        Self { limits, signs: Mutex::new(signs), begins: Notify::new() }
    }

    /// Notes that bytes came.
    pub(super) fn byte(&self) {
        self.signs().last_byte = Instant::now();
    }

    /// Notes that the answer has begun without a token so far: the body of an answer that is not streamed.
    pub(super) fn begun(&self) {
        self.signs().stage = Stage::Begun;
        self.begins.notify_one();
    }

    /// Notes that a token came.
    pub(super) fn token(&self) {
        let mut signs = self.signs();
        signs.last_token = Instant::now();
        signs.stage = Stage::Begun;
    }

    /// Notes that the model is done.
    pub(super) fn ended(&self) {
        self.signs().stage = Stage::Ended;
    }

    /// Waits for `work` for as long as the limits allow; they are looked at anew after each sign.
    pub(super) async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, ModelErrorKind> {
        let mut work = pin!(work);
        loop {
            let (deadline, which, limit) = self.deadline();
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                // The limit in force is a shorter one now.
                () = self.begins.notified() => {}
                () = sleep_until(deadline) => {
                    if self.deadline().0 <= deadline {
                        return Err(ModelErrorKind::Timeout { which, limit });
                    }
                }
            }
        }
    }

    /// The moment at which a limit is reached unless something comes, and that limit.
    fn deadline(&self) -> (Instant, Patience, Duration) {
        let Limits { first_token, idle } = self.limits;
        let signs = self.signs();
        let first = |limit| (after(signs.last_token, limit), Patience::FirstToken, limit);
        let silent = |limit| (after(signs.last_byte, limit), Patience::Idle, limit);
        match signs.stage {
            Stage::Waiting => first(first_token),
            Stage::Begun => {
                std::cmp::min_by_key(silent(idle), first(first_token.max(idle)), |(due, ..)| *due)
            }
            Stage::Ended => silent(AFTER_THE_END.min(idle)),
        }
    }

    fn signs(&self) -> MutexGuard<'_, Signs> {
        self.signs.lock().expect("no holder of this lock panics")
    }
}

/// `limit` after `moment`; a limit that no clock reaches is one of thirty years, as in tokio.
fn after(moment: Instant, limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    moment + limit.min(FAR)
}
