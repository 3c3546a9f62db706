//! The catalogue entry of the workflow: from command line arguments to a compiled graph.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::input::{Mode, PARALLEL_MAX};
use super::memory::{EntryType, Memory};
use super::services::{DocServices, PROMPTS, ServicesError, open_memory};
use super::session::{Resumable, SessionState, find_resumable};
use super::state::Documentation;
use super::{arguments, choices, nodes, offline, progress};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Durability, Event, SharedHost, ThreadId, Topology};
use crate::llm::{EmbeddedPrompt, ModelError, OFFLINE_PROVIDER, Providers};
use crate::repo::Root;
use crate::workflows::config;
use crate::workflows::shared_arguments::{api_key, open_repository};
use crate::workflows::tool_servers::{list_notes, open_named_servers};
use crate::workflows::workflow::{
    Acceptance, ArgValues, Argument, EmbeddedGraph, PreparedRun, Report, RunStart, Setting, Workflow,
    WorkflowError,
};

/// The graph file.
pub const GRAPH: EmbeddedGraph =
    EmbeddedGraph { file: "graphs/doc-phases.yaml", text: include_str!("../../../graphs/doc-phases.yaml") };

/// Name of the workflow, as in `graph run doc-phases`.
const NAME: &str = "doc-phases";

/// The workflow `doc-phases` for the catalogue of workflows: its arguments, prompts and graph, and how a run
/// is prepared, restored and reported. Has no fields; each run gets its own [`DocServices`].
pub struct DocPhases;

/// Returns the nodes, conditions and lists that graph files with `state: doc-phases` can name.
pub fn registry() -> Registry<Documentation, DocServices> {
    let registry = Registry::new(NAME)
        .node("doc-phases.begin", "opens the session and finds what changed", nodes::begin)
        .and_then(|it| it.node("doc-phases.architecture", "phase A: the architecture", nodes::architecture))
        .and_then(|it| it.node("doc-phases.plan", "names the components to explore", nodes::plan))
        .and_then(|it| it.node("doc-phases.component", "phase B: one component", nodes::component))
        .and_then(|it| it.node("doc-phases.gather", "ends phase B", nodes::gather))
        .and_then(|it| {
            it.node("doc-phases.cross_cutting", "phase C: what spans components", nodes::cross_cutting)
        })
        .and_then(|it| it.node("doc-phases.generation", "phase D: from memory alone", nodes::generation))
        .and_then(|it| it.node("doc-phases.write", "writes the documents from memory", nodes::write))
        .and_then(|it| it.choice("doc-phases.next", "the first phase that is not over", choices::next_phase))
        .and_then(|it| {
            it.choice("doc-phases.after_components", "what follows phase B", choices::after_components)
        })
        .and_then(|it| {
            it.list("doc-phases.components", "the components still to be explored", choices::open_components)
        });
    registry.expect("the names are different")
}

impl DocPhases {
    /// Compiles the graph with these services. The returned host explores at most `parallel` components
    /// concurrently, limited to 1 to [`PARALLEL_MAX`] (DOC-126).
    fn build_host(
        services: DocServices,
        parallel: u32,
        setting: &Setting,
    ) -> Result<SharedHost, WorkflowError> {
        let services = services.with_clock(setting.taped_clock()).with_tape(setting.tape.clone());
        let graph = setting.compile(GRAPH, &registry(), services)?;
        Ok(Arc::new(graph.with_max_concurrency(parallel.clamp(1, PARALLEL_MAX) as usize)))
    }

    /// Prepares a run that continues `session`, the content of a session file of an unfinished run. It starts
    /// from the newest checkpoint of the session's thread, or from the state in the file if no store has the
    /// thread.
    fn resume_session(
        session: SessionState,
        given: &ArgValues,
        setting: &Setting,
    ) -> Result<PreparedRun, WorkflowError> {
        let SessionState { run, thread, .. } = session;
        let root =
            Root::open(&run.repository).map_err(|error| with_hint(error, |error| error.hint().to_owned()))?;
        let memory = open_run_memory(&root, &run)?;
        let note = format!("going on with session {}", run.session_id);
        let thread = thread.unwrap_or(thread_id(&run)?);
        let mut prepared = prepare_run(root, memory, run, given, setting)?;
        prepared.begin = RunStart::WhereItStands;
        prepared.thread = thread;
        prepared.notes.push(note);
        Ok(prepared)
    }
}

impl Workflow for DocPhases {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Explores a code base in four phases under budgets, and writes its documentation from memory"
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
        Ok(definition.build(&registry())?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        arguments::check_conflicts(given)?;
        let root = open_repository(given, setting)?;
        let settings = arguments::resolve_settings(given, setting)?;
        let mut notes = Vec::new();
        if given.is_given("resume") {
            let (found, skipped) =
                find_resumable(&root).map_err(|error| with_hint(error, |error| error.hint().to_owned()))?;
            notes.extend(skipped);
            match found {
                Resumable::Session(session) => {
                    let mut prepared = Self::resume_session(*session, given, setting)?;
                    prepared.notes.splice(0..0, notes);
                    return Ok(prepared);
                }
                Resumable::NothingToResume => {
                    notes.push(
                        "nothing to resume: there is no unfinished session; this run begins anew".to_owned(),
                    );
                }
            }
        }
        let mode = if given.is_given("update") { Mode::Update } else { Mode::Full };
        let now = setting.taped_clock().now_ms();
        let mut run = Documentation::new(root.absolute().to_owned(), now, mode, settings);
        let memory = open_run_memory(&root, &run)?;
        if mode == Mode::Update && memory.all(EntryType::Component).is_empty() {
            notes.push(
                "nothing to update: memory holds no component yet; this run explores everything".to_owned(),
            );
            run.mode = Mode::Full;
        }
        let mut prepared = prepare_run(root, memory, run, given, setting)?;
        prepared.notes.splice(0..0, notes);
        Ok(prepared)
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let run = parse_state(stored)?;
        let root =
            Root::open(&run.repository).map_err(|error| with_hint(error, |error| error.hint().to_owned()))?;
        let memory = open_run_memory(&root, &run)?;
        let services = build_services(root, memory, &run, given, setting)?;
        Self::build_host(services, run.settings.parallel, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        Self::build_host(DocServices::viewer(), 1, setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        progress::status_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let run = parse_state(state)?;
        let acceptance =
            if progress::is_complete(&run) { Acceptance::Accepted } else { Acceptance::NotAccepted };
        Ok(Report {
            acceptance,
            lines: progress::report(&run),
            outputs: progress::outputs(&run),
            result: None,
            document: None,
        })
    }
}

fn prepare_run(
    root: Root,
    memory: Memory,
    run: Documentation,
    given: &ArgValues,
    setting: &Setting,
) -> Result<PreparedRun, WorkflowError> {
    let mut notes = memory.notices().to_vec();
    notes.extend(list_notes(given, setting, why_without_servers(model_name(given, &run)?)));
    if given.is_given("api-key") && model_name(given, &run)? == OFFLINE_PROVIDER {
        notes.push("the key is of no use: rules explore, as no `--model` was named".to_owned());
    }
    let thread = thread_id(&run)?;
    let services = build_services(root, memory, &run, given, setting)?;
    // What rules find can be computed again, so no step waits for the disk.
    let durability =
        if model_name(given, &run)? == OFFLINE_PROVIDER { Durability::ASYNC } else { Durability::default() };
    let host = DocPhases::build_host(services, run.settings.parallel, setting)?;
    let state = serde_json::to_value(run).map_err(|error| WorkflowError::new(error, None))?;
    Ok(PreparedRun { notes, durability, ..PreparedRun::anew(host, state, thread) })
}

/// Returns the id of the thread of a run: the same text as its session id.
fn thread_id(run: &Documentation) -> Result<ThreadId, WorkflowError> {
    ThreadId::new(&run.session_id).map_err(|error| WorkflowError::new(error, None))
}

fn open_run_memory(root: &Root, run: &Documentation) -> Result<Memory, WorkflowError> {
    open_memory(root, run.started).map_err(|error| with_hint(error, ServicesError::hint))
}

/// Builds the services of a run: opens the model, its prompts, the embeddings and the named MCP servers.
/// Fails for an unknown model, and if the run has a limit of money but the prices of the model are unknown.
fn build_services(
    root: Root,
    memory: Memory,
    run: &Documentation,
    given: &ArgValues,
    setting: &Setting,
) -> Result<DocServices, WorkflowError> {
    let prompts = setting.prompts(NAME, PROMPTS)?;
    let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone()).offline(offline::rules());
    let mut providers = providers.configured(config::endpoints(given, setting)?).map_err(model_error)?;
    let name = model_name(given, run)?;
    if let Some(key) = api_key(given)? {
        providers = providers.key_of(name, key).map_err(model_error)?;
    }
    let model = providers.model(name).map_err(model_error)?;
    if run.settings.caps.money.is_some()
        && name != OFFLINE_PROVIDER
        && providers.prices(model.name()).is_none()
    {
        let error = WorkflowError::msg(format!(
            "the prices of {} are not known, so max_cost cannot hold",
            model.name()
        ));
        return Err(error.with_hint(
            "give them under `prices` of the provider in the configuration, or set max_tokens in the budgets file",
        ));
    }
    let embeddings = given.text("embeddings")?.or(run.settings.embeddings.as_deref());
    let search = embeddings.map(|name| providers.embeddings(name)).transpose().map_err(model_error)?;
    // The session file names the model of this invocation because a later `--resume` reads it from there.
    let mut run = run.clone();
    (run.settings.model, run.settings.embeddings) = (name.to_owned(), embeddings.map(str::to_owned));
    let services = DocServices::new(root, memory, model, prompts, &run);
    let services = services.map_err(|error| with_hint(error, ServicesError::hint))?.with_embeddings(search);
    let servers = if why_without_servers(name).is_none() { open_named_servers(given, setting) } else { None };
    Ok(services.with_servers(servers))
}

/// Returns the reason, for the user, why a run with this model uses no tools of MCP servers: the offline
/// rules call none. `None` for a language model, which uses them.
fn why_without_servers(model: &str) -> Option<&'static str> {
    (model == OFFLINE_PROVIDER).then_some("rules explore, as no `--model` was named")
}

/// Returns the name of the model: that of `--model`, else that of the run's settings.
fn model_name<'a>(given: &'a ArgValues, run: &'a Documentation) -> Result<&'a str, WorkflowError> {
    Ok(given.text("model")?.unwrap_or(&run.settings.model))
}

fn parse_state(state: &RawValue) -> Result<Documentation, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        let hint = format!("the thread was not written by this version of `{NAME}`");
        WorkflowError::new(error, Some(hint))
    })
}

fn with_hint<E: std::error::Error + Send + Sync + 'static>(
    error: E,
    hint: impl FnOnce(&E) -> String,
) -> WorkflowError {
    let hint = hint(&error);
    WorkflowError::new(error, Some(hint))
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}
