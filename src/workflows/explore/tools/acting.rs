//! Tools that the node of an agent runs itself: `write_notepad`, `delegate` and `finish`. Here are
//! their descriptions and arguments. Their calls are planned in `nodes/plan.rs` and run in
//! `nodes/actions.rs`; the tools' own `run` is reached only by a call without a plan, which does not
//! occur.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent::{Tool, ToolOutput};

/// Tool that appends a note to the notepad (EXP-15).
#[derive(Debug, Clone, Copy)]
pub struct WriteNotepad;

/// Arguments of `write_notepad`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteNotepadArguments {
    /// The topic: a key with dots, such as `architecture.layers`.
    pub topic: String,
    /// The finding, with the files that show it.
    pub content: String,
}

/// Tool that delegates a part of the scope to another agent (EXP-17).
#[derive(Debug, Clone, Copy)]
pub struct Delegate;

/// Arguments of `delegate`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegateArguments {
    /// Path of a folder or a module of your scope, relative to the repository.
    pub target: String,
    /// The task of the agent: the question that it answers.
    #[serde(default)]
    pub purpose: String,
    /// Knowledge that the agent needs beforehand, at most 1,200 characters; your notes are passed on too.
    #[serde(default)]
    pub context: String,
}

/// Tool that ends the agent and returns its findings (EXP-18).
#[derive(Debug, Clone, Copy)]
pub struct FinishWork;

/// Arguments of `finish`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinishArguments {
    /// The findings: what the part is for, how it works, what its users must know, with the files that show it. The agent that delegated to
    /// you sees the first 600 characters, so the most important stands first; details belong to the notepad.
    pub summary: String,
}

/// Returns the failure of a call that has no plan.
fn unplanned(tool: &str) -> ToolOutput {
    ToolOutput::failed(format!("`{tool}` was not planned; call it again"))
}

impl Tool for WriteNotepad {
    type Arguments = WriteNotepadArguments;

    fn name(&self) -> &'static str {
        "write_notepad"
    }

    fn description(&self) -> &'static str {
        "Appends a finding to a topic of the notepad that all agents share. Nothing is replaced."
    }

    async fn run(&self, _: WriteNotepadArguments) -> ToolOutput {
        unplanned(self.name())
    }
}

impl Tool for Delegate {
    type Arguments = DelegateArguments;

    fn name(&self) -> &'static str {
        "delegate"
    }

    fn description(&self) -> &'static str {
        "Lets another agent explore a folder or module of your scope, and returns its summary. Several calls in one answer run at the \
         same time."
    }

    async fn run(&self, _: DelegateArguments) -> ToolOutput {
        unplanned(self.name())
    }
}

impl Tool for FinishWork {
    type Arguments = FinishArguments;

    fn name(&self) -> &'static str {
        "finish"
    }

    fn description(&self) -> &'static str {
        "Ends your work and returns your findings to the agent that delegated to you."
    }

    async fn run(&self, _: FinishArguments) -> ToolOutput {
        unplanned(self.name())
    }
}
