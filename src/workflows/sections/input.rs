//! The settings of a run, validated once. Reads no file and no environment variable; see `arguments.rs`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::llm::Money;
use crate::llm::layer::BudgetLimits;
use crate::workflows::tool_form::ToolForm;

/// Model of a run unless one is named: `offline`, by which rules write, without a network.
pub const DEFAULT_MODEL: &str = "offline";
/// File name of the document unless set (SEC-16).
pub const DEFAULT_DOC_FILE: &str = "README.md";
/// Folder for results of evaluations unless set, relative to the working folder.
pub const DEFAULT_OUTPUT_DIR: &str = "evaluations";
/// Maximum value of the setting for sections or packages at the same time.
pub const PARALLEL_MAX: u32 = 64;
/// Maximum value of the setting for iterations of a section.
pub const ITERATIONS_MAX: u32 = 20;

/// The task of a run: write, change, evaluate or check a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionsTask {
    /// Write all sections of the document (SEC-20).
    Update,
    /// Change the document as this request of the user says (SEC-9).
    Modify(String),
    /// Write all sections, measure the document, change nothing (SEC-10).
    Evaluate,
    /// Evaluate several packages, given by their folders in the order of the list (SEC-11).
    Batch(Vec<PathBuf>),
    /// Let the critic judge the existing document, and nothing else (SEC-12).
    Critic,
    /// Let the validators check the existing document, and nothing else (SEC-13).
    Validators,
    /// Write all sections once, without critic and validators (SEC-14).
    Generator,
    /// Write nothing, and tell the user how to write the document by hand, because the requested model has
    /// no key (SEC-17).
    ByHand,
}

/// The type of the document that a run writes or checks: the README of an integration package, or of any
/// project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionsProfile {
    /// The README of an integration package.
    #[default]
    Package,
    /// The README of any project.
    Readme,
}

/// The way in which a finished document is accepted: by a person, or without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentApproval {
    /// A person accepts it, asks for changes or cancels (SEC-7).
    #[default]
    Asked,
    /// It is written without a question (SEC-8).
    Given,
}

/// The switches for the checks of a generated section: critic, links, static validators, validators of a
/// model (SEC-73).
#[allow(clippy::struct_excessive_bools, reason = "four independent switches, each with its name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionJudges {
    /// True if the critic judges it.
    pub critic: bool,
    /// True if the pages behind its links are fetched, which needs a network (SEC-123).
    pub urls: bool,
    /// True if the static validators check it.
    pub validators: bool,
    /// True if a model is asked for the verdicts of validators too.
    pub model_validators: bool,
}

impl Default for SectionJudges {
    /// Returns the default judges: the critic and the static validators (SEC-123).
    fn default() -> Self {
        Self { critic: true, urls: false, validators: true, model_validators: false }
    }
}

impl SectionJudges {
    /// No judges, for a generator that runs alone (SEC-14).
    pub const NONE: Self = Self { critic: false, urls: false, validators: false, model_validators: false };

    /// Returns the same judges with the static and the model validators switched on (SEC-74).
    #[must_use]
    pub fn full_validation(self) -> Self {
        Self { validators: true, model_validators: true, ..self }
    }
}

/// The format of the result files of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultFormat {
    /// Our own JSON only.
    #[default]
    Json,
    /// Our own JSON, and a file that promptfoo imports.
    Promptfoo,
}

/// The settings of a run of the workflow `sections` (SEC-73, SEC-75). They are part of its state, so a
/// resumed run keeps them.
///
/// ```
/// use stategraph::workflows::sections::input::SectionsSettings;
///
/// let settings = SectionsSettings::default().with_model("openai/gpt-5").with_max_iterations(2).with_full_validation();
/// assert!(settings.judges.model_validators && settings.max_iterations == 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionsSettings {
    /// Model name: `provider/model`, or `offline` for the rules.
    pub model: String,
    /// The task.
    pub task: SectionsTask,
    /// The kind of the document.
    pub profile: SectionsProfile,
    /// Name of the document, without a folder.
    pub doc_file: String,
    /// Maximum number of iterations of a section; default 3 (SEC-58).
    pub max_iterations: u32,
    /// Number of sections, or of packages of a batch, at the same time; default 4.
    pub parallel: u32,
    /// Judges of a section.
    pub judges: SectionJudges,
    /// The decision about the document.
    pub approval: DocumentApproval,
    /// Form in which the tools are offered to the model; native unless set.
    pub tools: ToolForm,
    /// Limits of tokens and money of the whole run; no limit unless set.
    pub budget: BudgetLimits,
    /// Folder for the results of an evaluation.
    pub output_dir: PathBuf,
    /// Format of these results.
    pub format: ResultFormat,
    /// Results of an earlier evaluation to compare with; `None` unless named.
    pub compare: Option<PathBuf>,
    /// Folder for a copy of each iteration; `None` unless set (SEC-140).
    pub snapshots: Option<PathBuf>,
    /// True if the document is shown as a local page before it is accepted (SEC-144).
    pub is_previewed: bool,
}

impl Default for SectionsSettings {
    fn default() -> Self {
        Self {
            model: DEFAULT_MODEL.to_owned(),
            task: SectionsTask::Update,
            profile: SectionsProfile::default(),
            doc_file: DEFAULT_DOC_FILE.to_owned(),
            max_iterations: 3,
            parallel: 4,
            judges: SectionJudges::default(),
            approval: DocumentApproval::default(),
            tools: ToolForm::default(),
            budget: BudgetLimits::default(),
            output_dir: DEFAULT_OUTPUT_DIR.into(),
            format: ResultFormat::default(),
            compare: None,
            snapshots: None,
            is_previewed: false,
        }
    }
}

impl SectionsSettings {
    /// Sets the name of the model that writes the sections (SEC-74).
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = model.into();
        self
    }

    /// Sets the maximum number of iterations of a section (SEC-74).
    #[must_use]
    pub fn with_max_iterations(mut self, limit: u32) -> Self {
        self.max_iterations = limit;
        self
    }

    /// Switches on the static and the model validators (SEC-74).
    #[must_use]
    pub fn with_full_validation(mut self) -> Self {
        self.judges = self.judges.full_validation();
        self
    }

    /// Sets a limit of money in dollars for the whole run.
    #[must_use]
    pub fn with_max_cost(mut self, dollars: f64) -> Self {
        self.budget.money = Some(Money::dollars(dollars));
        self
    }

    /// Returns true if rules write the sections, so that no language model is asked.
    pub fn is_offline(&self) -> bool {
        self.model == DEFAULT_MODEL
    }

    /// Returns the judges of the sections; none if the task is to run the generator alone.
    pub fn effective_judges(&self) -> SectionJudges {
        if self.task == SectionsTask::Generator { SectionJudges::NONE } else { self.judges }
    }
}
