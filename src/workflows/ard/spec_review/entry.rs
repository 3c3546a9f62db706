//! Catalogue entry of the workflow `ard-review`: compiles its graph from the user's arguments.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use stategraph_base::regular::read_text;

use super::state::SpecReview;
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{Event, SharedHost, ThreadId, Topology};
use crate::llm::{EmbeddedPrompt, Prompts, Providers, SharedModel};
use crate::workflows::ard::input::settings::DebateSettings;
use crate::workflows::ard::input::{Idea, MAX_IDEA_BYTES};
use crate::workflows::ard::services::{DebateAgent, DebateServices, PROMPTS, offline_model};
use crate::workflows::ard::{arguments, nodes, spec_review};
use crate::workflows::config::{ConfigFile, is_of_providers};
use crate::workflows::workflow::{
    Acceptance, ArgValues, Argument, ArgumentKind, EmbeddedGraph, PreparedRun, Report, Setting, Workflow,
    WorkflowError,
};

/// The embedded graph file.
const GRAPH: EmbeddedGraph = EmbeddedGraph {
    file: "graphs/ard-review.yaml",
    text: include_str!("../../../../graphs/ard-review.yaml"),
};

/// Name of the workflow, as in `graph run ard-review`.
const NAME: &str = "ard-review";

const ARGUMENTS: [Argument<'static>; 5] = [
    Argument {
        name: "specification",
        kind: ArgumentKind::Positional("FILE"),
        about: "Specification to judge, as Markdown or plain text",
    },
    Argument {
        name: "idea",
        kind: ArgumentKind::Option("TEXT"),
        about: "Hold the specification against this idea",
    },
    Argument {
        name: "idea-file",
        kind: ArgumentKind::Option("FILE"),
        about: "Hold the specification against the idea in this file; `-` is standard input",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Configuration file with the model and its provider [default: ./config.yaml if it exists]",
    },
    Argument {
        name: "reviewer-model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Model that reads the specification: provider/model, gemini-…, claude-…, gpt-…, or offline",
    },
];

/// The workflow `ard-review`.
pub struct ArdReview;

/// Returns the node that graph files with `state: ard-review` can name.
pub fn registry() -> Registry<SpecReview, DebateServices> {
    let about = "checks a specification by rules and asks the model";
    Registry::new(NAME).node("ard-review.judge", about, nodes::judge).expect("there is only one name")
}

impl ArdReview {
    fn compile_host(services: DebateServices, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        Ok(Arc::new(setting.compile(GRAPH, &registry(), services)?))
    }
}

impl Workflow for ArdReview {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "A reviewer judges a specification that a person wrote"
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        ARGUMENTS.to_vec()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        Some(GRAPH)
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        // They are among those of `ard`.
        &[]
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(definition.build(&registry())?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let (file, text) = read_specification(given, setting)?;
        let idea = arguments::read_optional_idea(given, setting)?;
        let settings = read_settings(given, setting)?;
        let services = build_services(&settings, setting)?;
        let host = Self::compile_host(services, setting)?;
        let idea_text = idea.as_ref().map(Idea::as_str).unwrap_or_default();
        let thread =
            ThreadId::from_parts(&[NAME, &file, &text, idea_text, settings.model(DebateAgent::Reviewer)]);
        let state = SpecReview::new(file, text, idea, settings);
        let state = serde_json::to_value(state).map_err(|error| WorkflowError::new(error, None))?;
        Ok(PreparedRun::anew(host, state, thread))
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let settings = arguments::read_corrected_settings(parse(stored)?.settings, given, setting)?;
        Self::compile_host(build_services(&settings, setting)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        let prompts = Prompts::new(PROMPTS).expect("a test compiles the prompts");
        let unused: SharedModel = Arc::new(offline_model());
        Self::compile_host(DebateServices::new(unused.clone(), unused, prompts), setting)
    }

    fn line(&self, _: &Event) -> Option<String> {
        None
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let state = parse(state)?;
        let is_open = state.review.as_ref().is_none_or(|review| !review.challenges.is_empty());
        let acceptance = if is_open { Acceptance::NotAccepted } else { Acceptance::Accepted };
        let document = state.review.is_some().then(|| spec_review::render(&state));
        Ok(Report { acceptance, lines: Vec::new(), outputs: Vec::new(), result: None, document })
    }
}

/// Reads the specification file. Returns its path as typed, and its text. Fails for an empty file.
fn read_specification(given: &ArgValues, setting: &Setting) -> Result<(String, String), WorkflowError> {
    let path = given.path("specification").ok_or_else(|| {
        WorkflowError::msg("no specification was named").with_hint("name the file: `ard review spec.md`")
    })?;
    let name = path.display().to_string();
    let text = read_text(&setting.folder.join(&path), MAX_IDEA_BYTES).map_err(|error| {
        WorkflowError::msg(format!("cannot read the specification {name}: {error}"))
            .with_hint("name a text file of at most 1 MiB in UTF-8")
    })?;
    if text.trim().is_empty() {
        return Err(WorkflowError::msg(format!("the specification {name} is empty"))
            .with_hint("name the file that has the text; `ard run --idea …` writes one"));
    }
    Ok((name, text))
}

/// Reads the settings of a debate, of which a review uses only the reviewer's model, its provider and
/// limits.
fn read_settings(given: &ArgValues, setting: &Setting) -> Result<DebateSettings, WorkflowError> {
    let overrides = arguments::parse_overrides(given)?;
    let settings = match ConfigFile::open(given, setting)? {
        Some(file) => {
            file.read(setting, is_of_providers, |text, path| DebateSettings::parse(text, path, overrides))?
        }
        None => DebateSettings::without_file(overrides),
    };
    // The architect is not asked, so that its model needs no provider and no key.
    let architect_model = settings.reviewer_model.clone();
    Ok(DebateSettings { architect_model, output_path: Path::new("").to_owned(), ..settings })
}

fn build_services(settings: &DebateSettings, setting: &Setting) -> Result<DebateServices, WorkflowError> {
    let prompts = setting.prompts("ard", PROMPTS)?;
    let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone());
    DebateServices::from_settings(settings, providers, prompts).map_err(|error| {
        let hint = error.error.hint();
        WorkflowError::new(error.error, hint)
    })
}

fn parse(state: &RawValue) -> Result<SpecReview, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        WorkflowError::new(error, Some("the thread was not written by this version of `ard`".to_owned()))
    })
}
