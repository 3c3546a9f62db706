//! Opens the repository and determines its commit, before anything is read or paid for.

use serde_json::Value;

use super::material::place;
use super::save::check_output;
use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::contextualize::source::RepositorySource;
use crate::workflows::contextualize::state::{
    ContextGeneration, ContextGenerationUpdate, ContextRefinement, ContextRefinementUpdate, ContextRun,
    ContextScope, ContextScopeUpdate, RepositoryIdentity,
};

/// Opens the repository of a description, and checks that the result can be written.
pub(in super::super) async fn open_generation(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let repository = open(&run.input, cx).await?;
    // A file that is refined exists.
    if run.refinement.is_none() {
        check_output(&run.input, &repository, cx.services().resources()?)?;
    }
    Ok(ContextGeneration::update().repository(Some(repository)))
}

/// Opens the repository of a question, and checks that the answer can be written.
pub(in super::super) async fn open_scope(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let repository = open(&run.input, cx).await?;
    check_output(&run.input, &repository, cx.services().resources()?)?;
    Ok(ContextScope::update().repository(Some(repository)))
}

/// Opens the repository of a context file. If it is gone, a run with a model continues with a remark, because
/// the request may not need it; for rules it is an error.
pub(in super::super) async fn open_refinement(
    run: &ContextRefinement,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextRefinementUpdate> {
    let is_rules = cx.services().resources()?.is_rules();
    match open(&run.input, cx).await {
        Ok(repository) => Ok(ContextRefinement::update().repository(Some(repository))),
        Err(error) if is_rules => Err(error),
        Err(error) => {
            let note = format!("the text was not checked against the repository: {error}");
            Ok(ContextRefinement::update().notes(note))
        }
    }
}

async fn open(input: &ContextRun, cx: &Cx<ContextServices>) -> NodeResult<RepositoryIdentity> {
    let resources = cx.services().resources()?;
    if let RepositorySource::GitHub(url) = &input.source {
        cx.emit(ContextEvent::NAME, &ContextEvent::Opening { source: url.to_string() })?;
    }
    let opening =
        resources.read(place(input, None), ("open", Value::Null), |repository| RepositoryIdentity {
            name: repository.source.name().to_owned(),
            source_repo: repository.source.source_repo().to_owned(),
            commit: repository.source.commit().map(str::to_owned),
        });
    opening.await
}
