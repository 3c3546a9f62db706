//! The catalogue entry `contextualize-scope`.

use serde_json::value::RawValue;

use super::build::{begin_run, build_services, compile, parse_state, prepare_run, report, resumed_input};
use super::{ABOUT, GROUP};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::EmbeddedPrompt;
use crate::workflows::contextualize::input::ContextCommand;
use crate::workflows::contextualize::progress::{ReportInput, format_line};
use crate::workflows::contextualize::services::{ContextServices, PROMPTS};
use crate::workflows::contextualize::state::ContextScope;
use crate::workflows::contextualize::{arguments, choices, nodes};
use crate::workflows::workflow::{
    Argument, EmbeddedGraph, Given, PlaceInGroup, Prepared, Report, Setting, Workflow, WorkflowError,
};

/// The graph file.
pub const SCOPE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-scope.yaml",
    text: include_str!("../../../../graphs/contextualize-scope.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-scope";

/// The command.
const COMMAND: ContextCommand = ContextCommand::Scope;

/// The workflow `contextualize-scope`.
pub struct ContextualizeScope;

/// Returns the nodes and conditions that graph files with `state: contextualize-scope` can name.
pub fn scope_registry() -> Registry<ContextScope, ContextServices> {
    let registry = Registry::new(NAME)
        .node("contextualize-scope.open", "opens the repository", nodes::open_scope)
        .and_then(|it| it.node("contextualize-scope.discover", "ranks all files by rules", nodes::discover))
        .and_then(|it| {
            it.node("contextualize-scope.explore", "one round of exploration: one call", nodes::explore)
        })
        .and_then(|it| {
            it.node("contextualize-scope.synthesise", "writes the answer: one call", nodes::synthesise)
        })
        .and_then(|it| it.node("contextualize-scope.save", "writes the file", nodes::save_scope))
        .and_then(|it| it.node("contextualize-scope.agent", "a model selects tools", nodes::answer_as_agent))
        .and_then(|it| {
            it.choice(
                "contextualize-scope.discovered",
                "exploration, the text by rules, or an agent",
                choices::after_discovery,
            )
        })
        .and_then(|it| {
            it.choice(
                "contextualize-scope.explored",
                "another round, or the text",
                choices::after_exploration,
            )
        });
    registry.expect("the names are different")
}

impl Workflow for ContextualizeScope {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Answers a question about a repository in a context file, with checked places"
    }

    fn place_in_group(&self) -> Option<PlaceInGroup> {
        Some(PlaceInGroup { group: GROUP, about: ABOUT, word: COMMAND.name() })
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        COMMAND.arguments()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(SCOPE_GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(definition.build(&scope_registry())?.draft()))
    }

    fn prepare(&self, given: &Given, setting: &Setting) -> Result<Prepared, WorkflowError> {
        let request = arguments::read_scope(given, setting)?;
        let input = arguments::read_input(COMMAND, given, setting)?;
        let run = begin_run(&input, request.source, setting);
        let run = ContextScope::new(run, request.question, request.source_context);
        let thread = ThreadId::from_parts(&[GROUP, &run.input.source_key(), NAME, &run.question]);
        let host = compile(SCOPE_GRAPH, &scope_registry(), build_services(&input, given, setting)?, setting)?;
        prepare_run(host, &run, thread, input)
    }

    fn restore(
        &self,
        given: &Given,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let run: ContextScope = parse_state(stored)?;
        let input = resumed_input(COMMAND, &run.input.settings, given, setting)?;
        compile(SCOPE_GRAPH, &scope_registry(), build_services(&input, given, setting)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        compile(SCOPE_GRAPH, &scope_registry(), ContextServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        format_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let run: ContextScope = parse_state(state)?;
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
