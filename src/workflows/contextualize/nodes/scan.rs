//! The steps that describe a repository without a model: its structure (CTX-10) and its metadata (CTX-11).

use serde_json::Value;

use super::material::place;
use crate::engine::{Cx, NodeResult, State as _};
use crate::repo::{ScanLimits, WalkLimits};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::services::{ContextServices, OpenRepository};
use crate::workflows::contextualize::state::{
    ContextGeneration, ContextGenerationUpdate, ContextProject, RepositoryIdentity, StructureScan,
};

/// Scans the folders and files of the repository, and stores the structure in the state.
pub(in super::super) async fn scan(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let resources = cx.services().resources()?;
    let scan =
        resources.read(place(&run.input, run.repository.as_ref()), ("scan", Value::Null), |repository| {
            StructureScan::from(crate::repo::scan(&**repository.code.files(), ScanLimits::default()))
        });
    let scan = scan.await?;
    let event = ContextEvent::Scanned { files: scan.total_files, directories: scan.total_directories };
    cx.emit(ContextEvent::NAME, &event)?;
    Ok(ContextGeneration::update().scan(Some(scan)))
}

/// Reads the metadata from the manifests of the repository, and stores it in the state.
pub(in super::super) async fn metadata(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let resources = cx.services().resources()?;
    let identity = run.repository.clone().expect("the graph opens the repository first");
    let place = place(&run.input, run.repository.as_ref());
    let read =
        resources.read(place, ("metadata", Value::Null), move |repository| project_of(repository, &identity));
    let project = read.await?;
    let event =
        ContextEvent::Described { project: project.name.clone(), dependencies: project.dependencies.len() };
    cx.emit(ContextEvent::NAME, &event)?;
    Ok(ContextGeneration::update().project(Some(project)))
}

/// Returns the metadata of an opened repository, under the name and source of `identity`.
pub(super) fn project_of(repository: &OpenRepository, identity: &RepositoryIdentity) -> ContextProject {
    let files = repository.code.files();
    let metadata = crate::repo::project(&**files, &files.walk(WalkLimits::default()));
    ContextProject::new(metadata, (identity.name.clone(), identity.source_repo.clone()))
}
