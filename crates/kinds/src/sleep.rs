//! `sleep`: a wait. When it ends is in the journal: a run that is resumed meanwhile waits for what is left.

use std::time::Duration;

use serde_json::Value;

use super::services::{Pace, Services};
use super::work::Place;
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::kind::Pause;

pub(super) async fn result(Pause(length): Pause, place: &Place<'_>, cx: &Cx<Services>) -> NodeResult<Value> {
    if cx.services().pace == Pace::Skipping {
        return Ok(Value::Null);
    }
    let clock = &cx.services().clock;
    let length = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    let end = async { Ok::<u64, NodeError>(clock.now_ms().saturating_add(length)) };
    let end: u64 = cx.once(&place.key("until"), end).await?;
    // A clock that was set back meanwhile would make it longer than it says.
    let left = end.saturating_sub(clock.now_ms()).min(length);
    tokio::time::sleep(Duration::from_millis(left)).await;
    Ok(Value::Null)
}
