//! The catalogue entry `contextualize-generate`.

use super::GROUP;
use super::build::{begin_run, prepare_run};
use super::command::CommandEntry;
use crate::definition::Registry;
use crate::engine::ThreadId;
use crate::workflows::contextualize::input::{ContextCommand, ContextSettings};
use crate::workflows::contextualize::progress::ReportInput;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::contextualize::state::{ContextGeneration, ContextRun};
use crate::workflows::contextualize::{arguments, choices, nodes};
use crate::workflows::workflow::{ArgValues, EmbeddedGraph, PreparedRun, Setting, WorkflowError};

/// The graph file.
pub const GENERATE_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/contextualize-generate.yaml",
    text: include_str!("../../../../graphs/contextualize-generate.yaml"),
};

/// Name of the workflow, and of the state in graph files.
const NAME: &str = "contextualize-generate";

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

/// Returns the id of the repository's thread. The description and the changes that an agent makes to it share
/// it (CTX-33, CTX-97).
pub(super) fn thread(run: &ContextRun) -> ThreadId {
    ThreadId::from_parts(&[GROUP, &run.source_key()])
}

impl CommandEntry for ContextualizeGenerate {
    type Run = ContextGeneration;

    const NAME: &'static str = NAME;

    const ABOUT: &'static str = "Describes a repository in a context file for coding agents";

    const COMMAND: ContextCommand = ContextCommand::Generate;

    const GRAPH: EmbeddedGraph = GENERATE_GRAPH;

    fn registry() -> Registry<ContextGeneration, ContextServices> {
        generation_registry()
    }

    fn settings(run: &ContextGeneration) -> &ContextSettings {
        &run.input.settings
    }

    fn report_input(run: &ContextGeneration) -> ReportInput<'_> {
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
        let request = arguments::read_generate(given, setting)?;
        let input = arguments::read_input(Self::COMMAND, given, setting)?;
        let run = ContextGeneration::new(begin_run(&input, request.source, setting), request.summary);
        let host = Self::host(&input, given, setting)?;
        prepare_run(host, &run, thread(&run.input), input)
    }
}
