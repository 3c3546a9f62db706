//! The catalogue entry `contextualize-refine`.

use std::ffi::OsStr;

use serde_json::value::RawValue;

use super::build::{begin_run, build_services, compile, parse_state, prepare_run, report, resumed_input};
use super::{ABOUT, GROUP, generate};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::EmbeddedPrompt;
use crate::workflows::contextualize::arguments::{ContextInput, RefineRequest};
use crate::workflows::contextualize::context_file::ContextFileError;
use crate::workflows::contextualize::input::{ContextCommand, RunMode};
use crate::workflows::contextualize::progress::{ReportInput, format_line};
use crate::workflows::contextualize::services::{ContextServices, PROMPTS};
use crate::workflows::contextualize::source::{RepositorySource, SourceError};
use crate::workflows::contextualize::state::{ContextGeneration, ContextRefinement, ContextRun, RefinedFile};
use crate::workflows::contextualize::{arguments, nodes};
use crate::workflows::workflow::{
    Argument, Begin, Continued, EmbeddedGraph, Given, PlaceInGroup, Prepared, Report, Setting, Workflow,
    WorkflowError,
};

/// The graph file.
pub const REFINE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-refine.yaml",
    text: include_str!("../../../../graphs/contextualize-refine.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-refine";

/// The command.
const COMMAND: ContextCommand = ContextCommand::Refine;

/// The workflow `contextualize-refine`.
pub struct ContextualizeRefine;

/// Returns the nodes and conditions that graph files with `state: contextualize-refine` can name.
pub fn refinement_registry() -> Registry<ContextRefinement, ContextServices> {
    let registry = Registry::new(NAME)
        .node("contextualize-refine.open", "opens the repository of the context file", nodes::open_refinement)
        .and_then(|it| it.node("contextualize-refine.refine", "changes the text: one call", nodes::refine))
        .and_then(|it| it.node("contextualize-refine.save", "writes the file", nodes::save_refinement));
    registry.expect("the names are different")
}

/// Returns the repository of the context file. Rules need it; for a model a repository that is gone is no error.
fn source_of(
    request: &RefineRequest,
    input: &ContextInput,
    setting: &Setting,
) -> Result<RepositorySource, WorkflowError> {
    let failed = |error: SourceError| {
        let hint = format!(
            "the repository is named by `source_repo` in {}; {}",
            request.path.display(),
            error.hint()
        );
        WorkflowError::new(error, Some(hint))
    };
    let named = request.file.front_matter.source_repo().map_err(|problem| {
        let hint = "refine a file that `generate` or `scope` wrote".to_owned();
        WorkflowError::new(ContextFileError { path: request.path.clone(), problem }, Some(hint))
    })?;
    let source = RepositorySource::parse(OsStr::new(named), &setting.folder).map_err(failed)?;
    if input.settings.is_offline() {
        source.check().map_err(failed)?;
    }
    Ok(source)
}

/// Returns the run of a request, and its input. The result replaces the file, so that the run does not read it as a part of the repository.
fn begin(
    request: &RefineRequest,
    given: &Given,
    setting: &Setting,
) -> Result<(ContextRun, ContextInput), WorkflowError> {
    let mut input = arguments::read_input(COMMAND, given, setting)?;
    let own = request.path.strip_prefix(&setting.folder).unwrap_or(&request.path).to_owned();
    input.settings.output.get_or_insert(own);
    let source = source_of(request, &input, setting)?;
    Ok((begin_run(&input, source, setting), input))
}

/// Returns the file and the change for the thread of the description.
fn refined(request: RefineRequest) -> RefinedFile {
    RefinedFile { file: request.path, original: request.file, request: request.request }
}

impl Workflow for ContextualizeRefine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Changes a context file as the user asks; front matter and added sections are kept"
    }

    fn place_in_group(&self) -> Option<PlaceInGroup> {
        Some(PlaceInGroup { group: GROUP, about: ABOUT, word: COMMAND.name() })
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        COMMAND.arguments()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(REFINE_GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(definition.build(&refinement_registry())?.draft()))
    }

    fn prepare(&self, given: &Given, setting: &Setting) -> Result<Prepared, WorkflowError> {
        let request = arguments::read_refine(given, setting)?;
        let (run, input) = begin(&request, given, setting)?;
        if input.settings.mode == RunMode::Agent {
            let thread = generate::thread(&run);
            let host = generate::host(&input, given, setting)?;
            let state = ContextGeneration::refining(run, refined(request));
            let prepared = prepare_run(host, &state, thread, input)?;
            return Ok(Prepared { begin: Begin::WithContinuation, ..prepared });
        }
        let run = ContextRefinement::new(run, request.path, request.file, request.request);
        let thread = ThreadId::from_parts(&[GROUP, &run.file.to_string_lossy(), NAME, &run.request]);
        let host =
            compile(REFINE_GRAPH, &refinement_registry(), build_services(&input, given, setting)?, setting)?;
        prepare_run(host, &run, thread, input)
    }

    /// Continues the thread of the description with the request, in agent mode (CTX-33, CTX-96).
    fn prepare_continuation(
        &self,
        given: &Given,
        setting: &Setting,
    ) -> Result<Option<Continued>, WorkflowError> {
        let request = arguments::read_refine(given, setting)?;
        let (run, input) = begin(&request, given, setting)?;
        if input.settings.mode != RunMode::Agent {
            return Ok(None);
        }
        let host = generate::host(&input, given, setting)?;
        let update = ContextGeneration::next_turn(run, refined(request));
        let update = serde_json::to_value(update).map_err(|error| WorkflowError::new(error, None))?;
        Ok(Some(Continued { host, update }))
    }

    fn restore(
        &self,
        given: &Given,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let run: ContextRefinement = parse_state(stored)?;
        let input = resumed_input(COMMAND, &run.input.settings, given, setting)?;
        compile(REFINE_GRAPH, &refinement_registry(), build_services(&input, given, setting)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        compile(REFINE_GRAPH, &refinement_registry(), ContextServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        format_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let Ok(run) = parse_state::<ContextRefinement>(state) else {
            // An agent continues the thread of the description.
            return generate::ContextualizeGenerate.report(state);
        };
        Ok(report(&ReportInput {
            model: &run.input.settings.model,
            draft: run.draft.as_ref(),
            notes: &run.notes,
            spent: &run.spent,
            written: run.written.as_ref(),
            document: run.document.as_deref(),
        }))
    }
}
