//! The node kind `sleep`: a wait. The time of its end is journaled, so a resumed run waits only for the rest.

use std::time::Duration;

use serde_json::Value;

use super::services::{Services, SleepMode};
use super::work::WorkContext;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::kind::PauseTime;

/// Waits for the duration of a `sleep` node and returns null. Returns at once if the run skips sleeps.
pub(super) async fn run(
    PauseTime(length): PauseTime,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    if cx.services().sleep_mode == SleepMode::Skip {
        return Ok(Value::Null);
    }
    let clock = &cx.services().clock;
    let length = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    let end = async { Ok::<u64, NodeError>(clock.now_ms().saturating_add(length)) };
    let end: u64 = cx.once(&work.journal_key("until"), end).await?;
    // If the clock was set back meanwhile, the wait is still not longer than `length`.
    let left = end.saturating_sub(clock.now_ms()).min(length);
    tokio::time::sleep(Duration::from_millis(left)).await;
    Ok(Value::Null)
}
