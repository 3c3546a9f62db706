//! The catalogue entry of the workflow `sections`: from command line arguments to compiled graphs.

mod build;

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::input::{DEFAULT_MODEL, SectionsProfile, SectionsSettings, SectionsTask};
use super::services::{PROMPTS, SectionsServices};
use super::state::{SectionRun, SectionTask, SectionsRun};
use super::{arguments, choices, nodes, progress};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{CompiledGraph, Durability, Event, SharedHost, Subgraph, ThreadId, Topology};
use crate::llm::EmbeddedPrompt;
use crate::readme::evaluate::check_output_folder;
use crate::workflows::timestamp::Timestamp;
use crate::workflows::tool_servers::list_notes;
use crate::workflows::workflow::{
    ArgValues, Argument, EmbeddedGraph, PreparedRun, Report, Setting, Workflow, WorkflowError,
};
use build::{build_host, build_services, is_missing_key};

pub use build::{section_graph, sections_graph};

/// The graph file of a run: a document, or a batch of packages.
pub const SECTIONS_GRAPH: EmbeddedGraph =
    EmbeddedGraph { file: "graphs/sections.yaml", text: include_str!("../../../graphs/sections.yaml") };

/// The graph file of the loop that writes one section.
pub const SECTION_GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/sections-section.yaml",
    text: include_str!("../../../graphs/sections-section.yaml"),
};

/// Name of the workflow, as in `graph run sections`.
const NAME: &str = "sections";

/// The workflow `sections`, as the command line lists and runs it.
pub struct Sections;

/// Returns the registry of nodes and choices for graph files with `state: sections-section`.
pub fn section_registry() -> Registry<SectionRun, SectionsServices> {
    let registry = Registry::new("sections-section")
        .node("sections-section.generate", "writes a version", nodes::generate)
        .and_then(|it| {
            it.node("sections-section.criticise", "judges style, voice and quality", nodes::criticise_section)
        })
        .and_then(|it| {
            it.node("sections-section.check_urls", "fetches the pages behind links", nodes::check_urls)
        })
        .and_then(|it| it.node("sections-section.check", "runs the static validators", nodes::check_section))
        .and_then(|it| {
            it.node(
                "sections-section.check_by_model",
                "runs the validators of a model",
                nodes::check_by_model,
            )
        })
        .and_then(|it| it.node("sections-section.decide", "keeps the version", nodes::decide))
        .and_then(|it| it.choice("sections-section.generated", "the first judge", choices::after_generation))
        .and_then(|it| it.choice("sections-section.judged", "approved or rejected", choices::after_critic))
        .and_then(|it| {
            it.choice(
                "sections-section.checked",
                "the validators of a model, or the end",
                choices::after_validators,
            )
        })
        .and_then(|it| {
            it.choice("sections-section.decided", "another iteration, or the end", choices::after_decision)
        });
    registry.expect("the names are different")
}

/// Returns the registry of nodes, choices and lists for graph files with `state: sections`. The node
/// `sections.section` runs the graph `section` for each item.
pub fn sections_registry(
    section: &CompiledGraph<SectionRun, SectionsServices>,
) -> Registry<SectionsRun, SectionsServices> {
    let each = Subgraph::for_items(
        section,
        |run: &SectionsRun, task: &SectionTask| run.section(task),
        SectionsRun::section_update,
    );
    let registry = Registry::new(NAME)
        .node("sections.open", "reads the package", nodes::open)
        .and_then(|it| it.node("sections.plan", "names the sections to write", nodes::plan))
        .and_then(|it| it.node("sections.section", "writes one section", each))
        .and_then(|it| it.node("sections.combine", "makes one document of the sections", nodes::combine))
        .and_then(|it| it.node("sections.fix", "repairs the document", nodes::fix))
        .and_then(|it| it.node("sections.check", "validates the document", nodes::check_document))
        .and_then(|it| it.node("sections.review", "asks whether the document is accepted", nodes::review))
        .and_then(|it| it.node("sections.save", "writes the document", nodes::save))
        .and_then(|it| it.node("sections.criticise", "the critic alone", nodes::criticise_document))
        .and_then(|it| it.node("sections.measure", "measures the document", nodes::measure))
        .and_then(|it| it.node("sections.batch", "lists the packages of a batch", nodes::batch))
        .and_then(|it| it.node("sections.package", "evaluates one package", nodes::package))
        .and_then(|it| it.node("sections.summarise", "writes the summary of a batch", nodes::summarise))
        .and_then(|it| it.choice("sections.first_step", "the step after reading", choices::first_step))
        .and_then(|it| it.choice("sections.after_check", "the step after the check", choices::after_check))
        .and_then(|it| {
            it.choice("sections.after_review", "the step after the question", choices::after_review)
        })
        .and_then(|it| it.list("sections.planned", "the sections to write", choices::planned_sections))
        .and_then(|it| it.list("sections.packages", "the packages of a batch", choices::batch_places));
    registry.expect("the names are different")
}

impl Workflow for Sections {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Writes the README of an integration package section by section, with critic and validators"
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        arguments::ARGUMENTS.to_vec()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(SECTIONS_GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        let section = build::compile_section(SectionsServices::viewer());
        Ok(definition.build(&sections_registry(&section))?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let settings = arguments::read_settings(given, setting)?;
        let typed = given.path("package").unwrap_or_else(|| default_path(settings.profile));
        let path = existing_path(&setting.folder.join(typed), &settings)?;
        check_output(&setting.folder, &settings, &path)?;
        let started = Timestamp::from_ms(setting.taped_clock().now_ms());
        let mut run = SectionsRun::new(settings, path, started);
        let services = match build_services(&run, given, setting) {
            Err(error) if is_missing_key(&error) => {
                let note = format!("{error}: nothing was asked and nothing was written");
                (run.settings.task, run.settings.model) = (SectionsTask::ByHand, DEFAULT_MODEL.to_owned());
                run.notes.push(note);
                build_services(&run, given, setting)?
            }
            services => services?,
        };
        let host = build_host(services, setting)?;
        let thread = thread_id(&run);
        let durability = if run.settings.is_offline() { Durability::ASYNC } else { Durability::default() };
        let unused = run.settings.is_offline().then_some("rules write, and they call no tools");
        let notes = list_notes(given, setting, unused);
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
        run.settings = arguments::correct_settings(run.settings, given)?;
        build_host(build_services(&run, given, setting)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        build_host(SectionsServices::viewer(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        progress::format_line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        Ok(progress::report(&parse_state(state)?))
    }
}

fn default_path(profile: SectionsProfile) -> PathBuf {
    match profile {
        SectionsProfile::Package => ".".into(),
        SectionsProfile::Readme => "README.md".into(),
    }
}

/// Returns the absolute path of the package, which must be a folder, or of the README, which must be a
/// file. For a batch the path is returned unchecked, because it is not used.
fn existing_path(path: &Path, settings: &SectionsSettings) -> Result<PathBuf, WorkflowError> {
    if matches!(settings.task, SectionsTask::Batch(_)) {
        return Ok(path.to_owned());
    }
    let found = path.canonicalize().map_err(|error| {
        WorkflowError::msg(format!("cannot open {}: {error}", path.display())).with_hint(
            match settings.profile {
                SectionsProfile::Package => "name the folder of a package: graph run sections packages/nginx",
                SectionsProfile::Readme => "name the README: graph run sections README.md --profile readme",
            },
        )
    })?;
    match settings.profile {
        SectionsProfile::Package if !found.is_dir() => {
            Err(WorkflowError::msg(format!("{} is no folder", path.display())).with_hint(
                "name the folder of a package; for the README of a project add `--profile readme`",
            ))
        }
        SectionsProfile::Readme if !found.is_file() => {
            Err(WorkflowError::msg(format!("{} is no file", path.display()))
                .with_hint("name the README: graph run sections README.md --profile readme"))
        }
        _ => Ok(found),
    }
}

/// Returns an error if the results of an evaluation would be written into a package. Checked before the
/// run, so that nothing is paid for in vain.
fn check_output(folder: &Path, settings: &SectionsSettings, package: &Path) -> Result<(), WorkflowError> {
    let packages = match &settings.task {
        SectionsTask::Evaluate => vec![package.to_owned()],
        SectionsTask::Batch(packages) => packages.iter().map(|package| folder.join(package)).collect(),
        _ => return Ok(()),
    };
    let output = folder.join(&settings.output_dir);
    check_output_folder(&output, packages.iter().map(PathBuf::as_path)).map_err(|error| {
        let hint = format!("{}: --output-dir DIR", error.hint());
        WorkflowError::new(error, Some(hint))
    })
}

/// Returns the id of the thread, computed from package, document and task, so that the same input continues
/// the same thread.
fn thread_id(run: &SectionsRun) -> ThreadId {
    let task = serde_json::to_string(&run.settings.task).unwrap_or_default();
    let (package, document) = (run.package.to_string_lossy(), run.settings.doc_file.as_str());
    ThreadId::from_parts(&[NAME, &package, document, &task])
}

fn parse_state(state: &RawValue) -> Result<SectionsRun, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        let hint = format!("the thread was not written by this version of `{NAME}`");
        WorkflowError::new(error, Some(hint))
    })
}
