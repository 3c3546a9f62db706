//! The context of an agent's tools: the resources of the run, its repository and task, and the ledger of the results of calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stategraph_code_tools::add_hint;

use super::effect::ConversationLedger;
use crate::agent::{Spent, ToolOutput};
use crate::engine::{NodeError, NodeResult};
use crate::llm::{ChatAnswer, ChatModel as _, ChatRequest, NoTokens};
use crate::workflows::contextualize::nodes::budget::RunBudget;
use crate::workflows::contextualize::nodes::material::place;
use crate::workflows::contextualize::nodes::scan::project_of;
use crate::workflows::contextualize::services::{ContextResources, OpenRepository, RepositoryPlace};
use crate::workflows::contextualize::state::{ContextProject, ContextRun, RefinedFile, RepositoryIdentity};

/// A value, or the output with which the tool ends because it was refused or failed.
pub(super) type OrOutput<T> = Result<T, Box<ToolOutput>>;

/// The task of an agent's conversation.
pub(super) enum AgentTask {
    /// A description of the repository.
    Describe {
        summary: Option<String>,
        /// The file to change; `None` for a new description.
        refined: Option<RefinedFile>,
    },
    /// The answer to a question.
    Answer { question: String },
}

/// The data that all tools of one conversation share: resources, settings, repository, task and ledger.
pub(super) struct AgentContext {
    pub(super) resources: Arc<ContextResources>,
    pub(super) run: ContextRun,
    pub(super) repository: RepositoryIdentity,
    pub(super) task: AgentTask,
    ledger: Mutex<ConversationLedger>,
}

impl AgentContext {
    pub(super) fn new(
        resources: Arc<ContextResources>,
        run: ContextRun,
        repository: RepositoryIdentity,
        task: AgentTask,
    ) -> Arc<Self> {
        Arc::new(Self { resources, run, repository, task, ledger: Mutex::default() })
    }

    /// Locks and returns the ledger. The guard must not be held across an await.
    pub(super) fn ledger(&self) -> MutexGuard<'_, ConversationLedger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn place(&self) -> RepositoryPlace<'_> {
        place(&self.run, Some(&self.repository))
    }

    /// Returns the user's own description of the repository; `None` without one, and for a question.
    pub(super) fn summary(&self) -> Option<&str> {
        match &self.task {
            AgentTask::Describe { summary, .. } => summary.as_deref(),
            AgentTask::Answer { .. } => None,
        }
    }

    /// Runs `read` on the repository, on a blocking thread, and returns its result. A replay returns the
    /// recorded result instead; `name` and `input` identify the record.
    pub(super) async fn read<T>(
        &self,
        name: &str,
        input: Value,
        read: impl FnOnce(&OpenRepository) -> T + Send + 'static,
    ) -> NodeResult<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        self.resources.read(self.place(), (name, input), read).await
    }

    /// Reads the metadata of the repository: name, dependencies, entry points, README.
    pub(super) async fn project(&self) -> NodeResult<ContextProject> {
        let identity = self.repository.clone();
        self.read("metadata", Value::Null, move |repository| project_of(repository, &identity)).await
    }

    /// Returns the maximum of characters from the repository in a request that may use `percent` of the
    /// remaining tokens.
    pub(super) fn material_chars(&self, percent: u64) -> usize {
        let spent = self.ledger().spent();
        RunBudget::new(&self.run.settings, &spent, &self.resources).material_chars(percent)
    }

    /// Sends a request to the model and returns its answer and usage. A request that would exceed the budget
    /// is refused (CTX-140).
    pub(super) async fn ask(&self, chat: &ChatRequest) -> OrOutput<(ChatAnswer, Spent)> {
        let spent = self.ledger().spent();
        let allowed = RunBudget::new(&self.run.settings, &spent, &self.resources).check(chat);
        if let Err(over) = allowed {
            let reason = add_hint(&over, Some("make no further expensive call; end with what is known"));
            return Err(Box::new(ToolOutput::refused(reason)));
        }
        // The conversation streams its own words; a text of a tool is shown when it is written.
        let answer = self.resources.model.chat(chat, &NoTokens).await.map_err(|error| {
            let hint = error.hint();
            Box::new(ToolOutput::failed(add_hint(&error, hint.as_deref())))
        })?;
        let mut took = Spent::default();
        took.answer(&chat.label, &answer, self.resources.prices);
        Ok((answer, took))
    }
}

/// Turns an error into the output of a failed tool, with the error's hint.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn failed(error: NodeError) -> Box<ToolOutput> {
    let hint = error.hint().map(str::to_owned);
    Box::new(ToolOutput::failed(add_hint(&error, hint.as_deref())))
}

/// Returns the output of a tool, successful or not.
pub(super) fn either(result: OrOutput<ToolOutput>) -> ToolOutput {
    result.unwrap_or_else(|failure| *failure)
}
