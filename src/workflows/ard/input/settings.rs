//! The settings of a debate: values of `config.yaml`, overridden by the command line, with defaults for a run without
//! a file. The only place that has defaults for model names, limits and paths (ARD-18, ARD-23).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stategraph_yaml::YamlValue;

use crate::llm::ProviderConfig;
use crate::workflows::ard::services::DebateAgent;
use crate::workflows::config::{
    A_PATH, ConfigError, Fields, as_count, as_positive, as_text, parsed, providers, text_of,
};

/// Model of both agents unless a file or an argument names one: rules, without network.
pub const DEFAULT_MODEL: &str = "offline";
/// Maximum number of revisions unless set. The value is that of the sample configuration (ARD-21).
pub const DEFAULT_MAX_ITERATIONS: u32 = 10;
/// Path of the specification unless set, relative to the current folder.
pub const DEFAULT_OUTPUT: &str = "spec.md";
/// Tokens of history above which earlier rounds are condensed, unless set: 200,000 characters at 4 a token (ARD-54).
pub const DEFAULT_HISTORY_TOKENS: u32 = 50_000;
const A_MODEL: &str = "a model name as text, such as `provider/model`";
const A_COUNT: &str = "a whole number, 0 or more";
const A_LIMIT: &str = "a whole number above 0";
const A_TOKEN_LIMIT: &str = "a whole number above 0, or a map from model names to such numbers";

/// Settings of one debate. They are part of its stored state, except for the providers of models.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DebateSettings {
    /// Name of the architect's model.
    pub architect_model: String,
    /// Name of the reviewer's model.
    pub reviewer_model: String,
    /// Agents with a model from the command line. On a resume, the file does not replace these models.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub typed_models: BTreeSet<DebateAgent>,
    /// Maximum number of revisions: N allows N + 1 drafts (ARD-13).
    pub max_iterations: u32,
    /// Path of the specification; a relative path starts in the working folder of the program.
    pub output_path: PathBuf,
    /// Endpoints by provider name. Never stored: a resume reads them from the file again.
    #[serde(skip)]
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Token limits above which the history is condensed.
    pub history: HistoryLimits,
    /// Number of reviews before a verified one may end the debate; 0, the default, ends it at the first (ARD-71).
    pub minimum_rounds: u32,
    /// Action after a second invalid draft.
    pub on_bad_draft: OnBadDraft,
    /// Division of a draft into requests.
    #[serde(default, skip_serializing_if = "Drafting::is_whole")]
    pub drafting: Drafting,
    /// Weight of minor challenges.
    pub severity: SeverityRule,
    /// Additional check of a verified draft for being buildable.
    pub buildability: Buildability,
    /// The party that resolves ambiguities: the architect or the user.
    pub on_ambiguity: OnAmbiguity,
    /// Maximum number of components that the prompt asks for; no limit unless set. A draft with more is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_components: Option<u32>,
    /// Maximum number of challenges that the prompt asks for; no limit unless set. A review with more is accepted
    /// (ARD-47).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_challenges: Option<u32>,
}

/// Maximum tokens of history that a model is sent verbatim (ARD-54).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryLimits {
    /// Limit of models that `per_model` does not name.
    pub default: u32,
    /// Limits by model name, as written in the settings.
    pub per_model: BTreeMap<String, u32>,
}

impl HistoryLimits {
    /// Returns the limit of a model, in tokens.
    pub fn limit_of(&self, model: &str) -> u32 {
        self.per_model.get(model).copied().unwrap_or(self.default)
    }
}

/// Action after the architect's second invalid answer to one request (ARD-35, ARD-41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBadDraft {
    /// The run stops with an error.
    #[default]
    Error,
    /// The debate continues with the previous draft; without one, the run stops with an error.
    KeepPrevious,
    /// The debate ends with the last accepted draft, else with that of the rules. A review that is refused twice ends it
    /// as well.
    FallBack,
}

/// Number of requests for a draft: one for all, or one for each component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drafting {
    /// One request for the whole draft.
    #[default]
    Whole,
    /// One request per component, for models that cannot answer whole: the rules set names, types and traces, the model
    /// writes the purposes.
    ByComponent,
}

impl Drafting {
    /// Returns true for one request for the whole draft. Stored settings leave that out, so that older threads keep their
    /// ids.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// Rule for a review that has only minor challenges: it counts like any other, or it passes (ARD-51).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeverityRule {
    /// All challenges count the same.
    #[default]
    Ignored,
    /// Minor challenges do not prevent verification.
    CriticalOnly,
}

/// The setting for the check that a verified draft is buildable (ARD-70).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buildability {
    /// No check: the reviewer's verdict is final.
    #[default]
    Unchecked,
    /// Missing components and dependency cycles route back to the architect.
    Checked,
}

/// The party that resolves a challenge of the category ambiguity (ARD-72).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnAmbiguity {
    /// The architect.
    #[default]
    Revise,
    /// The user: the run is interrupted with a question and resumes with the answer.
    Ask,
}

/// Values of the command line that override those of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// `--architect-model`
    pub architect_model: Option<String>,
    /// `--reviewer-model`
    pub reviewer_model: Option<String>,
    /// `--max-iterations`
    pub max_iterations: Option<u32>,
    /// `--output`
    pub output_path: Option<PathBuf>,
}

impl Overrides {
    /// Returns the agents whose model is named on the command line.
    fn typed_models(&self) -> BTreeSet<DebateAgent> {
        let named =
            [(DebateAgent::Architect, &self.architect_model), (DebateAgent::Reviewer, &self.reviewer_model)];
        named.into_iter().filter(|(_, name)| name.is_some()).map(|(agent, _)| agent).collect()
    }
}

/// Values that a resumed debate reads again from the settings file, because they are not stored or may
/// be corrected.
#[derive(Debug, Clone, Default)]
pub struct Corrections {
    /// Endpoints by provider name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Name of the architect's model; `None` if the file does not name it.
    pub architect_model: Option<String>,
    /// Name of the reviewer's model; `None` if the file does not name it.
    pub reviewer_model: Option<String>,
}

impl DebateSettings {
    /// Makes settings from the command line and the defaults.
    pub fn without_file(overrides: Overrides) -> Self {
        Self {
            typed_models: overrides.typed_models(),
            architect_model: overrides.architect_model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            reviewer_model: overrides.reviewer_model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            max_iterations: overrides.max_iterations.unwrap_or(DEFAULT_MAX_ITERATIONS),
            output_path: overrides.output_path.unwrap_or_else(|| DEFAULT_OUTPUT.into()),
            providers: BTreeMap::new(),
            history: HistoryLimits { default: DEFAULT_HISTORY_TOKENS, per_model: BTreeMap::new() },
            minimum_rounds: 0,
            on_bad_draft: OnBadDraft::default(),
            drafting: Drafting::default(),
            severity: SeverityRule::default(),
            buildability: Buildability::default(),
            on_ambiguity: OnAmbiguity::default(),
            max_components: None,
            max_challenges: None,
        }
    }

    /// Returns the name of an agent's model, as written.
    pub fn model(&self, agent: DebateAgent) -> &str {
        match agent {
            DebateAgent::Architect => &self.architect_model,
            DebateAgent::Reviewer => &self.reviewer_model,
        }
    }

    /// Reads the settings file at `path`, which must exist, and applies the overrides.
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, ConfigError> {
        Self::parse(&text_of(path)?, path, overrides)
    }

    /// Parses the text of a settings file, applies the overrides, and reports all defects at once.
    /// `path` is used in messages only.
    pub fn parse(text: &str, path: &Path, overrides: Overrides) -> Result<Self, ConfigError> {
        parsed(text, path, |file| from_fields(file, overrides))
    }

    /// Makes the settings of a resumed debate. The model of an agent comes from the first of these that names one:
    /// the command line of the resume, the command line of the start, the file as it is now, the stored settings.
    #[must_use]
    pub fn with_corrections(mut self, file: Corrections, typed: &Overrides) -> Self {
        let models = [
            (DebateAgent::Architect, &typed.architect_model, file.architect_model, &mut self.architect_model),
            (DebateAgent::Reviewer, &typed.reviewer_model, file.reviewer_model, &mut self.reviewer_model),
        ];
        for (agent, typed, written, model) in models {
            let written = written.filter(|_| !self.typed_models.contains(&agent));
            *model = typed.clone().or(written).unwrap_or_else(|| std::mem::take(model));
        }
        self.typed_models.extend(typed.typed_models());
        Self { providers: file.providers, ..self }
    }

    /// Replaces the model of `agent` by that of `other`.
    pub(in super::super) fn with_model_of(mut self, agent: DebateAgent, other: &Self) -> Self {
        match agent {
            DebateAgent::Architect => self.architect_model.clone_from(&other.architect_model),
            DebateAgent::Reviewer => self.reviewer_model.clone_from(&other.reviewer_model),
        }
        if other.typed_models.contains(&agent) {
            self.typed_models.insert(agent);
        }
        self
    }

    /// Parses the values of a settings file that a resumed debate reads again.
    pub fn parse_corrections(text: &str, path: &Path) -> Result<Corrections, ConfigError> {
        parsed(text, path, |mut file| {
            let architect_model = file.take("architect_model", A_MODEL, as_text);
            let reviewer_model = file.take("reviewer_model", A_MODEL, as_text);
            Some(Corrections { providers: providers(&mut file), architect_model, reviewer_model })
        })
    }
}

/// Reads the settings from the fields of a file. `None` if a required value is missing or invalid; the
/// defects are recorded in `file`.
fn from_fields(mut file: Fields<'_>, given: Overrides) -> Option<DebateSettings> {
    let typed_models = given.typed_models();
    let architect_model =
        take_required(&mut file, "architect_model", A_MODEL, given.architect_model, as_text);
    let reviewer_model = take_required(&mut file, "reviewer_model", A_MODEL, given.reviewer_model, as_text);
    let max_iterations = take_required(&mut file, "max_iterations", A_COUNT, given.max_iterations, as_count);
    let as_path = |value: &YamlValue| as_text(value).map(PathBuf::from);
    let output_path = take_required(&mut file, "output_path", A_PATH, given.output_path, as_path);
    let providers = providers(&mut file);
    let history = take_history_limits(&mut file);
    let minimum_rounds = file.take("minimum_rounds", A_COUNT, as_count).unwrap_or_default();
    let words = [
        ("error", OnBadDraft::Error),
        ("keep_previous", OnBadDraft::KeepPrevious),
        ("fall_back", OnBadDraft::FallBack),
    ];
    let on_bad_draft = file.take_word("on_bad_draft", "`error`, `keep_previous` or `fall_back`", &words);
    let words = [("whole", Drafting::Whole), ("by_component", Drafting::ByComponent)];
    let drafting = file.take_word("drafting", "`whole` or `by_component`", &words);
    let words = [("ignored", SeverityRule::Ignored), ("critical_only", SeverityRule::CriticalOnly)];
    let severity = file.take_word("severity", "`ignored` or `critical_only`", &words);
    let words = [("unchecked", Buildability::Unchecked), ("checked", Buildability::Checked)];
    let buildability = file.take_word("buildability", "`unchecked` or `checked`", &words);
    let words = [("revise", OnAmbiguity::Revise), ("ask", OnAmbiguity::Ask)];
    let on_ambiguity = file.take_word("on_ambiguity", "`revise` or `ask`", &words);
    let max_components = file.take("max_components", A_LIMIT, as_positive);
    let max_challenges = file.take("max_challenges", A_LIMIT, as_positive);
    file.skip_section("contextualize");
    file.finish();
    Some(DebateSettings {
        typed_models,
        architect_model: architect_model?,
        reviewer_model: reviewer_model?,
        max_iterations: max_iterations?,
        output_path: output_path?,
        providers,
        history,
        minimum_rounds,
        on_bad_draft: on_bad_draft.unwrap_or_default(),
        drafting: drafting.unwrap_or_default(),
        severity: severity.unwrap_or_default(),
        buildability: buildability.unwrap_or_default(),
        on_ambiguity: on_ambiguity.unwrap_or_default(),
        max_components,
        max_challenges,
    })
}

/// Returns the value of the command line, else that of the file. Records a defect if both are missing.
/// The value of the file is validated even if it is overridden.
fn take_required<T>(
    file: &mut Fields<'_>,
    key: &'static str,
    expected: &'static str,
    given: Option<T>,
    read: impl FnOnce(&YamlValue) -> Option<T>,
) -> Option<T> {
    let written = file.take(key, expected, read);
    let value = given.or(written);
    if value.is_none() && !file.is_faulty(key) {
        file.missing(key, expected);
    }
    value
}

/// Reads `history_tokens`: one number for all models, or a map from model names to numbers.
fn take_history_limits(file: &mut Fields<'_>) -> HistoryLimits {
    let none = HistoryLimits { default: DEFAULT_HISTORY_TOKENS, per_model: BTreeMap::new() };
    let read = |value: &YamlValue| match value {
        YamlValue::Map(map) => {
            let limits = map.iter().map(|model| Some((model.key.clone(), as_positive(&model.value.value)?)));
            Some(HistoryLimits { per_model: limits.collect::<Option<_>>()?, ..none.clone() })
        }
        other => Some(HistoryLimits { default: as_positive(other)?, ..none.clone() }),
    };
    file.take("history_tokens", A_TOKEN_LIMIT, read).unwrap_or_else(|| none.clone())
}
