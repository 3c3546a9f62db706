//! The settings of a run, validated once. Reads no file and no variable; see `arguments.rs` and `environment.rs`.

mod layer;
mod variables;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::llm::Money;
use crate::llm::layer::BudgetLimits;
use crate::workflows::output::{OutputScope, STDOUT};
use crate::workflows::tool_form::ToolForm;

pub use layer::SettingsLayer;
pub use variables::{SettingVariable, VARIABLES};

/// Model of a run unless one is named: rules, without network.
pub const DEFAULT_MODEL: &str = "offline";
/// Folder of the context files unless set, relative to the working folder (CTX-112).
pub const DEFAULT_OUTPUT_DIR: &str = "contexts";
/// Tokens of an AGENTS.md unless set.
pub const AGENTS_MD_TOKENS: u32 = 1_500;
/// Most tokens of an AGENTS.md: every agent that works in the repository reads all of it.
pub const AGENTS_MD_TOKENS_MAX: u32 = 4_000;
/// Fewest tokens that a limit of a context file may allow. A smaller file would hold little beside its front matter.
pub const FILE_TOKENS_MIN: u32 = 200;

/// Settings of a run. They are part of its state, so a resumed run keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextSettings {
    /// Fixed steps, or a model that selects tools; steps unless set (CTX-2).
    pub mode: RunMode,
    /// Model name: `provider/model`, or `offline` for the rules.
    pub model: String,
    /// Path of the file that is written; `None` for the default path below [`output_dir`](Self::output_dir) (CTX-8).
    pub output: Option<PathBuf>,
    /// Folder of the context files; `contexts` unless set (CTX-112).
    pub output_dir: PathBuf,
    /// Restriction on the path of the file: the working folder, unless the user typed the path.
    pub output_scope: OutputScope,
    /// Layout of the file that `generate` writes; a context file unless set.
    pub format: ContextFormat,
    /// Maximum size of the written file in tokens; `None` for the default of its format.
    pub max_tokens: Option<u32>,
    /// Handling of expensive tools in agent mode; a question to the user unless set (CTX-93).
    pub approval: ApprovalMode,
    /// Form in which the tools are offered to the model in agent mode; native unless set.
    pub tools: ToolForm,
    /// Limits of reading the repository.
    pub scan: ScanSettings,
    /// Limits of the steps of `scope` (CTX-23, CTX-24).
    pub exploration: ExplorationLimits,
    /// Limits of calls to a model.
    pub calls: CallLimits,
    /// Maximum characters of a tool's output that a model gets; default 6,000 (CTX-85).
    pub tool_output_chars: u32,
    /// Limits of tokens and money of the whole run (CTX-86).
    pub budget: BudgetLimits,
}

impl ContextSettings {
    /// Returns the default settings of a command.
    pub fn of(command: ContextCommand) -> Self {
        Self {
            mode: RunMode::default(),
            model: DEFAULT_MODEL.to_owned(),
            output: None,
            output_dir: DEFAULT_OUTPUT_DIR.into(),
            output_scope: OutputScope::Folder,
            format: ContextFormat::default(),
            max_tokens: None,
            approval: ApprovalMode::default(),
            tools: ToolForm::default(),
            scan: ScanSettings::default(),
            exploration: ExplorationLimits::default(),
            calls: CallLimits::default(),
            tool_output_chars: 6_000,
            budget: command.budget(),
        }
    }

    /// Returns true if rules write, not a language model.
    pub fn is_offline(&self) -> bool {
        self.model == DEFAULT_MODEL
    }

    /// Returns the reason why the run uses no tool servers, for a note to the user; `None` in agent mode,
    /// which uses them.
    pub(super) fn why_without_servers(&self) -> Option<&'static str> {
        (self.mode != RunMode::Agent).then_some("only the agent of `--mode agent` calls tools")
    }

    /// Returns true if the file goes to standard output: `--output -`.
    pub fn writes_to_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new(STDOUT))
    }

    /// Returns the limit of an `AGENTS.md` in tokens: `max_tokens` or the default, at most 4,000.
    pub fn agents_md_tokens(&self) -> u32 {
        self.max_tokens.unwrap_or(AGENTS_MD_TOKENS).min(AGENTS_MD_TOKENS_MAX)
    }
}

/// A command of the workflow (CTX-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextCommand {
    /// Describes a repository.
    Generate,
    /// Changes a context file.
    Refine,
    /// Answers a question about a repository.
    Scope,
}

impl ContextCommand {
    /// All commands, in the order of the help.
    pub const ALL: [Self; 3] = [Self::Generate, Self::Refine, Self::Scope];

    /// Returns the name, as typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Refine => "refine",
            Self::Scope => "scope",
        }
    }

    /// Returns the default limits of tokens and money for a run of the command (CTX-86).
    pub fn budget(self) -> BudgetLimits {
        let (tokens, dollars) = match self {
            Self::Scope => (30_000, 2.0),
            Self::Generate | Self::Refine => (50_000, 5.0),
        };
        BudgetLimits { tokens: Some(tokens), money: Some(Money::dollars(dollars)) }
    }
}

/// The control of a run: by fixed steps or by a model (CTX-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// Fixed steps with a fixed number of model calls.
    #[default]
    Pipeline,
    /// A model selects tools until it is done.
    Agent,
}

/// The layout of the file that `generate` writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContextFormat {
    /// A context file with front matter.
    #[default]
    Context,
    /// An AGENTS.md: commands first, short lines, a marked place for text of people.
    AgentsMd,
}

/// The handling of expensive tools in agent mode (CTX-93).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// The run stops before each expensive tool and asks the user.
    #[default]
    Ask,
    /// Expensive tools run like all others.
    All,
}

/// Limits of reading the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanSettings {
    /// Maximum number of files that a listing shows to a model; default 200 (CTX-110).
    pub max_files: u32,
    /// Maximum size of a file that is read, in bytes; default 1,000,000 (CTX-110).
    pub max_file_bytes: u64,
    /// Names of folders and files that are left out besides the usual ones (CTX-16).
    pub ignored: Vec<String>,
    /// Deepest level of the tree that is shown; default 6 (CTX-10).
    pub depth: u32,
    /// Maximum entries of a directory in the tree that is shown; default 200 (CTX-10).
    pub children: u32,
    /// Maximum number of files that the analysis of the code reads; default 20 (CTX-12).
    pub analysis_files: u32,
}

impl Default for ScanSettings {
    fn default() -> Self {
        Self {
            max_files: 200,
            max_file_bytes: 1_000_000,
            ignored: Vec::new(),
            depth: 6,
            children: 200,
            analysis_files: 20,
        }
    }
}

/// Limits of the steps of `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationLimits {
    /// Maximum rounds of exploration; default 2 (CTX-23).
    pub rounds: u32,
    /// Maximum files in one prompt; default 12 (CTX-23).
    pub files_per_prompt: u32,
    /// Maximum characters of files in a prompt of an exploration; default 80,000 (CTX-23).
    pub exploration_chars: u32,
    /// Maximum characters of files in the prompt that writes the answer; default 120,000 (CTX-24).
    pub synthesis_chars: u32,
}

impl Default for ExplorationLimits {
    fn default() -> Self {
        Self { rounds: 2, files_per_prompt: 12, exploration_chars: 80_000, synthesis_chars: 120_000 }
    }
}

/// Limits of calls to a model (CTX-73, CTX-74, CTX-85, CTX-110).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallLimits {
    /// Tokens per minute; default 30,000.
    pub tokens_per_minute: u32,
    /// Part of the tokens per minute that is used, because estimates are off; default 0.85.
    pub safety_factor: f64,
    /// Maximum tokens of one call, prompt and answer together; no limit unless set.
    pub tokens_per_call: Option<u32>,
    /// Tokens to which old messages of a conversation are trimmed; default 20,000.
    pub max_input_tokens: u32,
    /// Maximum tokens of an answer; the limit of the provider unless set.
    pub max_output_tokens: Option<u32>,
    /// Attempts of a call, with the first; default 3.
    pub attempts: u32,
    /// Wait before the second attempt, in seconds; default 2. It doubles with each.
    pub initial_wait_s: f64,
    /// Time limit of a call, in seconds; default 60.
    pub timeout_s: f64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            tokens_per_minute: 30_000,
            safety_factor: 0.85,
            tokens_per_call: None,
            max_input_tokens: 20_000,
            max_output_tokens: None,
            attempts: 3,
            initial_wait_s: 2.0,
            timeout_s: 60.0,
        }
    }
}

impl CallLimits {
    /// Returns the tokens per minute times the safety factor: 25,500 by default (CTX-85).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the factor is from 0 to 1")]
    pub fn effective_tokens_per_minute(&self) -> u64 {
        (f64::from(self.tokens_per_minute) * self.safety_factor).round() as u64
    }
}

/// The error of a word that is not among the values of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct UnknownWord {
    /// The words that are known.
    pub expected: &'static str,
    /// The word.
    pub found: String,
}

/// Implements reading and writing of an enum whose values are words.
macro_rules! words {
    ($type:ty, $expected:literal, $($word:literal => $value:expr),+ $(,)?) => {
        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text {
                    $($word => Ok($value),)+
                    _ => Err(UnknownWord { expected: $expected, found: text.to_owned() }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(if *self == $value {
                    return out.write_str($word);
                })+
                Ok(())
            }
        }
    };
}

words!(RunMode, "`pipeline` or `agent`", "pipeline" => Self::Pipeline, "agent" => Self::Agent);
words!(ContextFormat, "`context` or `agents-md`", "context" => Self::Context, "agents-md" => Self::AgentsMd);
words!(ApprovalMode, "`ask` or `all`", "ask" => Self::Ask, "all" => Self::All);
