//! Services of the nodes of a debate: two models, the prompts, the output folder and limits. None of it
//! is stored in checkpoints.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::arguments;
use super::exchange::{Coverage, DraftRequest, ReviewRequest, SummaryRequest};
use super::input::settings::DebateSettings;
use super::offline;
use super::spec::{SPEC, SpecWriteError};
use crate::llm::{
    ChatModel as _, ChatRequest, EmbeddedPrompt, Message, ModelError, Offline, PromptError, Prompts,
    Providers, SharedModel,
};
use crate::workflows::workflow::{ArgValues, WorkflowError};

pub(super) use crate::workflows::output::STDOUT;
pub use crate::workflows::output::{ExistingFile, OutputScope};

/// The embedded prompts, by their file names in `prompts/ard`.
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("architect.system.md", include_str!("../../../prompts/ard/architect.system.md")),
    ("architect.user.md", include_str!("../../../prompts/ard/architect.user.md")),
    ("judge.system.md", include_str!("../../../prompts/ard/judge.system.md")),
    ("judge.user.md", include_str!("../../../prompts/ard/judge.user.md")),
    ("purpose.system.md", include_str!("../../../prompts/ard/purpose.system.md")),
    ("purpose.user.md", include_str!("../../../prompts/ard/purpose.user.md")),
    ("reviewer.system.md", include_str!("../../../prompts/ard/reviewer.system.md")),
    ("reviewer.user.md", include_str!("../../../prompts/ard/reviewer.user.md")),
    ("summarise.system.md", include_str!("../../../prompts/ard/summarise.system.md")),
    ("summarise.user.md", include_str!("../../../prompts/ard/summarise.user.md")),
];

/// Agent of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateAgent {
    /// Writes and revises the draft.
    Architect,
    /// Reviews the draft.
    Reviewer,
}

impl DebateAgent {
    /// Returns the label of its calls in meters and traces.
    pub fn label(self) -> &'static str {
        match self {
            Self::Architect => "architect",
            Self::Reviewer => "reviewer",
        }
    }
}

/// Task of a debate for which an agent's model is asked; it selects the prompts, the rule and the
/// journal key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DebateTask {
    /// Write or revise a draft.
    Draft,
    /// Review a draft.
    Review,
    /// Write the purpose of one component.
    Purpose,
    /// Judge a specification that a person wrote.
    Judge,
    /// Condense earlier rounds into a paragraph, because they exceed the token limit of this agent's model.
    Summarise(DebateAgent),
}

impl DebateTask {
    /// Returns the agent whose model is asked.
    pub(super) fn agent(self) -> DebateAgent {
        match self {
            Self::Draft | Self::Purpose => DebateAgent::Architect,
            Self::Review | Self::Judge => DebateAgent::Reviewer,
            Self::Summarise(agent) => agent,
        }
    }

    /// Returns the name of the offline rule for this task. It is also the journal key of its answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Draft => "ard.draft",
            Self::Purpose => "ard.purpose",
            Self::Review => "ard.review",
            Self::Judge => "ard.judge",
            Self::Summarise(_) => "ard.summarise",
        }
    }

    /// Returns the file names of the system prompt and the user prompt.
    fn prompts(self) -> [&'static str; 2] {
        match self {
            Self::Draft => ["architect.system.md", "architect.user.md"],
            Self::Purpose => ["purpose.system.md", "purpose.user.md"],
            Self::Judge => ["judge.system.md", "judge.user.md"],
            Self::Review => ["reviewer.system.md", "reviewer.user.md"],
            Self::Summarise(_) => ["summarise.system.md", "summarise.user.md"],
        }
    }
}

/// Error for a model that cannot be built, or for an invalid configuration of providers.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct AgentModelError {
    /// Agent whose model failed; `None` for an error of the providers.
    pub agent: Option<DebateAgent>,
    /// The error.
    #[source]
    pub error: ModelError,
}

/// Services of the nodes of a debate: two models, prompts, output paths and limits.
pub struct DebateServices {
    architect: SharedModel,
    reviewer: SharedModel,
    prompts: Prompts,
    folder: PathBuf,
    output_scope: OutputScope,
    output: Option<PathBuf>,
    json_output: Option<PathBuf>,
    existing: ExistingFile,
    budget: UsageLimits,
    /// The models without known prices.
    unpriced: Vec<String>,
    settings: Option<DebateSettings>,
}

/// Limits of a debate's usage, from the command line. Before each request a node compares them with the
/// usage so far, and fails if one is reached.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UsageLimits {
    /// Maximum tokens of both agents; no limit unless set.
    pub tokens: Option<u64>,
    /// Maximum cost of both agents in US dollars; no limit unless set.
    pub dollars: Option<f64>,
}

/// Returns the model `offline`, which answers the tasks of a debate by rules.
pub fn offline_model() -> Offline {
    Offline::builder()
        .rule(DebateTask::Draft.name(), |request: DraftRequest| Ok(offline::draft(&request)))
        .rule(DebateTask::Review.name(), |request: ReviewRequest| Ok(offline::review(&request)))
        // One rule for both agents, because the name of the task does not depend on the agent.
        .rule(DebateTask::Summarise(DebateAgent::Architect).name(), |request: SummaryRequest| {
            Ok(offline::summarise(&request))
        })
        .build()
}

impl DebateServices {
    /// Makes services from two models and the prompts. Output paths start in the current folder and are
    /// not restricted.
    pub fn new(architect: SharedModel, reviewer: SharedModel, prompts: Prompts) -> Self {
        let (folder, output_scope) = (PathBuf::new(), OutputScope::Anywhere);
        let (output, json_output, settings) = (None, None, None);
        let (existing, budget) = (ExistingFile::default(), UsageLimits::default());
        let unpriced = Vec::new();
        Self {
            architect,
            reviewer,
            prompts,
            folder,
            output_scope,
            output,
            json_output,
            existing,
            budget,
            unpriced,
            settings,
        }
    }

    /// Builds services with the models that the settings name, each at its own provider (ARD-25). The
    /// error names the agent whose model cannot be built.
    pub fn from_settings(
        settings: &DebateSettings,
        providers: Providers,
        prompts: Prompts,
    ) -> Result<Self, AgentModelError> {
        let in_general = |error| AgentModelError { agent: None, error };
        let providers =
            providers.offline(offline_model()).configured(settings.providers.clone()).map_err(in_general)?;
        let of_agent = |agent: DebateAgent| {
            providers
                .model(settings.model(agent))
                .map_err(|error| AgentModelError { agent: Some(agent), error })
        };
        let architect = of_agent(DebateAgent::Architect)?;
        let reviewer = of_agent(DebateAgent::Reviewer)?;
        let is_unpriced = |model: &SharedModel| {
            model.name() != offline_model().name() && providers.prices(model.name()).is_none()
        };
        let unpriced = [&architect, &reviewer].into_iter().filter(|model| is_unpriced(model));
        let unpriced = unpriced.map(|model| model.name().to_string()).collect();
        Ok(Self { unpriced, settings: Some(settings.clone()), ..Self::new(architect, reviewer, prompts) })
    }

    /// Returns the settings that the models were built from; `None` after [`new`](Self::new).
    pub(super) fn settings(&self) -> Option<&DebateSettings> {
        self.settings.as_ref()
    }

    /// Sets the folder where relative output paths start.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Sets the restriction on the output path; [`OutputScope::Anywhere`] unless set.
    #[must_use]
    pub fn with_output_scope(mut self, output_scope: OutputScope) -> Self {
        self.output_scope = output_scope;
        self
    }

    /// Overrides the output path of the settings.
    #[must_use]
    pub fn with_output(mut self, output: Option<PathBuf>) -> Self {
        self.output = output;
        self
    }

    /// Reads the options that no checkpoint stores: `--json-output`, `--force`, `--max-tokens` and
    /// `--max-cost`. Fails for `--max-cost` if the prices of a model are not known.
    pub(super) fn with_given(mut self, given: &ArgValues) -> Result<Self, WorkflowError> {
        self.json_output = given.path("json-output");
        if given.is_given("force") {
            self.existing = ExistingFile::Overwritten;
        }
        self.budget = arguments::read_budget(given)?;
        if let (Some(_), Some(model)) = (self.budget.dollars, self.unpriced.first()) {
            return Err(WorkflowError::msg(format!(
                "the prices of {model} are not known, so --max-cost cannot hold"
            ))
            .with_hint(
                "give them under `prices` of the provider in the configuration, or use --max-tokens",
            ));
        }
        Ok(self)
    }

    /// Returns the path of the JSON file, if one was asked for.
    pub(super) fn json_output(&self) -> Option<PathBuf> {
        self.json_output.as_ref().map(|path| self.folder.join(path))
    }

    /// Returns the rule for a foreign file at the output path: copy it first (the default), or
    /// overwrite it (`--force`).
    pub(super) fn existing(&self) -> ExistingFile {
        self.existing
    }

    /// Returns the limits of usage.
    pub(super) fn budget(&self) -> UsageLimits {
        self.budget
    }

    /// Returns true if rules answer for this agent.
    pub fn is_offline(&self, agent: DebateAgent) -> bool {
        self.model(agent).name() == offline_model().name()
    }

    /// Returns the number of bytes of an idea that the rules read, if rules answer for this agent; else
    /// `None`.
    pub fn offline_coverage(&self, agent: DebateAgent, idea: &str) -> Option<Coverage> {
        self.is_offline(agent).then(|| offline::coverage(idea))
    }

    /// Returns the model of an agent.
    pub fn model(&self, agent: DebateAgent) -> &SharedModel {
        match agent {
            DebateAgent::Architect => &self.architect,
            DebateAgent::Reviewer => &self.reviewer,
        }
    }

    /// Returns the embedded system prompts of the architect as templates. The gates compare purposes
    /// with them.
    pub(super) fn architect_prompts() -> &'static str {
        concat!(
            include_str!("../../../prompts/ard/architect.system.md"),
            include_str!("../../../prompts/ard/purpose.system.md"),
        )
    }

    /// Returns the path of the specification, as the user named it.
    pub(super) fn output_path(&self, settings: &DebateSettings) -> PathBuf {
        self.output.clone().unwrap_or_else(|| settings.output_path.clone())
    }

    /// Resolves a path that [`output_path`](Self::output_path) returned against the output folder.
    /// Fails if the path leaves a restricted folder; there, symbolic links are resolved too, so that
    /// the write follows none.
    pub(super) fn resolve_output(&self, path: &Path) -> Result<PathBuf, SpecWriteError> {
        SPEC.resolve(&self.folder, path, self.output_scope)
    }

    /// Renders the system and user prompts of a task. `request` has their values; it is also attached
    /// to the result, because offline rules read it instead of the prompts.
    pub(super) fn build_request(
        &self,
        task: DebateTask,
        request: &impl Serialize,
    ) -> Result<ChatRequest, PromptError> {
        let [system, user] = task.prompts();
        let messages = vec![
            Message::system(self.prompts.render(system, request)?),
            Message::user(self.prompts.render(user, request)?),
        ];
        Ok(ChatRequest::new(task.agent().label(), messages).task(task.name(), request))
    }
}
