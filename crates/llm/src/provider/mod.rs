//! Makes a model with its layers from a name: `gemini-…`, `local/any-name`, `offline`. Every defect of a name is reported before any call
//! (ARD-24). `builtin` lists the known providers, `config` is the user's configuration, `env` looks up keys, `name` parses names.

mod builtin;
mod config;
mod env;
mod name;
mod prices;

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

pub use config::{ProviderConfig, RetryConfig, Seconds, is_local};
pub use env::{Env, SystemEnv};

use super::embeddings::{SharedEmbeddings, TapedEmbeddings};
use super::error::{ModelError, ModelErrorKind};
use super::layer::{
    AnswerSource, BudgetLimits, Budgeted, Deadline, Meter, Metered, RateLimit, RateLimited, Retrying, Tape,
    Traced,
};
use super::model::{ModelName, SharedModel};
use super::money::Prices;
use super::offline::{OFFLINE_PROVIDER, Offline};
use super::openai::{ApiKey, Endpoint, EndpointSpec, OpenAi, OpenAiEmbeddings};
use super::redact::Redactor;
use config::Settings;

/// The known model providers, and the meter, budget and tape that their models share. It makes models from
/// names.
///
/// ```
/// use stategraph_llm::{ChatModel, Providers, SystemEnv};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let providers = Providers::new(SystemEnv);
/// // `gpt-…`, `claude-…` and `gemini-…` are known too, and need the keys of their providers.
/// let model = providers.model("offline")?;
/// assert_eq!(model.name().to_string(), "offline");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct Providers {
    env: Box<dyn Env>,
    /// Keys that were given directly instead of by a variable, by provider.
    keys: BTreeMap<String, ApiKey>,
    settings: BTreeMap<String, Settings>,
    offline: SharedModel,
    meter: Meter,
    budget: Option<BudgetLimits>,
    tape: Tape,
    seed: u64,
    /// Secrets that are removed from all answers, besides the endpoint's own key and headers.
    secrets: Redactor,
    /// Endpoints made so far, by provider.
    opened: Mutex<BTreeMap<String, Opened>>,
}

/// The endpoint and the rate limit that all models of one provider share.
#[derive(Clone)]
struct Opened {
    endpoint: Arc<Endpoint>,
    rate: Arc<RateLimit>,
}

/// A function that returns the key for one model, which replaces the key of its provider; `None` keeps that.
/// It is called only when needed, because a replay needs no key.
type OwnKey<'a> = &'a dyn Fn() -> Result<Option<ApiKey>, ModelErrorKind>;

impl Providers {
    /// Returns the built-in providers, with keys from `env`.
    pub fn new(env: impl Env + 'static) -> Self {
        Self {
            env: Box::new(env),
            keys: BTreeMap::new(),
            settings: builtin::all(),
            offline: Arc::new(Offline::builder().build()),
            meter: Meter::default(),
            budget: None,
            tape: Tape::Off,
            // Seeded randomly, because processes that were throttled together must not retry together.
            seed: RandomState::new().hash_one(0),
            secrets: Redactor::new(),
            opened: Mutex::default(),
        }
    }

    /// Adds the providers of a configuration. An entry with a built-in name overrides only the settings that it contains.
    pub fn configured(mut self, configs: BTreeMap<String, ProviderConfig>) -> Result<Self, ModelError> {
        for (name, config) in configs {
            let model = ModelName::new(name.as_str(), "");
            let base = self.settings.remove(&name);
            let settings =
                Settings::merge(&name, base, config).map_err(|kind| ModelError::new(&model, kind))?;
            self.settings.insert(name, settings);
        }
        Ok(self)
    }

    /// Sets the model behind the name `offline`, with its rules.
    pub fn offline(mut self, offline: Offline) -> Self {
        self.offline = Arc::new(offline);
        self
    }

    /// Sets the key for the provider of the model name `model`, instead of the key in its environment
    /// variable. No other provider gets it. Fails for an unknown model name or an invalid key.
    pub fn key_of(mut self, model: &str, key: &str) -> Result<Self, ModelError> {
        let name = name::resolve(model, &self.names())
            .map_err(|kind| ModelError::new(&ModelName::from(model.trim()), kind))?;
        let key = ApiKey::parse("--api-key", key).map_err(|kind| ModelError::new(&name, kind))?;
        self.keys.insert(name.provider().to_owned(), key);
        Ok(self)
    }

    /// Sets a budget over all models together.
    pub fn budget(mut self, limits: BudgetLimits) -> Self {
        self.budget = Some(limits);
        self
    }

    /// Sets the tape: the models record their calls on it, or are replaced by it in a replay.
    pub fn tape(mut self, tape: Tape) -> Self {
        self.tape = tape;
        self
    }

    /// Sets secrets that are removed from all answers, besides the endpoint's own key and headers.
    pub fn secrets(mut self, secrets: Redactor) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets the seed of the retries' jitter.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns the meter that counts the calls of all models made here.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Returns the names of the providers, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.settings.keys().cloned().collect();
        names.push(OFFLINE_PROVIDER.into());
        names.sort_unstable();
        names
    }

    /// Returns the base URL of a provider and the environment variable of its key, if it has one. `None` for
    /// an unknown provider and for `offline`.
    pub fn address(&self, provider: &str) -> Option<(&str, Option<&str>)> {
        let settings = self.settings.get(provider)?;
        Some((&settings.base_url, settings.api_key_env.as_deref()))
    }

    /// Makes the model that `text` names, with all layers. Opens no connection. Fails for an unknown name or
    /// a missing key.
    pub fn model(&self, text: &str) -> Result<SharedModel, ModelError> {
        self.build_layers(text, &|| Ok(None))
    }

    /// Makes a model as [`model`](Self::model) does, with its own `key` instead of the provider's. `variable`
    /// names the source of the key in errors. The model shares no connections and no rate limit.
    pub fn model_with_key(&self, text: &str, variable: &str, key: &str) -> Result<SharedModel, ModelError> {
        self.build_layers(text, &|| ApiKey::parse(variable, key).map(Some))
    }

    /// Returns the prices of a model: those of the configuration, else the list prices of the provider's own endpoint; `None` if
    /// they are not known.
    pub fn prices(&self, name: &ModelName) -> Option<Prices> {
        self.settings.get(name.provider())?.prices(name.model())
    }

    /// Makes the model that `text` names, with budget, meter and tracing around it.
    fn build_layers(&self, text: &str, key: OwnKey<'_>) -> Result<SharedModel, ModelError> {
        let name = name::resolve(text, &self.names())
            .map_err(|kind| ModelError::new(&ModelName::from(text.trim()), kind))?;
        let model = self.source(&name, key).map_err(|kind| ModelError::new(&name, kind))?;
        let model: SharedModel = match self.budget {
            Some(limits) => Arc::new(Budgeted::new(model, self.meter.clone(), limits)),
            None => model,
        };
        let prices = self.prices(&name);
        let source = match self.tape {
            Tape::Replay(_) => AnswerSource::Recording,
            Tape::Off | Tape::Record(_) => AnswerSource::Model,
        };
        let metered = Metered::new(model, self.meter.clone(), prices);
        Ok(Arc::new(Traced::new(metered).answers_from(source)))
    }

    /// Makes the embedding model that `text` names. Opens no connection. Fails for an unknown name, `offline`
    /// or a missing key. A replay needs no key. Its cost is not metered.
    pub fn embeddings(&self, text: &str) -> Result<SharedEmbeddings, ModelError> {
        let name = name::resolve(text, &self.names())
            .map_err(|kind| ModelError::new(&ModelName::from(text.trim()), kind))?;
        let Some(settings) = self.settings.get(name.provider()) else {
            let known = self.settings.keys().cloned().collect();
            let kind =
                ModelErrorKind::UnknownProvider { provider: name.provider().into(), nearest: None, known };
            return Err(ModelError::new(&name, kind));
        };
        if let Tape::Replay(_) = self.tape {
            return Ok(Arc::new(TapedEmbeddings { name, inner: None, tape: self.tape.clone() }));
        }
        let opened = self.open(name.provider(), settings).map_err(|kind| ModelError::new(&name, kind))?;
        let limit = settings.timeout.unwrap_or(settings.limits.first_token);
        let inner = Arc::new(OpenAiEmbeddings::new(name.clone(), opened.endpoint, limit));
        Ok(Arc::new(TapedEmbeddings { name, inner: Some(inner), tape: self.tape.clone() }))
    }

    /// Makes the model below budget and meter: the replayed recording, the rules or the endpoint, which may
    /// be recorded.
    fn source(&self, name: &ModelName, key: OwnKey<'_>) -> Result<SharedModel, ModelErrorKind> {
        let live = || match name.provider() {
            OFFLINE_PROVIDER => Ok(self.offline.clone()),
            _ => self.remote(name, key()?),
        };
        Ok(match &self.tape {
            Tape::Off => live()?,
            Tape::Record(recorder) => Arc::new(recorder.model(live()?)),
            Tape::Replay(replay) => Arc::new(replay.model(name.clone())),
        })
    }

    /// Makes a model of an endpoint, with deadline, rate limit and retries.
    fn remote(&self, name: &ModelName, key: Option<ApiKey>) -> Result<SharedModel, ModelErrorKind> {
        let settings = self.settings.get(name.provider()).expect("resolve() found this provider");
        let opened = match key {
            None => self.open(name.provider(), settings)?,
            Some(key) => self.opened_with(name.provider(), settings, Some(key))?,
        };
        let model = OpenAi::new(name.clone(), opened.endpoint);
        let model: SharedModel = match settings.timeout {
            Some(limit) => Arc::new(Deadline::new(model, limit)),
            None => Arc::new(model),
        };
        let model = RateLimited::new(model, opened.rate);
        Ok(Arc::new(Retrying::new(model, settings.retry, self.seed, SystemTime::now)))
    }

    /// Returns the endpoint of a provider; makes it at the first call.
    fn open(&self, provider: &str, settings: &Settings) -> Result<Opened, ModelErrorKind> {
        let mut opened = self.opened.lock().expect("no holder of this lock panics");
        if let Some(found) = opened.get(provider) {
            return Ok(found.clone());
        }
        let made = self.opened_with(provider, settings, self.key(provider, settings)?)?;
        opened.insert(provider.to_owned(), made.clone());
        Ok(made)
    }

    /// Makes an endpoint and a rate limit for this key.
    fn opened_with(
        &self,
        provider: &str,
        settings: &Settings,
        key: Option<ApiKey>,
    ) -> Result<Opened, ModelErrorKind> {
        let spec = EndpointSpec { secrets: self.secrets.clone(), ..settings.endpoint(provider, key) };
        let rate = Arc::new(RateLimit::new(settings.rate));
        Ok(Opened { endpoint: Arc::new(Endpoint::new(spec)?), rate })
    }

    /// Returns the key of a provider: given directly, or from its variable. `None` if the provider uses none,
    /// or is a server on this machine and the variable is not set; otherwise a missing variable is an error.
    fn key(&self, provider: &str, settings: &Settings) -> Result<Option<ApiKey>, ModelErrorKind> {
        if let Some(key) = self.keys.get(provider) {
            return Ok(Some(key.clone()));
        }
        let Some(variable) = &settings.api_key_env else { return Ok(None) };
        match self.env.var(variable) {
            Some(text) => ApiKey::parse(variable, &text).map(Some),
            None if settings.is_local() => Ok(None),
            None => {
                Err(ModelErrorKind::MissingKey { provider: provider.to_owned(), variable: variable.clone() })
            }
        }
    }
}
