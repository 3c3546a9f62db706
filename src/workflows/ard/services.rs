//! What the nodes of a debate use: two models and the prompts. Made once per run from the settings; nothing of it is stored.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::input::settings::Settings;
use super::offline;
use crate::engine::Cx;
use crate::llm::{
    Appetite, AskError, AskPolicy, ChatRequest, EmbeddedPrompt, Message, ModelError, Offline, PromptError,
    Prompts, Providers, Reply, Restart, SharedModel, TokenSink, ask,
};

/// The prompts, as they are in `prompts/ard`.
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("architect.system", include_str!("../../../prompts/ard/architect.system.md")),
    ("architect.user", include_str!("../../../prompts/ard/architect.user.md")),
    ("reviewer.system", include_str!("../../../prompts/ard/reviewer.system.md")),
    ("reviewer.user", include_str!("../../../prompts/ard/reviewer.user.md")),
    ("summarise.system", include_str!("../../../prompts/ard/summarise.system.md")),
    ("summarise.user", include_str!("../../../prompts/ard/summarise.user.md")),
];

/// The two agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Models and prompts of a debate.
pub struct Services {
    architect: SharedModel,
    reviewer: SharedModel,
    prompts: Prompts,
}

/// The rules that stand in for a model: registered with the model layer by the names of the tasks.
pub fn rules() -> Offline {
    Offline::builder()
        .rule("ard.draft", |request: offline::DraftRequest| Ok(offline::draft(&request)))
        .rule("ard.review", |request: offline::ReviewRequest| Ok(offline::review(&request)))
        .rule("ard.summarise", |request: super::exchange::SummaryRequest| Ok(offline::summarise(&request)))
        .build()
}

impl Services {
    /// Finds the models that the settings name.
    pub fn new(settings: &Settings, providers: Providers, prompts: Prompts) -> Result<Self, ModelError> {
        let configured =
            settings.providers.iter().map(|(name, given)| (name.clone(), given.into())).collect();
        let providers = providers.offline(rules()).configured(configured)?;
        Ok(Self {
            architect: providers.model(&settings.architect_model)?,
            reviewer: providers.model(&settings.reviewer_model)?,
            prompts,
        })
    }

    /// Whether rules answer for this agent.
    pub fn is_rules(&self, agent: Agent) -> bool {
        self.model(agent).name().provider() == super::input::settings::DEFAULT_MODEL
    }

    fn model(&self, agent: Agent) -> &SharedModel {
        match agent {
            Agent::Architect => &self.architect,
            Agent::Reviewer => &self.reviewer,
        }
    }

    /// What an agent is asked: both parts of its prompt rendered from the request, which rules get as it is.
    pub(super) fn request(
        &self,
        agent: Agent,
        task: &str,
        prompt: &str,
        request: &impl Serialize,
    ) -> Result<ChatRequest, PromptError> {
        let render = |part: &str| self.prompts.render(&format!("{prompt}.{part}"), request);
        let messages = vec![Message::system(render("system")?), Message::user(render("user")?)];
        Ok(ChatRequest::new(agent.label(), messages).task(task, request))
    }

    /// Asks an agent for a typed answer.
    pub(super) async fn ask<T: DeserializeOwned + JsonSchema>(
        &self,
        agent: Agent,
        request: ChatRequest,
        policy: AskPolicy,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
        cx: &Cx<Self>,
    ) -> Result<Reply<T>, AskError> {
        ask(self.model(agent), request, policy, check, &Words(cx)).await
    }
}

/// Passes a model's words on to whoever watches the run.
struct Words<'a>(&'a Cx<Services>);

impl TokenSink for Words<'_> {
    fn appetite(&self) -> Appetite {
        if self.0.wants_messages() { Appetite::Tokens } else { Appetite::Nothing }
    }

    fn token(&self, text: &str) {
        self.0.message(text);
    }

    fn restart(&self) -> Restart {
        Restart::Accepted
    }
}
