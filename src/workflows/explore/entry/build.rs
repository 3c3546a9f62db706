//! Builds the services of a run and compiles its graphs.

use std::sync::Arc;

use super::{GRAPH, NAME, agent_graph, registry};
use crate::definition::Definition;
use crate::engine::{CompiledGraph, RunError, SharedHost};
use crate::facts::FactsCache;
use crate::llm::{ChatModel as _, ModelError, Prices, Providers, SharedModel};
use crate::repo::Root;
use crate::workflows::config;
use crate::workflows::explore::events::EventLog;
use crate::workflows::explore::input::ExploreSettings;
use crate::workflows::explore::notepad::Notepad;
use crate::workflows::explore::offline::placeholder;
use crate::workflows::explore::results::ResultFolder;
use crate::workflows::explore::services::{
    AgentGraph, ExploreResources, ExploreServices, ExploredRepository, PROMPTS,
};
use crate::workflows::explore::state::ExploreRun;
use crate::workflows::shared_arguments::api_key;
use crate::workflows::tool_servers::open_named_servers;
use crate::workflows::workflow::{ArgValues, Setting, WorkflowError};

/// The compiled graph of an exploration.
pub type ExplorationGraph = CompiledGraph<ExploreRun, ExploreServices>;

/// Compiles the graph of the agents with viewer services; a run replaces these by its own.
pub(super) fn compile_agents() -> AgentGraph {
    agent_graph().compile_with(ExploreServices::viewer()).expect("the graph of the agents has no defect")
}

/// Compiles the graph of a run and erases its types.
pub(super) fn build_host(services: ExploreServices, setting: &Setting) -> Result<SharedHost, WorkflowError> {
    let agents = compile_agents().with_services(Arc::new(services.clone()));
    Ok(Arc::new(setting.compile(GRAPH, &registry(&agents), services)?))
}

/// Compiles the graph of an exploration with these resources, for programs that run it themselves.
pub fn exploration_graph(resources: ExploreResources) -> ExplorationGraph {
    let definition = Definition::parse(GRAPH.text, GRAPH.file).expect("the file is part of the program");
    let services = ExploreServices::new(resources, compile_agents());
    let agents = compile_agents().with_services(Arc::new(services.clone()));
    let graph = definition.build(&registry(&agents)).expect("the file names registered nodes only");
    graph.compile_with(services).expect("the graph of the program has no defect")
}

/// Explores a repository and returns the notepad (EXP-10). The results are also written to the folder
/// of the settings.
pub async fn explore(resources: ExploreResources, run: ExploreRun) -> Result<Arc<Notepad>, RunError> {
    let notepad = resources.notepad.clone();
    exploration_graph(resources).run(run).await?;
    Ok(notepad)
}

/// Builds the services of a run from its settings and the user's arguments: model, prompts, repository,
/// event log.
pub(super) fn build_services(
    root: Root,
    run: &ExploreRun,
    given: &ArgValues,
    setting: &Setting,
) -> Result<ExploreServices, WorkflowError> {
    let folder = ResultFolder::resolve(&run.settings, &run.name, &setting.folder).map_err(|error| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint))
    })?;
    let env = setting.env.clone();
    let cache = FactsCache::of_user(|name| env.var(name));
    let repository = Arc::new(ExploredRepository::new(root, &[folder.path().to_owned()], cache));
    let (model, prices) = build_model(&run.settings, given, setting)?;
    let prompts = setting.prompts(NAME, PROMPTS)?;
    let mut resources = ExploreResources::new(model, prompts, repository, run.settings.clone());
    resources.prices = prices;
    resources.events = EventLog::at(folder.events());
    if run.settings.why_without_servers().is_none() {
        resources.foreign = open_named_servers(given, setting);
    }
    resources.tape = setting.tape.clone();
    resources.folder.clone_from(&setting.folder);
    Ok(ExploreServices::new(resources, compile_agents()))
}

/// Returns the model and its prices; both `None` if rules explore. A model without its key is an error,
/// because the user asked for it (EXP-11).
fn build_model(
    settings: &ExploreSettings,
    given: &ArgValues,
    setting: &Setting,
) -> Result<(Option<SharedModel>, Option<Prices>), WorkflowError> {
    if settings.is_offline() {
        return Ok((None, None));
    }
    let name = &settings.model;
    let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone()).offline(placeholder());
    let mut providers = providers.configured(config::endpoints(given, setting)?).map_err(model_error)?;
    if let Some(key) = api_key(given)? {
        providers = providers.key_of(name, key).map_err(model_error)?;
    }
    let model = providers.model(name).map_err(model_error)?;
    let prices = providers.prices(model.name());
    Ok((Some(model), prices))
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}
