//! Settings of an exploration. Reads no file and no variable; `arguments.rs` makes them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::llm::Money;
use crate::llm::layer::BudgetLimits;
use crate::workflows::output::OutputScope;
use crate::workflows::tool_form::ToolForm;

/// Model of a run unless one is named: rules, without network.
pub const DEFAULT_MODEL: &str = "offline";
/// Folder of the results unless set, relative to the working folder.
pub const DEFAULT_OUTPUT_DIR: &str = "explorations";
/// Maximum value of the depth limit; the engine nests at most 40 graphs.
pub const DEPTH_MAX: u32 = 30;
/// Maximum value of the limit of agents.
pub const AGENTS_MAX: u32 = 10_000;
/// Maximum value for the number of agents that work at the same time.
pub const PARALLEL_MAX: u32 = 64;

/// Settings of a run. They are part of its state, so a resumed run keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExploreSettings {
    /// Model name: `provider/model`, or `offline` for the rules.
    pub model: String,
    /// Task of the root agent, in the words of the user; `None` for a general exploration.
    pub purpose: Option<String>,
    /// Depth of the deepest agents; the root has 0. Default 8 (EXP-59).
    pub max_depth: u32,
    /// Maximum number of answers of one agent; default 80 (EXP-9).
    pub steps: u32,
    /// Number of agents that ask a model at the same time; default 4 (EXP-24).
    pub parallel: u32,
    /// Limits of the whole tree (EXP-66).
    pub limits: TreeLimits,
    /// Tokens to which old messages of a conversation are trimmed; default 60,000.
    pub max_input_tokens: u64,
    /// The kind of the result; notes of agents unless set.
    pub output: ExploreOutput,
    /// Form in which the tools are offered to the model; native unless set.
    pub tools: ToolForm,
    /// Folder that contains a result folder for each repository; `explorations` unless set.
    pub output_dir: PathBuf,
    /// Restriction on that folder: inside the working folder, unless the user typed it.
    pub output_scope: OutputScope,
}

/// Kind of the result of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExploreOutput {
    /// The notes of agents.
    #[default]
    Notes,
    /// A document about the structure, without agents (EXP-58).
    Document,
    /// A document about the structure, with the findings of agents.
    DocumentWithAgents,
}

/// Limits of all agents of an exploration together (EXP-66).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    /// Tokens and money; default 2,000,000 tokens and 10 dollars.
    pub budget: BudgetLimits,
    /// Maximum number of agents, with the root; default 200.
    pub agents: u32,
    /// Seconds of one process; default 3,600. A resumed run counts anew.
    pub seconds: u64,
}

impl Default for TreeLimits {
    fn default() -> Self {
        let budget = BudgetLimits { tokens: Some(2_000_000), money: Some(Money::dollars(10.0)) };
        Self { budget, agents: 200, seconds: 3_600 }
    }
}

impl Default for ExploreSettings {
    fn default() -> Self {
        Self {
            model: DEFAULT_MODEL.to_owned(),
            purpose: None,
            max_depth: 8,
            steps: 80,
            parallel: 4,
            limits: TreeLimits::default(),
            max_input_tokens: 60_000,
            output: ExploreOutput::default(),
            tools: ToolForm::default(),
            output_dir: DEFAULT_OUTPUT_DIR.into(),
            output_scope: OutputScope::Folder,
        }
    }
}

impl ExploreSettings {
    /// Returns true if rules explore, not a language model.
    pub fn is_offline(&self) -> bool {
        self.model == DEFAULT_MODEL
    }

    /// Returns the reason why no agent of this run calls tools of MCP servers; `None` if agents may.
    pub(super) fn why_without_servers(&self) -> Option<&'static str> {
        match self.output {
            _ if self.is_offline() => Some("rules explore, as no `--model` was named"),
            ExploreOutput::Document => Some("a document without `--agents` has no agents"),
            ExploreOutput::Notes | ExploreOutput::DocumentWithAgents => None,
        }
    }
}
