//! The node `open`: checks that the results can be written, begins the log of events, and lists the source files.

use serde_json::json;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::explore::results::ResultFolder;
use crate::workflows::explore::services::{ExploreServices, ExploredRepository};
use crate::workflows::explore::state::{ExploreRun, ExploreRunUpdate};

/// Begins an exploration. Fails if the result folder cannot be written or the repository has no files.
pub(in super::super) async fn open(
    run: &ExploreRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<ExploreRunUpdate> {
    let resources = cx.services().resources()?;
    let folder = ResultFolder::of(run, &resources.folder)?;
    folder.probe()?;
    resources.events.begin()?;
    let list = |repository: &ExploredRepository| repository.source_files();
    let source_files: Vec<String> = resources.read("source files", json!(null), list).await?;
    if source_files.is_empty() {
        let error =
            NodeError::msg(format!("{} has no files to explore", run.repository.display())).permanent();
        return Err(error.with_hint("name the folder of a repository"));
    }
    Ok(ExploreRun::update().source_files(source_files))
}
