//! The settings of a debate: what `config.yaml` says, what the command line says over it, and the defaults when there
//! is no file. The one place where model names, limits and paths have defaults (ARD-18, ARD-23).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::llm::ProviderConfig;
use crate::workflows::ard::services::Agent;
use crate::workflows::config::{
    A_PATH, ConfigError, Fields, Value, as_count, as_positive, as_text, parsed, providers, text_of,
};

/// The model of both agents when no file and no argument names one: rules, no network.
pub const DEFAULT_MODEL: &str = "offline";
/// Rounds after the first when nothing else is said (the seed's sample, ARD-21).
pub const DEFAULT_MAX_ITERATIONS: u32 = 10;
/// Where the specification goes when nothing else is said: the current folder.
pub const DEFAULT_OUTPUT: &str = "spec.md";
/// Tokens of history above which earlier rounds are condensed: 200,000 characters at 4 a token (ARD-54).
pub const DEFAULT_HISTORY_TOKENS: u32 = 50_000;
const A_MODEL: &str = "a model name as text, such as `provider/model`";
const A_COUNT: &str = "a whole number, 0 or more";
const A_LIMIT: &str = "a whole number above 0";
const A_TOKEN_LIMIT: &str = "a whole number above 0, or a map from model names to such numbers";

/// Everything a debate is set up with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    /// The model that drafts.
    pub architect_model: String,
    /// The model that reviews.
    pub reviewer_model: String,
    /// The agents whose model was typed on the command line: what the file says later does not replace it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub typed_models: BTreeSet<Agent>,
    /// Revisions allowed: N allows N + 1 drafts (ARD-13).
    pub max_iterations: u32,
    /// Where the specification is written; a relative path starts in the folder that the program runs in.
    pub output_path: PathBuf,
    /// Endpoints by name. Not part of a debate, and never stored: whoever resumes it says anew where models are.
    #[serde(skip)]
    pub providers: BTreeMap<String, ProviderConfig>,
    /// When the history is condensed.
    pub history: HistoryLimits,
    /// Reviews to hold before a verified one ends the debate; 0 for the seed's rule (ARD-71).
    pub minimum_rounds: u32,
    /// What a second bad draft leads to.
    pub on_bad_draft: OnBadDraft,
    /// Whether challenges are weighed.
    pub severity: SeverityRule,
    /// Whether a verified draft is checked for being buildable.
    pub buildability: Buildability,
    /// Who settles what the reviewer finds ambiguous.
    pub on_ambiguity: OnAmbiguity,
    /// How many components a draft is asked for at most. A wish and no rule: one with more is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_components: Option<u32>,
    /// How many challenges a review is asked for at most. A wish and no rule: one with more is taken (ARD-47).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_challenges: Option<u32>,
}

/// Tokens of history a model is sent verbatim (ARD-54).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryLimits {
    /// For models not named below.
    pub default: u32,
    /// By model name as written in the settings.
    pub per_model: BTreeMap<String, u32>,
}

impl HistoryLimits {
    /// The limit of one model, in tokens.
    pub fn of(&self, model: &str) -> u32 {
        self.per_model.get(model).copied().unwrap_or(self.default)
    }
}

/// What happens when the architect's second answer is bad too (ARD-35, ARD-41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBadDraft {
    /// The run stops with an error, as the seed says.
    #[default]
    Error,
    /// An earlier draft, if there is one, is kept.
    KeepPrevious,
}

/// Whether a revision without critical challenges passes (ARD-51).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeverityRule {
    /// All challenges count the same, as in the seed.
    #[default]
    Ignored,
    /// Minor ones do not hold the debate up.
    CriticalOnly,
}

/// Whether a verified draft also has to be buildable (ARD-70).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buildability {
    /// The reviewer's word is enough, as in the seed.
    #[default]
    Unchecked,
    /// Missing parts and circles route back to the architect.
    Checked,
}

/// Who settles a challenge of the category ambiguity (ARD-72).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnAmbiguity {
    /// The architect, as in the seed.
    #[default]
    Revise,
    /// The user: the run stops with a question and goes on with the answer.
    Ask,
}

/// What the command line says; it wins over the file.
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
    /// The agents whose model is named.
    fn typed_models(&self) -> BTreeSet<Agent> {
        let named = [(Agent::Architect, &self.architect_model), (Agent::Reviewer, &self.reviewer_model)];
        named.into_iter().filter(|(_, name)| name.is_some()).map(|(agent, _)| agent).collect()
    }
}

/// What a resumed debate takes anew of a file.
#[derive(Debug, Clone, Default)]
pub struct Corrections {
    /// The endpoints.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The model that drafts, where the file names one.
    pub architect_model: Option<String>,
    /// The model that reviews, likewise.
    pub reviewer_model: Option<String>,
}

impl Settings {
    /// The settings without a file.
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
            severity: SeverityRule::default(),
            buildability: Buildability::default(),
            on_ambiguity: OnAmbiguity::default(),
            max_components: None,
            max_challenges: None,
        }
    }

    /// The model of an agent, as written.
    pub fn model(&self, agent: Agent) -> &str {
        match agent {
            Agent::Architect => &self.architect_model,
            Agent::Reviewer => &self.reviewer_model,
        }
    }

    /// Reads a file, which has to be there.
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, ConfigError> {
        Self::parse(&text_of(path)?, path, overrides)
    }

    /// Reads the text of a file; `path` is for the messages. Reports all defects at once.
    pub fn parse(text: &str, path: &Path, overrides: Overrides) -> Result<Self, ConfigError> {
        parsed(text, path, |file| from_fields(file, overrides))
    }

    /// The settings of a debate that goes on. A model is what `typed` says now, else what was typed when the debate began, else what
    /// the file says now, else what it was.
    #[must_use]
    pub fn resumed(mut self, file: Corrections, typed: &Overrides) -> Self {
        let models = [
            (Agent::Architect, &typed.architect_model, file.architect_model, &mut self.architect_model),
            (Agent::Reviewer, &typed.reviewer_model, file.reviewer_model, &mut self.reviewer_model),
        ];
        for (agent, typed, written, model) in models {
            let written = written.filter(|_| !self.typed_models.contains(&agent));
            *model = typed.clone().or(written).unwrap_or_else(|| std::mem::take(model));
        }
        self.typed_models.extend(typed.typed_models());
        Self { providers: file.providers, ..self }
    }

    /// The same settings with the model that an agent has in `other`.
    pub(in super::super) fn with_model_of(mut self, agent: Agent, other: &Self) -> Self {
        match agent {
            Agent::Architect => self.architect_model.clone_from(&other.architect_model),
            Agent::Reviewer => self.reviewer_model.clone_from(&other.reviewer_model),
        }
        if other.typed_models.contains(&agent) {
            self.typed_models.insert(agent);
        }
        self
    }

    /// Reads of the text of a file what a resumed debate takes from it.
    pub fn parse_corrections(text: &str, path: &Path) -> Result<Corrections, ConfigError> {
        parsed(text, path, |mut file| {
            let architect_model = file.take("architect_model", A_MODEL, as_text);
            let reviewer_model = file.take("reviewer_model", A_MODEL, as_text);
            Some(Corrections { providers: providers(&mut file), architect_model, reviewer_model })
        })
    }
}

fn from_fields(mut file: Fields<'_>, given: Overrides) -> Option<Settings> {
    let typed_models = given.typed_models();
    let architect_model = needed(&mut file, "architect_model", A_MODEL, given.architect_model, as_text);
    let reviewer_model = needed(&mut file, "reviewer_model", A_MODEL, given.reviewer_model, as_text);
    let max_iterations = needed(&mut file, "max_iterations", A_COUNT, given.max_iterations, as_count);
    let as_path = |value: &Value| as_text(value).map(PathBuf::from);
    let output_path = needed(&mut file, "output_path", A_PATH, given.output_path, as_path);
    let providers = providers(&mut file);
    let history = history(&mut file);
    let minimum_rounds = file.take("minimum_rounds", A_COUNT, as_count).unwrap_or_default();
    let words = [("error", OnBadDraft::Error), ("keep_previous", OnBadDraft::KeepPrevious)];
    let on_bad_draft = file.take_word("on_bad_draft", "`error` or `keep_previous`", &words);
    let words = [("ignored", SeverityRule::Ignored), ("critical_only", SeverityRule::CriticalOnly)];
    let severity = file.take_word("severity", "`ignored` or `critical_only`", &words);
    let words = [("unchecked", Buildability::Unchecked), ("checked", Buildability::Checked)];
    let buildability = file.take_word("buildability", "`unchecked` or `checked`", &words);
    let words = [("revise", OnAmbiguity::Revise), ("ask", OnAmbiguity::Ask)];
    let on_ambiguity = file.take_word("on_ambiguity", "`revise` or `ask`", &words);
    let max_components = file.take("max_components", A_LIMIT, as_positive);
    let max_challenges = file.take("max_challenges", A_LIMIT, as_positive);
    file.finish();
    Some(Settings {
        typed_models,
        architect_model: architect_model?,
        reviewer_model: reviewer_model?,
        max_iterations: max_iterations?,
        output_path: output_path?,
        providers,
        history,
        minimum_rounds,
        on_bad_draft: on_bad_draft.unwrap_or_default(),
        severity: severity.unwrap_or_default(),
        buildability: buildability.unwrap_or_default(),
        on_ambiguity: on_ambiguity.unwrap_or_default(),
        max_components,
        max_challenges,
    })
}

/// The value of the command line, else that of the file, else a defect. What the file says is checked in any case.
fn needed<T>(
    file: &mut Fields<'_>,
    key: &'static str,
    expected: &'static str,
    given: Option<T>,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<T> {
    let written = file.take(key, expected, read);
    let value = given.or(written);
    if value.is_none() && !file.is_faulty(key) {
        file.missing(key, expected);
    }
    value
}

fn history(file: &mut Fields<'_>) -> HistoryLimits {
    let none = HistoryLimits { default: DEFAULT_HISTORY_TOKENS, per_model: BTreeMap::new() };
    let read = |value: &Value| match value {
        Value::Map(map) => {
            let limits =
                map.iter().map(|(model, limit)| Some((model.value.clone(), as_positive(&limit.value)?)));
            Some(HistoryLimits { per_model: limits.collect::<Option<_>>()?, ..none.clone() })
        }
        other => Some(HistoryLimits { default: as_positive(other)?, ..none.clone() }),
    };
    file.take("history_tokens", A_TOKEN_LIMIT, read).unwrap_or_else(|| none.clone())
}
