//! Dependencies of the nodes: the model, the prompts, the repository. Nothing here is part of a state; the repository is opened and its
//! facts are computed when a node first reads them, and again after a resume.

mod limited;
mod repository;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::OnceCell;

use super::arguments::ProcessOptions;
use super::input::ContextSettings;
use super::source::{CloneOptions, RepositorySource};
use super::state::ContextRun;
use crate::agent::around::off_the_tape;
use crate::engine::{Clock, NodeError, NodeResult};
use crate::facts::FactsCache;
use crate::llm::{
    ChatModel as _, ChatRequest, EmbeddedPrompt, Env, Message, OFFLINE_PROVIDER, Prices, Prompts,
    SharedModel, SystemEnv, Tape,
};
use crate::mcp::McpServers;
use crate::workflows::node_errors::{prompt_error, viewer_error};

pub use limited::limit_tokens;
pub use repository::OpenRepository;

/// The embedded prompts, by their file names in `prompts/contextualize` (CTX-72).
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("agent-generate.system.md", include_str!("../../../prompts/contextualize/agent-generate.system.md")),
    ("agent-generate.user.md", include_str!("../../../prompts/contextualize/agent-generate.user.md")),
    ("agent-refine.user.md", include_str!("../../../prompts/contextualize/agent-refine.user.md")),
    ("agent-scope.system.md", include_str!("../../../prompts/contextualize/agent-scope.system.md")),
    ("agent-scope.user.md", include_str!("../../../prompts/contextualize/agent-scope.user.md")),
    ("code_analysis.system.md", include_str!("../../../prompts/contextualize/code_analysis.system.md")),
    ("code_analysis.user.md", include_str!("../../../prompts/contextualize/code_analysis.user.md")),
    (
        "context_generation.system.md",
        include_str!("../../../prompts/contextualize/context_generation.system.md"),
    ),
    ("context_generation.user.md", include_str!("../../../prompts/contextualize/context_generation.user.md")),
    ("refinement.system.md", include_str!("../../../prompts/contextualize/refinement.system.md")),
    ("refinement.user.md", include_str!("../../../prompts/contextualize/refinement.user.md")),
    (
        "scope_exploration.system.md",
        include_str!("../../../prompts/contextualize/scope_exploration.system.md"),
    ),
    ("scope_exploration.user.md", include_str!("../../../prompts/contextualize/scope_exploration.user.md")),
    ("scope_generation.system.md", include_str!("../../../prompts/contextualize/scope_generation.system.md")),
    ("scope_generation.user.md", include_str!("../../../prompts/contextualize/scope_generation.user.md")),
];

/// A kind of request to a model. Each has a system prompt and a user prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextRequest {
    /// The analysis of the code: typed.
    CodeAnalysis,
    /// The text of a context file.
    ContextGeneration,
    /// The new text of a context file.
    Refinement,
    /// A round of exploration: typed.
    ScopeExploration,
    /// The text that answers a question.
    ScopeGeneration,
}

impl ContextRequest {
    /// Returns the name of the prompts. It is the label of the calls in meters and traces, and the key of the answers in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Self::CodeAnalysis => "code_analysis",
            Self::ContextGeneration => "context_generation",
            Self::Refinement => "refinement",
            Self::ScopeExploration => "scope_exploration",
            Self::ScopeGeneration => "scope_generation",
        }
    }
}

/// The services that the nodes of the three graphs get. Those of a viewer have no resources, so its nodes
/// fail.
pub struct ContextServices {
    resources: Option<Arc<ContextResources>>,
}

/// The model, prompts, folders and other resources of one run, and its repository once it is opened.
pub struct ContextResources {
    /// The model; the rules are a model too.
    pub model: SharedModel,
    /// Prices of answers that state no cost; `None` for rules and for a model on this machine.
    pub prices: Option<Prices>,
    /// The compiled prompts.
    pub prompts: Prompts,
    /// The working folder, where relative paths start.
    pub folder: PathBuf,
    /// Limits of a clone.
    pub clone_options: CloneOptions,
    /// The environment, for the program that clones.
    pub env: Arc<dyn Env>,
    /// The cache of parsed files; `None` turns it off.
    pub cache: Option<FactsCache>,
    /// Options of this process.
    pub options: ProcessOptions,
    /// File for the result that this process names, such as `resume --output`; `None` keeps that of the run.
    pub output: Option<PathBuf>,
    /// The clock of the run.
    pub clock: Clock,
    /// The tape that records everything that is read from outside.
    pub tape: Tape,
    /// Servers whose tools the agent of agent mode can use (SEC-131); `None` unless the user named some.
    pub foreign: Option<McpServers>,
    repository: OnceCell<Arc<OpenRepository>>,
}

impl ContextResources {
    /// Makes resources with a model and prompts; all others have defaults: the current folder, no cache, no
    /// tape, the clock of the system.
    pub fn new(model: SharedModel, prompts: Prompts) -> Self {
        Self {
            model,
            prices: None,
            prompts,
            folder: PathBuf::new(),
            clone_options: CloneOptions::default(),
            env: Arc::new(SystemEnv),
            cache: None,
            options: ProcessOptions::default(),
            output: None,
            clock: Clock::SYSTEM,
            tape: Tape::Off,
            foreign: None,
            repository: OnceCell::new(),
        }
    }

    /// Returns true if rules write, not a language model.
    pub fn is_rules(&self) -> bool {
        self.model.name().provider() == OFFLINE_PROVIDER
    }

    /// Returns the run with the output file that this process names (`resume --output`); unchanged if it
    /// names none.
    pub fn redirect(&self, run: &ContextRun) -> ContextRun {
        let mut run = run.clone();
        if let Some(output) = &self.output {
            run.settings.output = Some(output.clone());
        }
        run
    }

    /// Returns the repository of the run. The first call opens it: a remote one is cloned, at its commit if
    /// that is known.
    pub async fn repository(&self, place: RepositoryPlace<'_>) -> NodeResult<Arc<OpenRepository>> {
        // Boxed, because a clone's future is large and part of every future that reads.
        let open = Box::pin(async { OpenRepository::open(place, self).await.map(Arc::new) });
        self.repository.get_or_try_init(|| open).await.cloned()
    }

    /// Runs `read` on the repository, on a blocking thread, and returns its result. The tape records it under
    /// `name` and `input`, so that a replay reads no file.
    pub async fn read<T>(
        &self,
        place: RepositoryPlace<'_>,
        (name, input): (&str, Value),
        read: impl FnOnce(&OpenRepository) -> T + Send + 'static,
    ) -> NodeResult<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let reading = async {
            let repository = self.repository(place).await?;
            Ok::<_, NodeError>(tokio::task::spawn_blocking(move || read(&repository)).await?)
        };
        self.tape.effect(name, input, off_the_tape, reading).await
    }

    /// Renders the system prompt and the user prompt of a request with the variables.
    pub fn render(&self, request: ContextRequest, variables: &impl Serialize) -> NodeResult<ChatRequest> {
        let name = request.name();
        let [system, user] =
            ["system", "user"].map(|part| self.render_prompt(&format!("{name}.{part}.md"), variables));
        Ok(ChatRequest::new(name, vec![Message::system(system?), Message::user(user?)]))
    }

    /// Renders the prompt in the file `name` with the variables.
    pub fn render_prompt(&self, name: &str, variables: &impl Serialize) -> NodeResult<String> {
        self.prompts.render(name, variables).map_err(prompt_error)
    }
}

/// The location of a run's repository, with the settings for reading it.
#[derive(Clone, Copy)]
pub struct RepositoryPlace<'a> {
    /// The source.
    pub source: &'a RepositorySource,
    /// The commit, once it is known.
    pub commit: Option<&'a str>,
    /// The settings.
    pub settings: &'a ContextSettings,
}

impl ContextServices {
    /// Returns services that only allow viewing stored threads; their nodes fail.
    pub fn viewer() -> Self {
        Self { resources: None }
    }

    /// Makes the services of a run.
    pub fn new(resources: ContextResources) -> Self {
        Self { resources: Some(Arc::new(resources)) }
    }

    /// Returns the resources of the run. Fails for the services of a viewer.
    pub fn resources(&self) -> NodeResult<&Arc<ContextResources>> {
        self.resources.as_ref().ok_or_else(viewer_error)
    }
}
