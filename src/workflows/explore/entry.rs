//! Catalogue entry of the workflow `explore`: compiles its graphs from the user's arguments.

mod agent_graph;
mod build;

use serde_json::value::RawValue;

use super::input::{ExploreOutput, ExploreSettings};
use super::services::{AgentGraph, ExploreServices, PROMPTS};
use super::state::{ExplorationResult, ExploreRun, ExploreRunUpdate};
use super::{arguments, choices, nodes, progress};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Durability, Event, SharedHost, State as _, Subgraph, ThreadId, Topology};
use crate::llm::EmbeddedPrompt;
use crate::workflows::shared_arguments::{open_repository, open_root};
use crate::workflows::timestamp::Timestamp;
use crate::workflows::tool_servers::list_notes;
use crate::workflows::workflow::{
    Acceptance, ArgValues, Argument, EmbeddedGraph, LiveLines, PreparedRun, Report, Setting, Workflow,
    WorkflowError,
};
use build::{build_host, build_services};

pub use agent_graph::agent_graph;
pub use build::{ExplorationGraph, exploration_graph, explore};

/// The graph file.
pub const GRAPH: EmbeddedGraph =
    EmbeddedGraph { file: "graphs/explore.yaml", text: include_str!("../../../graphs/explore.yaml") };

/// Name of the workflow, as in `graph run explore`.
const NAME: &str = "explore";

/// The workflow `explore`.
pub struct Explore;

/// Returns the nodes that graph files with `state: explore` can name. `agents` is the graph that all agents run.
pub fn registry(agents: &AgentGraph) -> Registry<ExploreRun, ExploreServices> {
    let root = Subgraph::mapped(agents, ExploreRun::root_agent, |root| -> ExploreRunUpdate {
        let result = ExplorationResult::of(root);
        let spent = result.spent.clone();
        ExploreRun::update().result(Some(result)).spent(spent)
    });
    let registry = Registry::new(NAME)
        .node("explore.open", "lists the source files", nodes::open)
        .and_then(|it| it.node("explore.agent", "the root agent and all agents below it", root))
        .and_then(|it| it.node("explore.scan", "reads the facts of the repository", nodes::scan))
        .and_then(|it| it.node("explore.plan", "cuts the repository into scopes", nodes::plan))
        .and_then(|it| it.node("explore.explore", "reads purposes and definitions", nodes::explore))
        .and_then(|it| it.node("explore.enrich", "adds imports and variables", nodes::enrich))
        .and_then(|it| it.node("explore.agents", "the agents beside the standard track", nodes::agents))
        .and_then(|it| it.node("explore.merge", "puts findings into their scopes", nodes::merge))
        .and_then(|it| it.node("explore.reduce", "makes the overview", nodes::reduce))
        .and_then(|it| it.node("explore.render", "writes the document", nodes::render))
        .and_then(|it| it.node("explore.save", "writes the results", nodes::save))
        .and_then(|it| it.choice("explore.output", "notes, or a document", choices::output_kind));
    registry.expect("the names are different")
}

impl Workflow for Explore {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Explores a repository with agents that delegate parts to one another and share a notepad"
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        arguments::ARGUMENTS.to_vec()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(definition.build(&registry(&build::compile_agents()))?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let root = open_repository(given, setting)?;
        let settings = arguments::read_settings(given)?;
        let path = root.absolute().to_owned();
        let name = path
            .file_name()
            .map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned());
        let started = Timestamp::from_ms(setting.taped_clock().now_ms());
        let run = ExploreRun::new(settings, path, name, started);
        let services = build_services(root, &run, given, setting)?;
        let host = build_host(services, setting)?;
        let thread = thread_id(&run);
        let durability = if run.settings.is_offline() { Durability::ASYNC } else { Durability::default() };
        let mut notes = notes(&run.settings, given);
        notes.extend(list_notes(given, setting, run.settings.why_without_servers()));
        let state = serde_json::to_value(run).map_err(|error| WorkflowError::new(error, None))?;
        Ok(PreparedRun { notes, durability, ..PreparedRun::anew(host, state, thread) })
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let mut run = parse_state(stored)?;
        let root = open_root(&run.repository)?;
        if let Some(model) = given.text("model")? {
            model.clone_into(&mut run.settings.model);
        }
        build_host(build_services(root, &run, given, setting)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        build_host(ExploreServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        progress::format_line(event)
    }

    fn live_lines(&self) -> Option<Box<dyn LiveLines>> {
        Some(Box::new(progress::AgentBoard::default()))
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let run = parse_state(state)?;
        let acceptance =
            if progress::is_complete(&run) { Acceptance::Accepted } else { Acceptance::NotAccepted };
        let (lines, outputs) = (progress::format_report(&run), run.written.clone());
        Ok(Report { acceptance, lines, outputs, result: None, document: None })
    }
}

/// Derives the thread id from repository, task and kind of result, so that equal input gives the same
/// thread.
fn thread_id(run: &ExploreRun) -> ThreadId {
    let purpose = run.settings.purpose.as_deref().unwrap_or_default();
    let repository = run.repository.to_string_lossy();
    match run.settings.output {
        ExploreOutput::Notes => ThreadId::from_parts(&[NAME, &repository, purpose]),
        ExploreOutput::Document => ThreadId::from_parts(&[NAME, &repository, purpose, "document"]),
        ExploreOutput::DocumentWithAgents => {
            ThreadId::from_parts(&[NAME, &repository, purpose, "document", "agents"])
        }
    }
}

/// Returns a message if a key was given although rules explore.
fn notes(settings: &ExploreSettings, given: &ArgValues) -> Vec<String> {
    let is_useless = given.is_given("api-key") && settings.is_offline();
    is_useless
        .then(|| "the key is of no use: rules explore, as no `--model` was named".to_owned())
        .into_iter()
        .collect()
}

fn parse_state(state: &RawValue) -> Result<ExploreRun, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        let hint = format!("the thread was not written by this version of `{NAME}`");
        WorkflowError::new(error, Some(hint))
    })
}
