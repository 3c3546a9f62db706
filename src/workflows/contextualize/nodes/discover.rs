//! The node `discover`: the files that a question is about, by rules (CTX-21, CTX-119).

use serde_json::Value;

use super::material::place;
use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::search;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::contextualize::state::{ContextScope, ContextScopeUpdate};

/// Ranks the files of the repository for the question, by rules, and stores the discovery in the state. A run
/// of rules then skips the exploration.
pub(in super::super) async fn discover(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let resources = cx.services().resources()?;
    let question = run.question.clone();
    let reading = resources.read(
        place(&run.input, run.repository.as_ref()),
        ("discovery", Value::String(run.question.clone())),
        move |repository| search::discover(&question, &repository.code),
    );
    let discovery = reading.await?;
    let event = ContextEvent::Discovered {
        keywords: if discovery.fallback { Vec::new() } else { discovery.keywords.clone() },
        candidates: discovery.candidates.len(),
    };
    cx.emit(ContextEvent::NAME, &event)?;
    let files: Vec<String> = discovery.candidates.iter().map(|candidate| candidate.path.clone()).collect();
    let update = ContextScope::update().discovery(Some(discovery)).files(files);
    // Rules answer from the discovery alone.
    Ok(update.is_explored(resources.is_rules()))
}
