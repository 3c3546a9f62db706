//! The catalogue entry: from arguments and a config file to a graph that is ready to run.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::input::settings::{Overrides, Settings};
use super::input::{Idea, IdeaError};
use super::services::{PROMPTS, Services};
use super::state::{Debate, DebateStatus};
use super::{choices, nodes, progress};
use crate::definition::{Definition, Diagnostics, Registry};
use crate::engine::{CompiledGraph, Event, SharedHost, ThreadId, Topology};
use crate::llm::{EmbeddedPrompt, Prompts, Providers};
use crate::workflows::workflow::{
    Acceptance, Argument, ArgumentKind, EmbeddedGraph, Given, Prepared, Report, Setting, Workflow,
    WorkflowError,
};

/// The config file that is read when none is named.
pub const CONFIG_FILE: &str = "config.yaml";

const ARGUMENTS: &[Argument] = &[
    Argument { name: "idea", kind: ArgumentKind::Option("TEXT"), about: "The idea" },
    Argument { name: "idea-file", kind: ArgumentKind::Option("FILE"), about: "Read the idea from a file" },
    Argument {
        name: "stdin",
        kind: ArgumentKind::Positional("-"),
        about: "Read the idea from standard input",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Models, limits and output [default: ./config.yaml when there]",
    },
    Argument {
        name: "architect-model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Who drafts: provider/model, gemini-…, claude-…, gpt-…, or offline",
    },
    Argument { name: "reviewer-model", kind: ArgumentKind::Option("MODEL"), about: "Who reviews, likewise" },
    Argument {
        name: "max-iterations",
        kind: ArgumentKind::Option("N"),
        about: "Revisions after the first draft",
    },
    Argument { name: "output", kind: ArgumentKind::Option("FILE"), about: "Where the specification goes" },
];

/// The workflow `ard`.
pub struct Ard;

/// What graph files with `state: ard` can name.
pub fn registry() -> Registry<Debate, Services> {
    let registry = Registry::new("ard")
        .node("ard.architect", "drafts the design, or revises it after a review", nodes::architect)
        .and_then(|it| it.node("ard.reviewer", "challenges the draft", nodes::reviewer))
        .and_then(|it| it.node("ard.write_spec", "writes the specification", nodes::write_spec))
        .and_then(|it| it.choice("ard.verdict", "whether the debate goes on", choices::verdict));
    registry.expect("the names are different")
}

impl Ard {
    fn definition(&self, setting: &Setting) -> Result<Definition, WorkflowError> {
        let EmbeddedGraph { file, text } = self.graph_file();
        let overriding =
            setting.overrides.as_ref().map(|folder| folder.join(file)).filter(|path| path.exists());
        let parsed = match overriding {
            None => Definition::parse(text, file),
            Some(path) => Definition::read(&path),
        };
        parsed.map_err(|defects| WorkflowError::new(defects, None))
    }

    fn graph(
        &self,
        services: Services,
        setting: &Setting,
    ) -> Result<CompiledGraph<Debate, Services>, WorkflowError> {
        let built = self.definition(setting)?.build(&registry());
        let graph = built.map_err(|defects| WorkflowError::new(defects, None))?;
        let compiled = graph.compile_with(services).map_err(|defects| WorkflowError::new(defects, None))?;
        Ok(compiled.with_store(setting.store.clone()).with_clock(setting.clock.clone()))
    }

    fn services(&self, settings: &Settings, setting: &Setting) -> Result<Services, WorkflowError> {
        let folder =
            setting.overrides.as_ref().map(|folder| folder.join("prompts/ard")).filter(|it| it.is_dir());
        let prompts = match folder {
            None => Prompts::new(PROMPTS),
            Some(folder) => Prompts::overridden(PROMPTS, &folder),
        };
        let prompts = prompts.map_err(|error| {
            let hint = error.hint();
            WorkflowError::new(error, hint)
        })?;
        let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone());
        Services::new(settings, providers, prompts).map_err(|error| {
            let hint = error.hint();
            WorkflowError::new(error, hint)
        })
    }
}

impl Workflow for Ard {
    fn name(&self) -> &'static str {
        "ard"
    }

    fn about(&self) -> &'static str {
        "An architect and a reviewer argue an idea into a specification"
    }

    fn arguments(&self) -> &'static [Argument] {
        ARGUMENTS
    }

    fn graph_file(&self) -> EmbeddedGraph {
        EmbeddedGraph { file: "graphs/ard.yaml", text: include_str!("../../../graphs/ard.yaml") }
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        PROMPTS
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(definition.build(&registry())?.draft()))
    }

    fn prepare(&self, given: &Given, setting: &Setting) -> Result<Prepared, WorkflowError> {
        let idea = idea(given)?;
        let mut settings = settings(given, setting)?;
        settings.output_path = setting.folder.join(&settings.output_path);
        let services = self.services(&settings, setting)?;
        let thread = ThreadId::derived(&[
            "ard",
            idea.as_str(),
            &settings.architect_model,
            &settings.reviewer_model,
            &settings.max_iterations.to_string(),
        ]);
        let host: SharedHost = Arc::new(self.graph(services, setting)?);
        let state = serde_json::to_value(Debate::new(idea, settings))
            .map_err(|error| WorkflowError::new(error, None))?;
        Ok(Prepared { host, state, thread })
    }

    fn restore(
        &self,
        given: &Given,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        let mut settings = debate(stored)?.settings;
        // Where models are is not part of a debate: the file says it anew.
        settings.providers = match config(given, setting) {
            Some(path) => read(&path, Overrides::default())?.providers,
            None => settings.providers,
        };
        Ok(Arc::new(self.graph(self.services(&settings, setting)?, setting)?))
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        let offline = Settings::without_file(Overrides::default());
        Ok(Arc::new(self.graph(self.services(&offline, setting)?, setting)?))
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
        Ok(Report { acceptance, lines: progress::report(&debate) })
    }
}

fn debate(state: &RawValue) -> Result<Debate, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        WorkflowError::new(error, Some("the thread was not written by this version of `ard`".to_owned()))
    })
}

fn idea(given: &Given) -> Result<Idea, WorkflowError> {
    let refused = |error: IdeaError| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint))
    };
    match (given.text("idea")?, given.path("idea-file"), given.raw("stdin")) {
        (Some(text), None, None) => Idea::parse(text).map_err(refused),
        (None, Some(path), None) => Idea::read(path).map_err(refused),
        (None, None, Some(dash)) if dash == "-" => match given.stdin() {
            Some(stdin) => Idea::from_reader(stdin).map_err(refused),
            None => Err(refused(IdeaError::Empty)),
        },
        (None, None, Some(other)) => {
            Err(WorkflowError::msg(format!("unexpected argument `{}`", other.to_string_lossy()))
                .with_hint("put the idea in quotes after `--idea`, or `-` to read it from standard input"))
        }
        (None, None, None) => Err(WorkflowError::msg("there is no idea to debate").with_hint(
            "say it with `--idea \"A tool that …\"`, `--idea-file FILE`, or `-` for standard input",
        )),
        _ => Err(WorkflowError::msg("the idea is given more than once")
            .with_hint("use one of `--idea`, `--idea-file` and `-`")),
    }
}

fn settings(given: &Given, setting: &Setting) -> Result<Settings, WorkflowError> {
    let overrides = Overrides {
        architect_model: given.text("architect-model")?.map(str::to_owned),
        reviewer_model: given.text("reviewer-model")?.map(str::to_owned),
        max_iterations: given.number("max-iterations")?,
        output_path: given.path("output"),
    };
    match config(given, setting) {
        Some(path) => read(&path, overrides),
        None => Ok(Settings::without_file(overrides)),
    }
}

/// The config file that counts: the named one, else the one in the folder when there.
fn config(given: &Given, setting: &Setting) -> Option<std::path::PathBuf> {
    let found = || Some(setting.folder.join(CONFIG_FILE)).filter(|path| path.exists());
    given.path("config").map(|path| setting.folder.join(path)).or_else(found)
}

fn read(path: &Path, overrides: Overrides) -> Result<Settings, WorkflowError> {
    Settings::read(path, overrides).map_err(|error| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint))
    })
}
