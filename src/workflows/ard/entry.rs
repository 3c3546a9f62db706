//! Catalogue entry of the workflow `ard`: compiles its graph from the user's arguments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::input::Idea;
use super::input::settings::DebateSettings;
use super::services::{AgentModelError, DebateServices, PROMPTS, STDOUT, offline_model};
use super::state::{Debate, Ending};
use super::{arguments, choices, diff, nodes, progress, reopen, spec};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::{EmbeddedPrompt, ModelError, ModelErrorKind, Prompts, Providers, SharedModel};
use crate::workflows::StateDifference;
use crate::workflows::workflow::{
    Acceptance, ArgValues, Argument, EmbeddedGraph, PreparedRun, ReopenedState, Report, Setting, Workflow,
    WorkflowError,
};

/// The embedded graph file.
const GRAPH: EmbeddedGraph =
    EmbeddedGraph { file: "graphs/ard.yaml", text: include_str!("../../../graphs/ard.yaml") };

/// The workflow `ard`.
pub struct Ard;

/// Returns the nodes and choices that graph files with `state: ard` can name.
pub fn registry() -> Registry<Debate, DebateServices> {
    let registry = Registry::new("ard")
        .node("ard.architect", "drafts the design, or revises it after a review", nodes::architect)
        .and_then(|it| it.node("ard.reviewer", "challenges the draft", nodes::reviewer))
        .and_then(|it| it.node("ard.clarify", "asks the user about what is ambiguous", nodes::clarify))
        .and_then(|it| it.node("ard.write_spec", "writes the specification", nodes::write_spec))
        .and_then(|it| it.choice("ard.beginning", "a draft, or questions only", choices::beginning))
        .and_then(|it| it.choice("ard.drafted", "the next step after a draft", choices::drafted))
        .and_then(|it| it.choice("ard.verdict", "the next step after a review", choices::verdict));
    registry.expect("the names are different")
}

impl Ard {
    /// Compiles the graph file with these services.
    fn compile_host(services: DebateServices, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        Ok(Arc::new(setting.compile(GRAPH, &registry(), services)?))
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
        let idea = arguments::read_idea(given, setting)?;
        let settings = arguments::read_settings(given, setting)?;
        arguments::check_rounds(&settings)?;
        let services = build_services(&settings, setting, |error| named_model_error(error, &settings))?;
        let (services, target) = with_resolved_output(services, &settings, given, setting)?;
        if settings.output_path != Path::new(STDOUT) {
            spec::probe(&target).map_err(output_error)?;
        }
        if let Some(path) = services.json_output() {
            if path == target {
                return Err(WorkflowError::msg("`--output` and `--json-output` name the same file")
                    .with_hint("give the JSON a file of its own: --json-output spec.json"));
            }
            spec::probe(&path).map_err(output_error)?;
        }
        let thread = thread_id(&idea, &settings)?;
        let host = Self::compile_host(services, setting)?;
        let notes = arguments::note_unused_limits(&settings);
        let state = serde_json::to_value(Debate::new(idea, settings)).map_err(json_error)?;
        Ok(PreparedRun { notes, ..PreparedRun::anew(host, state, thread) })
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let settings = arguments::read_corrected_settings(parse_debate(stored)?.settings, given, setting)?;
        let services = build_services(&settings, setting, |error| missing_model_error(error.error, given))?;
        let (services, _) =
            with_resolved_output(services.with_output(given.path("output")), &settings, given, setting)?;
        Self::compile_host(services, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        let prompts = Prompts::new(PROMPTS).expect("a test compiles the prompts");
        let unused: SharedModel = Arc::new(offline_model());
        Self::compile_host(DebateServices::new(unused.clone(), unused, prompts), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        progress::format_line(event)
    }

    fn details(&self, event: &Event) -> Vec<String> {
        progress::format_details(event)
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let debate = parse_debate(state)?;
        let acceptance = match debate.ending() {
            Ending::Verified | Ending::NotJudged => Acceptance::Accepted,
            Ending::Limit | Ending::Circle | Ending::Refused | Ending::Fallback => Acceptance::NotAccepted,
        };
        let lines = progress::format_report(&debate);
        let outputs = debate.written_to.into_iter().collect();
        Ok(Report { acceptance, lines, outputs, result: None, document: debate.document })
    }

    fn compare(&self, old: &RawValue, new: &RawValue) -> Result<StateDifference, WorkflowError> {
        Ok(diff::compare_debates(&parse_debate(old)?, &parse_debate(new)?))
    }

    fn reopen(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<Option<ReopenedState>, WorkflowError> {
        reopen::reopen(&parse_debate(stored)?, given, setting)
    }
}

/// Builds the models and loads the prompts. `explain` converts the error of a model that cannot be
/// built.
fn build_services(
    settings: &DebateSettings,
    setting: &Setting,
    explain: impl FnOnce(AgentModelError) -> WorkflowError,
) -> Result<DebateServices, WorkflowError> {
    let prompts = setting.prompts("ard", PROMPTS)?;
    let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone());
    DebateServices::from_settings(settings, providers, prompts).map_err(explain)
}

/// Adds output folder, output scope and options to the services. Also returns the resolved output path,
/// and fails for a path outside the scope before any model is called.
fn with_resolved_output(
    services: DebateServices,
    settings: &DebateSettings,
    given: &ArgValues,
    setting: &Setting,
) -> Result<(DebateServices, PathBuf), WorkflowError> {
    let scope = arguments::find_output_scope(given, setting, &settings.output_path)?;
    let services = services.with_folder(&setting.folder).with_output_scope(scope).with_given(given)?;
    let target = services.resolve_output(&services.output_path(settings)).map_err(output_error)?;
    Ok((services, target))
}

fn output_error(error: spec::SpecWriteError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}

/// Derives the thread id from idea and settings, so that equal input gives the same thread. The output path, the
/// endpoints and the origin of the model names are left out, because they do not change the debate.
fn thread_id(idea: &Idea, settings: &DebateSettings) -> Result<ThreadId, WorkflowError> {
    let settings = DebateSettings {
        output_path: Path::new("").to_owned(),
        typed_models: BTreeSet::new(),
        ..settings.clone()
    };
    let settings = serde_json::to_string(&settings).map_err(json_error)?;
    Ok(ThreadId::from_parts(&["ard", idea.as_str(), &settings]))
}

/// Parses the state of a stored debate.
fn parse_debate(state: &RawValue) -> Result<Debate, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        WorkflowError::new(error, Some("the thread was not written by this version of `ard`".to_owned()))
    })
}

/// Converts the error of a model that a new debate cannot use. The message names the option or
/// configuration key that set the model (ARD-24).
fn named_model_error(error: AgentModelError, settings: &DebateSettings) -> WorkflowError {
    let AgentModelError { agent: Some(agent), error } = error else { return model_error(error.error) };
    let name = agent.label();
    let place = if settings.typed_models.contains(&agent) {
        format!("`--{name}-model`")
    } else {
        format!("`{name}_model` of the configuration")
    };
    let hint = error.hint();
    let message = WorkflowError::msg(format!("{place}: {error}"));
    match hint {
        Some(hint) => message.with_hint(hint),
        None => message,
    }
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}

/// Converts the error of a model that a resume cannot build. The stored settings have names of models but no
/// endpoints, so the hint names the file that has to define them.
fn missing_model_error(error: ModelError, given: &ArgValues) -> WorkflowError {
    let ModelErrorKind::UnknownProvider { provider, .. } = &*error.kind else { return model_error(error) };
    let hint = match given.path("config") {
        None => format!("the debate began with a configuration that has `{provider}`: add `--config FILE`"),
        Some(file) => format!("the debate needs `{provider}`: add it to `providers:` in {}", file.display()),
    };
    WorkflowError::new(error, Some(hint))
}

fn json_error(error: serde_json::Error) -> WorkflowError {
    WorkflowError::new(error, None)
}
