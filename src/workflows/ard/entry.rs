//! The catalogue entry: from what the user typed to a graph that is ready to run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::input::Idea;
use super::input::settings::Settings;
use super::services::{PROMPTS, Services, rules};
use super::state::{Debate, DebateStatus};
use super::{choices, given, nodes, progress, spec};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::{EmbeddedPrompt, ModelError, ModelErrorKind, Prompts, Providers, SharedModel};
use crate::workflows::workflow::{
    Acceptance, Argument, EmbeddedGraph, Given, Prepared, Report, Setting, Workflow, WorkflowError,
};

/// The topology.
const GRAPH: EmbeddedGraph =
    EmbeddedGraph { file: "graphs/ard.yaml", text: include_str!("../../../graphs/ard.yaml") };

/// The workflow `ard`.
pub struct Ard;

/// What graph files with `state: ard` can name.
pub fn registry() -> Registry<Debate, Services> {
    let registry = Registry::new("ard")
        .node("ard.architect", "drafts the design, or revises it after a review", nodes::architect)
        .and_then(|it| it.node("ard.reviewer", "challenges the draft", nodes::reviewer))
        .and_then(|it| it.node("ard.clarify", "asks the user about what is ambiguous", nodes::clarify))
        .and_then(|it| it.node("ard.write_spec", "writes the specification", nodes::write_spec))
        .and_then(|it| it.choice("ard.verdict", "whether the debate goes on", choices::verdict));
    registry.expect("the names are different")
}

impl Ard {
    fn host(services: Services, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        let defective = |defects: Diagnostics| WorkflowError::new(defects, None);
        let graph = setting.definition(GRAPH)?.build(&registry()).map_err(defective)?;
        let graph = graph.compile_with(services).map_err(|defects| WorkflowError::new(defects, None))?;
        Ok(Arc::new(graph.with_store(setting.store.clone()).with_clock(setting.clock.clone())))
    }
}

impl Workflow for Ard {
    fn name(&self) -> &'static str {
        "ard"
    }

    fn about(&self) -> &'static str {
        "An architect and a reviewer argue an idea into a specification"
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        given::ARGUMENTS.to_vec()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(definition.build(&registry())?.draft()))
    }

    fn prepare(&self, given: &Given, setting: &Setting) -> Result<Prepared, WorkflowError> {
        let idea = given::idea(given, setting)?;
        let settings = given::settings(given, setting)?;
        let services = services(&settings, setting, refused)?;
        let (services, place) = placed(services, &settings, given, setting)?;
        spec::probe(&place).map_err(unwritable)?;
        let thread = thread(&idea, &settings)?;
        let host = Self::host(services, setting)?;
        let state = serde_json::to_value(Debate::new(idea, settings)).map_err(not_json)?;
        Ok(Prepared::anew(host, state, thread))
    }

    fn restore(
        &self,
        given: &Given,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let settings = given::resumed(debate(stored)?.settings, given, setting)?;
        let services = services(&settings, setting, |error| not_found_again(error, given))?;
        let (services, _) = placed(services.writing_to(given.path("output")), &settings, given, setting)?;
        Self::host(services, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        let prompts = Prompts::new(PROMPTS).expect("a test compiles the prompts");
        let nobody: SharedModel = Arc::new(rules());
        Self::host(Services::new(nobody.clone(), nobody, prompts), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        progress::line(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let debate = debate(state)?;
        let acceptance = match debate.status {
            DebateStatus::Verified => Acceptance::Accepted,
            DebateStatus::InProgress | DebateStatus::MaxIterationsReached => Acceptance::NotAccepted,
        };
        let lines = progress::report(&debate);
        Ok(Report { acceptance, lines, outputs: debate.written_to.into_iter().collect(), result: None })
    }
}

/// Models and prompts; `explain` says what a model that cannot be had means.
fn services(
    settings: &Settings,
    setting: &Setting,
    explain: impl FnOnce(ModelError) -> WorkflowError,
) -> Result<Services, WorkflowError> {
    let prompts = setting.prompts("ard", PROMPTS)?;
    let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone());
    Services::found(settings, providers, prompts).map_err(explain)
}

/// Says where the specification may go, and returns its place: a path that leads elsewhere is refused before anything is spent on a
/// debate.
fn placed(
    services: Services,
    settings: &Settings,
    given: &Given,
    setting: &Setting,
) -> Result<(Services, PathBuf), WorkflowError> {
    let reach = given::reach(given, setting, &settings.output_path)?;
    let services = services.in_folder(&setting.folder).reaching(reach);
    let place = services.place(&services.output(settings)).map_err(unwritable)?;
    Ok((services, place))
}

fn unwritable(error: spec::WriteError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}

/// The same for the same debate. Where its result goes, where its models are and who named them is no part of it.
fn thread(idea: &Idea, settings: &Settings) -> Result<ThreadId, WorkflowError> {
    let settings =
        Settings { output_path: Path::new("").to_owned(), typed_models: BTreeSet::new(), ..settings.clone() };
    let settings = serde_json::to_string(&settings).map_err(not_json)?;
    Ok(ThreadId::from_parts(&["ard", idea.as_str(), &settings]))
}

fn debate(state: &RawValue) -> Result<Debate, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        WorkflowError::new(error, Some("the thread was not written by this version of `ard`".to_owned()))
    })
}

fn refused(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}

/// A debate that goes on knows its models by name only.
fn not_found_again(error: ModelError, given: &Given) -> WorkflowError {
    let ModelErrorKind::UnknownProvider { provider, .. } = &*error.kind else { return refused(error) };
    let hint = match given.path("config") {
        None => format!("the debate began with a configuration that has `{provider}`: add `--config FILE`"),
        Some(file) => format!("the debate needs `{provider}`: add it to `providers:` in {}", file.display()),
    };
    WorkflowError::new(error, Some(hint))
}

fn not_json(error: serde_json::Error) -> WorkflowError {
    WorkflowError::new(error, None)
}
