//! The context of an agent's tools: the resources of the run, its repository and task, and the ledger of the results of calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stategraph_code_tools::add_hint;

use super::effect::ConversationLedger;
use crate::agent::{Spent, ToolOutput};
use crate::engine::{NodeError, NodeResult};
use crate::llm::{ChatAnswer, ChatModel as _, ChatRequest, Quiet};
use crate::workflows::contextualize::nodes::budget::RunBudget;
use crate::workflows::contextualize::nodes::material::place;
use crate::workflows::contextualize::nodes::scan::project_of;
use crate::workflows::contextualize::services::{ContextResources, OpenRepository, RepositoryPlace};
use crate::workflows::contextualize::state::{ContextProject, ContextRun, RefinedFile, RepositoryIdentity};

/// A value, or the output of a call that was refused or failed.
pub(super) type OrOutput<T> = Result<T, Box<ToolOutput>>;

/// The task of a conversation.
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

/// The context of the tools of one conversation.
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

    /// Returns the ledger. It is never held while something is awaited.
    pub(super) fn ledger(&self) -> MutexGuard<'_, ConversationLedger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn place(&self) -> RepositoryPlace<'_> {
        place(&self.run, Some(&self.repository))
    }

    /// Returns the user's own words about the repository.
    pub(super) fn summary(&self) -> Option<&str> {
        match &self.task {
            AgentTask::Describe { summary, .. } => summary.as_deref(),
            AgentTask::Answer { .. } => None,
        }
    }

    /// Reads the repository on a blocking thread, through the tape.
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

    /// Returns the metadata of the repository.
    pub(super) async fn project(&self) -> NodeResult<ContextProject> {
        let identity = self.repository.clone();
        self.read("metadata", Value::Null, move |repository| project_of(repository, &identity)).await
    }

    /// Returns the most characters of material for a request that may use `percent` of the remaining budget.
    pub(super) fn material_chars(&self, percent: u64) -> usize {
        let spent = self.ledger().spent();
        RunBudget::new(&self.run.settings, &spent, &self.resources).material_chars(percent)
    }

    /// Asks the model for a text, unless that would exceed the budget (CTX-140). Returns the answer and its usage.
    pub(super) async fn ask(&self, chat: &ChatRequest) -> OrOutput<(ChatAnswer, Spent)> {
        let spent = self.ledger().spent();
        let allowed = RunBudget::new(&self.run.settings, &spent, &self.resources).check(chat);
        if let Err(over) = allowed {
            let reason = add_hint(&over, Some("make no further expensive call; end with what is known"));
            return Err(Box::new(ToolOutput::refused(reason)));
        }
        // The conversation streams its own words; a text of a tool is shown when it is written.
        let answer = self.resources.model.chat(chat, &Quiet).await.map_err(|error| {
            let hint = error.hint();
            Box::new(ToolOutput::failed(add_hint(&error, hint.as_deref())))
        })?;
        let mut took = Spent::default();
        took.answer(&chat.label, &answer, self.resources.prices);
        Ok((answer, took))
    }
}

/// Returns the output of a call that failed inside.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn failed(error: NodeError) -> Box<ToolOutput> {
    let hint = error.hint().map(str::to_owned);
    Box::new(ToolOutput::failed(add_hint(&error, hint.as_deref())))
}

/// Returns the output, or the failure.
pub(super) fn either(result: OrOutput<ToolOutput>) -> ToolOutput {
    result.unwrap_or_else(|failure| *failure)
}
