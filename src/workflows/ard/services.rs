//! What the nodes of a debate use: two models, the prompts, the folder of the run. Nothing of it is stored.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::exchange::{Coverage, DraftRequest, ReviewRequest, SummaryRequest};
use super::input::settings::Settings;
use super::offline;
use super::spec::WriteError;
use crate::llm::{
    ChatModel as _, ChatRequest, EmbeddedPrompt, Message, ModelError, Offline, PromptError, Prompts,
    Providers, SharedModel,
};
use crate::workflows::config::inside;

/// The prompts, named as their files in `prompts/ard`.
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("architect.system.md", include_str!("../../../prompts/ard/architect.system.md")),
    ("architect.user.md", include_str!("../../../prompts/ard/architect.user.md")),
    ("reviewer.system.md", include_str!("../../../prompts/ard/reviewer.system.md")),
    ("reviewer.user.md", include_str!("../../../prompts/ard/reviewer.user.md")),
    ("summarise.system.md", include_str!("../../../prompts/ard/summarise.system.md")),
    ("summarise.user.md", include_str!("../../../prompts/ard/summarise.user.md")),
];

/// The two agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// Drafts.
    Architect,
    /// Reviews.
    Reviewer,
}

impl Agent {
    /// The label of its calls in meters and traces.
    pub fn label(self) -> &'static str {
        match self {
            Self::Architect => "architect",
            Self::Reviewer => "reviewer",
        }
    }
}

/// What an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    /// A draft.
    Draft,
    /// A review.
    Review,
    /// A paragraph for earlier rounds, from the agent whose prompt they are too long for.
    Summarise(Agent),
}

impl Errand {
    /// Who is asked.
    pub(super) fn agent(self) -> Agent {
        match self {
            Self::Draft => Agent::Architect,
            Self::Review => Agent::Reviewer,
            Self::Summarise(agent) => agent,
        }
    }

    /// The name of the rule that answers it offline; also the name of its answers in the journal.
    pub(super) fn task(self) -> &'static str {
        match self {
            Self::Draft => "ard.draft",
            Self::Review => "ard.review",
            Self::Summarise(_) => "ard.summarise",
        }
    }

    /// Its prompts: standing instructions, and the request.
    fn prompts(self) -> [&'static str; 2] {
        match self {
            Self::Draft => ["architect.system.md", "architect.user.md"],
            Self::Review => ["reviewer.system.md", "reviewer.user.md"],
            Self::Summarise(_) => ["summarise.system.md", "summarise.user.md"],
        }
    }
}

/// Models and prompts of a debate.
pub struct Services {
    architect: SharedModel,
    reviewer: SharedModel,
    prompts: Prompts,
    folder: PathBuf,
    reach: Reach,
    output: Option<PathBuf>,
    settings: Option<Settings>,
}

/// The folder that the specification may not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The working folder: its path was found in a file, or is the default.
    Folder,
    /// None: the user named the path.
    Anywhere,
}

/// The rules that stand in for a model: registered with the model layer by the names of the tasks.
pub fn rules() -> Offline {
    Offline::builder()
        .rule(Errand::Draft.task(), |request: DraftRequest| Ok(offline::draft(&request)))
        .rule(Errand::Review.task(), |request: ReviewRequest| Ok(offline::review(&request)))
        .rule(Errand::Summarise(Agent::Architect).task(), |request: SummaryRequest| {
            Ok(offline::summarise(&request))
        })
        .build()
}

impl Services {
    /// Two models and the prompts; files are written where their paths say, from the current folder.
    pub fn new(architect: SharedModel, reviewer: SharedModel, prompts: Prompts) -> Self {
        let (folder, reach) = (PathBuf::new(), Reach::Anywhere);
        Self { architect, reviewer, prompts, folder, reach, output: None, settings: None }
    }

    /// The models that the settings name, each at its own provider (ARD-25).
    pub fn found(settings: &Settings, providers: Providers, prompts: Prompts) -> Result<Self, ModelError> {
        let providers = providers.offline(rules()).configured(settings.providers.clone())?;
        let architect = providers.model(&settings.architect_model)?;
        let reviewer = providers.model(&settings.reviewer_model)?;
        Ok(Self { settings: Some(settings.clone()), ..Self::new(architect, reviewer, prompts) })
    }

    /// The settings that the models were found by, unless they were given.
    pub(super) fn settings(&self) -> Option<&Settings> {
        self.settings.as_ref()
    }

    /// Says from which folder relative paths start.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Says whether the specification has to stay in that folder; it may go anywhere unless set.
    #[must_use]
    pub fn reaching(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Puts the specification elsewhere than the settings of the debate say.
    #[must_use]
    pub fn writing_to(mut self, output: Option<PathBuf>) -> Self {
        self.output = output;
        self
    }

    /// Whether rules answer for this agent.
    pub fn is_rules(&self, agent: Agent) -> bool {
        self.model(agent).name() == rules().name()
    }

    /// Returns how much of an idea this agent reads, where rules answer for it.
    pub fn read_by_rules(&self, agent: Agent, idea: &str) -> Option<Coverage> {
        self.is_rules(agent).then(|| offline::coverage(idea))
    }

    /// The model of an agent.
    pub fn model(&self, agent: Agent) -> &SharedModel {
        match agent {
            Agent::Architect => &self.architect,
            Agent::Reviewer => &self.reviewer,
        }
    }

    /// Where the specification goes, as the user named it.
    pub(super) fn output(&self, settings: &Settings) -> PathBuf {
        self.output.clone().unwrap_or_else(|| settings.output_path.clone())
    }

    /// Returns the place of a path that [`output`](Self::output) returned, from the folder of the run. Links are resolved where the
    /// path has to stay in the folder, so that no link is followed when it is written.
    pub(super) fn place(&self, path: &Path) -> Result<PathBuf, WriteError> {
        match self.reach {
            Reach::Anywhere => Ok(self.folder.join(path)),
            Reach::Folder => {
                inside(&self.folder, path).ok_or_else(|| WriteError::outside(&self.folder, path))
            }
        }
    }

    /// What is asked: both prompts rendered from the request, which rules get as it is.
    pub(super) fn request(
        &self,
        errand: Errand,
        request: &impl Serialize,
    ) -> Result<ChatRequest, PromptError> {
        let [system, user] = errand.prompts();
        let messages = vec![
            Message::system(self.prompts.render(system, request)?),
            Message::user(self.prompts.render(user, request)?),
        ];
        Ok(ChatRequest::new(errand.agent().label(), messages).task(errand.task(), request))
    }
}
