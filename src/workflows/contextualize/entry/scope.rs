//! The catalogue entry `contextualize-scope`.

use super::GROUP;
use super::build::{begin_run, prepare_run};
use super::command::CommandEntry;
use crate::definition::Registry;
use crate::engine::ThreadId;
use crate::workflows::contextualize::input::{ContextCommand, ContextSettings};
use crate::workflows::contextualize::progress::ReportInput;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::contextualize::state::ContextScope;
use crate::workflows::contextualize::{arguments, choices, nodes};
use crate::workflows::workflow::{ArgValues, EmbeddedGraph, PreparedRun, Setting, WorkflowError};

/// The graph file.
pub const SCOPE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-scope.yaml",
    text: include_str!("../../../../graphs/contextualize-scope.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-scope";

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

impl CommandEntry for ContextualizeScope {
    type Run = ContextScope;

    const NAME: &'static str = NAME;

    const ABOUT: &'static str =
        "Answers a question about a repository in a context file, with checked places";

    const COMMAND: ContextCommand = ContextCommand::Scope;

    const GRAPH: EmbeddedGraph = SCOPE_GRAPH;

    fn registry() -> Registry<ContextScope, ContextServices> {
        scope_registry()
    }

    fn settings(run: &ContextScope) -> &ContextSettings {
        &run.input.settings
    }

    fn report_input(run: &ContextScope) -> ReportInput<'_> {
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
        let request = arguments::read_scope(given, setting)?;
        let input = arguments::read_input(Self::COMMAND, given, setting)?;
        let run = begin_run(&input, request.source, setting);
        let run = ContextScope::new(run, request.question, request.source_context);
        let thread = ThreadId::from_parts(&[GROUP, &run.input.source_key(), NAME, &run.question]);
        let host = Self::host(&input, given, setting)?;
        prepare_run(host, &run, thread, input)
    }
}
