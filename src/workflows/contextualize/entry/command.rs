//! The parts in which the three catalogue entries differ. All else of a [`Workflow`] follows from them.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::build::{build_services, compile, parse_state, report, resumed_input};
use super::{ABOUT, GROUP};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, State, Topology};
use crate::llm::EmbeddedPrompt;
use crate::workflows::contextualize::arguments::ContextInput;
use crate::workflows::contextualize::input::{ContextCommand, ContextSettings};
use crate::workflows::contextualize::progress::{ReportInput, format_line};
use crate::workflows::contextualize::services::{ContextServices, PROMPTS};
use crate::workflows::workflow::{
    ArgValues, Argument, ContinuedRun, EmbeddedGraph, PlaceInGroup, PreparedRun, Report, Setting, Workflow,
    WorkflowError,
};

/// A catalogue entry for one of the three commands. It states the differences; the implementation of
/// [`Workflow`] below is common.
pub(super) trait CommandEntry: Send + Sync {
    /// The state of its graph.
    type Run: State + DeserializeOwned;

    /// Name of the workflow, and of the state in graph files.
    const NAME: &'static str;

    /// A description in one line.
    const ABOUT: &'static str;

    /// The command.
    const COMMAND: ContextCommand;

    /// The graph file.
    const GRAPH: EmbeddedGraph;

    /// Returns the nodes and conditions that graph files with this state can name.
    fn registry() -> Registry<Self::Run, ContextServices>;

    /// Returns the settings in a state.
    fn settings(run: &Self::Run) -> &ContextSettings;

    /// Returns those fields of a state that the report shows.
    fn report_input(run: &Self::Run) -> ReportInput<'_>;

    /// Reads the arguments and prepares a new run.
    fn begin(given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError>;

    /// Reads the arguments and prepares the continuation of an existing thread; `None` unless the command
    /// continues one.
    fn go_on(_: &ArgValues, _: &Setting) -> Result<Option<ContinuedRun>, WorkflowError> {
        Ok(None)
    }

    /// Returns the report of a stored state that has the form of another command; `None` if this command has
    /// no such states.
    fn foreign_report(_: &RawValue) -> Option<Result<Report, WorkflowError>> {
        None
    }

    /// Compiles the graph with the services of a run.
    fn host(input: &ContextInput, given: &ArgValues, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        compile(Self::GRAPH, &Self::registry(), build_services(input, given, setting)?, setting)
    }
}

impl<E: CommandEntry> Workflow for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn about(&self) -> &'static str {
        E::ABOUT
    }

    fn place_in_group(&self) -> Option<PlaceInGroup> {
        Some(PlaceInGroup { group: GROUP, about: ABOUT, word: E::COMMAND.name() })
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        E::COMMAND.arguments()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(E::GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(definition.build(&E::registry())?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        E::begin(given, setting)
    }

    fn prepare_continuation(
        &self,
        given: &ArgValues,
        setting: &Setting,
    ) -> Result<Option<ContinuedRun>, WorkflowError> {
        E::go_on(given, setting)
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let run: E::Run = parse_state(stored)?;
        let input = resumed_input(E::COMMAND, E::settings(&run), given, setting)?;
        E::host(&input, given, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        compile(E::GRAPH, &E::registry(), ContextServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        format_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        match parse_state::<E::Run>(state) {
            Ok(run) => Ok(report(&E::report_input(&run))),
            Err(error) => E::foreign_report(state).unwrap_or(Err(error)),
        }
    }
}
