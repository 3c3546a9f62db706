//! Node `save`: announces all notes and ends of agents once more, for a log whose file lost its end,
//! and writes the results. Idempotent: a second write gives the same bytes.

use super::announce::record_events;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::explore::results::{ResultFolder, render_results};
use crate::workflows::explore::services::ExploreServices;
use crate::workflows::explore::state::{ExploreRun, ExploreRunUpdate};

/// Writes the result files and records their paths. Fails if there is no result.
pub(in super::super) async fn save(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let resources = cx.services().resources()?;
    if run.result.is_none() && run.document.is_none() {
        return Err(NodeError::msg("there is no result to write").permanent());
    }
    for note in run.result.iter().flat_map(|result| &result.notes) {
        resources.write_note(cx, note)?;
    }
    for record in run.result.iter().flat_map(|result| &result.agents) {
        resources.tell_all(cx, record_events(record))?;
    }
    let folder = ResultFolder::of(run, &resources.folder)?;
    let files = render_results(run);
    let written = tokio::task::spawn_blocking(move || folder.write(&files)).await??;
    Ok(ExploreRun::update().written(written))
}
