//! The catalogue entry `contextualize-refine`.

use std::ffi::OsStr;

use serde_json::value::RawValue;

use super::build::{begin_run, prepare_run};
use super::command::CommandEntry;
use super::generate::ContextualizeGenerate;
use super::{GROUP, generate};
use crate::definition::Registry;
use crate::engine::ThreadId;
use crate::workflows::contextualize::arguments::{ContextInput, RefineRequest};
use crate::workflows::contextualize::context_file::ContextFileError;
use crate::workflows::contextualize::input::{ContextCommand, ContextSettings, RunMode};
use crate::workflows::contextualize::progress::ReportInput;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::contextualize::source::{RepositorySource, SourceError};
use crate::workflows::contextualize::state::{ContextGeneration, ContextRefinement, ContextRun, RefinedFile};
use crate::workflows::contextualize::{arguments, nodes};
use crate::workflows::workflow::{
    ArgValues, ContinuedRun, EmbeddedGraph, PreparedRun, Report, RunStart, Setting, Workflow as _,
    WorkflowError,
};

/// The graph file.
pub const REFINE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-refine.yaml",
    text: include_str!("../../../../graphs/contextualize-refine.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-refine";

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

/// Returns the repository that a context file names. For rules it must exist; for a model a repository that
/// is gone is no error.
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

/// Reads the settings and returns the input of the run. Unless the user names an output, it is the file
/// itself; so the run does not read that as a part of the repository.
fn begin_change(
    request: &RefineRequest,
    given: &ArgValues,
    setting: &Setting,
) -> Result<(ContextRun, ContextInput), WorkflowError> {
    let mut input = arguments::read_input(ContextCommand::Refine, given, setting)?;
    let own = request.path.strip_prefix(&setting.folder).unwrap_or(&request.path).to_owned();
    input.settings.output.get_or_insert(own);
    let source = source_of(request, &input, setting)?;
    Ok((begin_run(&input, source, setting), input))
}

/// Converts the request to the form in which the state of `generate` stores it.
fn refined(request: RefineRequest) -> RefinedFile {
    RefinedFile { file: request.path, original: request.file, request: request.request }
}

impl CommandEntry for ContextualizeRefine {
    type Run = ContextRefinement;

    const NAME: &'static str = NAME;

    const ABOUT: &'static str =
        "Changes a context file as the user asks; front matter and added sections are kept";

    const COMMAND: ContextCommand = ContextCommand::Refine;

    const GRAPH: EmbeddedGraph = REFINE_GRAPH;

    fn registry() -> Registry<ContextRefinement, ContextServices> {
        refinement_registry()
    }

    fn settings(run: &ContextRefinement) -> &ContextSettings {
        &run.input.settings
    }

    fn report_input(run: &ContextRefinement) -> ReportInput<'_> {
        ReportInput {
            model: &run.input.settings.model,
            draft: run.draft.as_ref(),
            notes: &run.notes,
            spent: &run.spent,
            written: run.written.as_ref(),
            document: run.document.as_deref(),
        }
    }

    fn begin(given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let request = arguments::read_refine(given, setting)?;
        let (run, input) = begin_change(&request, given, setting)?;
        if input.settings.mode == RunMode::Agent {
            let thread = generate::thread(&run);
            let host = ContextualizeGenerate::host(&input, given, setting)?;
            let state = ContextGeneration::refining(run, refined(request));
            let prepared = prepare_run(host, &state, thread, input)?;
            return Ok(PreparedRun { begin: RunStart::WithContinuation, ..prepared });
        }
        let run = ContextRefinement::new(run, request.path, request.file, request.request);
        let thread = ThreadId::from_parts(&[GROUP, &run.file.to_string_lossy(), NAME, &run.request]);
        let host = Self::host(&input, given, setting)?;
        prepare_run(host, &run, thread, input)
    }

    /// Continues the thread of the description with the request, in agent mode (CTX-33, CTX-96).
    fn go_on(given: &ArgValues, setting: &Setting) -> Result<Option<ContinuedRun>, WorkflowError> {
        let request = arguments::read_refine(given, setting)?;
        let (run, input) = begin_change(&request, given, setting)?;
        if input.settings.mode != RunMode::Agent {
            return Ok(None);
        }
        let host = ContextualizeGenerate::host(&input, given, setting)?;
        let update = ContextGeneration::next_turn(run, refined(request));
        let update = serde_json::to_value(update).map_err(|error| WorkflowError::new(error, None))?;
        Ok(Some(ContinuedRun { host, update }))
    }

    /// Reports a state of `generate`: in agent mode the change runs in the thread of the description.
    fn foreign_report(state: &RawValue) -> Option<Result<Report, WorkflowError>> {
        Some(ContextualizeGenerate.report(state))
    }
}
