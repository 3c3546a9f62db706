//! The catalogue entry `contextualize-generate`.

use serde_json::value::RawValue;

use super::build::{begin_run, build_services, compile, parse_state, prepare_run, report, resumed_input};
use super::{ABOUT, GROUP};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::EmbeddedPrompt;
use crate::workflows::contextualize::arguments::ContextInput;
use crate::workflows::contextualize::input::ContextCommand;
use crate::workflows::contextualize::progress::{ReportInput, format_line};
use crate::workflows::contextualize::services::{ContextServices, PROMPTS};
use crate::workflows::contextualize::state::{ContextGeneration, ContextRun};
use crate::workflows::contextualize::{arguments, choices, nodes};
use crate::workflows::workflow::{
    Argument, EmbeddedGraph, Given, PlaceInGroup, Prepared, Report, Setting, Workflow, WorkflowError,
};

/// The graph file.
pub const GENERATE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-generate.yaml",
    text: include_str!("../../../../graphs/contextualize-generate.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-generate";

/// The command.
const COMMAND: ContextCommand = ContextCommand::Generate;

/// The workflow `contextualize-generate`.
pub struct ContextualizeGenerate;

/// Returns the nodes and conditions that graph files with `state: contextualize-generate` can name.
pub fn generation_registry() -> Registry<ContextGeneration, ContextServices> {
    let registry = Registry::new(NAME)
        .node("contextualize-generate.open", "opens the repository", nodes::open_generation)
        .and_then(|it| it.node("contextualize-generate.scan", "scans the structure", nodes::scan))
        .and_then(|it| {
            it.node("contextualize-generate.metadata", "reads manifests and entry points", nodes::metadata)
        })
        .and_then(|it| {
            it.node("contextualize-generate.analyse", "analyses the code: the first call", nodes::analyse)
        })
        .and_then(|it| {
            it.node("contextualize-generate.write", "writes the text: the second call", nodes::write)
        })
        .and_then(|it| {
            it.node("contextualize-generate.agent", "a model selects tools", nodes::describe_as_agent)
        })
        .and_then(|it| it.node("contextualize-generate.save", "writes the file", nodes::save_generation))
        .and_then(|it| {
            it.choice("contextualize-generate.mode", "fixed steps, or an agent", choices::generation_mode)
        });
    registry.expect("the names are different")
}

/// Returns the thread of the repository: the same for the description and for the changes that an agent makes to it (CTX-33, CTX-97).
pub(super) fn thread(run: &ContextRun) -> ThreadId {
    ThreadId::from_parts(&[GROUP, &run.source_key()])
}

/// Compiles the graph with the services of a run.
pub(super) fn host(
    input: &ContextInput,
    given: &Given,
    setting: &Setting,
) -> Result<SharedHost, WorkflowError> {
    compile(GENERATE_GRAPH, &generation_registry(), build_services(input, given, setting)?, setting)
}

impl Workflow for ContextualizeGenerate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Describes a repository in a context file for coding agents"
    }

    fn place_in_group(&self) -> Option<PlaceInGroup> {
        Some(PlaceInGroup { group: GROUP, about: ABOUT, word: COMMAND.name() })
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        COMMAND.arguments()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(GENERATE_GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(definition.build(&generation_registry())?.draft()))
    }

    fn prepare(&self, given: &Given, setting: &Setting) -> Result<Prepared, WorkflowError> {
        let request = arguments::read_generate(given, setting)?;
        let input = arguments::read_input(COMMAND, given, setting)?;
        let run = ContextGeneration::new(begin_run(&input, request.source, setting), request.summary);
        let host = host(&input, given, setting)?;
        prepare_run(host, &run, thread(&run.input), input)
    }

    fn restore(
        &self,
        given: &Given,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let run: ContextGeneration = parse_state(stored)?;
        let input = resumed_input(COMMAND, &run.input.settings, given, setting)?;
        host(&input, given, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        compile(GENERATE_GRAPH, &generation_registry(), ContextServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        format_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let run: ContextGeneration = parse_state(state)?;
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
