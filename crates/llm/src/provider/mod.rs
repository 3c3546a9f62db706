//! From a name to a model with its layers: `gemini-…`, `local/any-name`, `offline`. Everything that a name
//! can get wrong is said here, before any call (ARD-24). `builtin` is the list of known providers, `config`
//! what a user writes, `env` where keys come from, `name` the reading of names.

mod builtin;
mod config;
mod env;
mod name;

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
    BudgetLimits, Budgeted, Deadline, Meter, Metered, RateLimit, RateLimited, Retrying, Tape, Traced,
};
use super::model::{ModelName, SharedModel};
use super::offline::Offline;
use super::openai::{Endpoint, EndpointSpec, Key, OpenAi, OpenAiEmbeddings};
use super::redact::Redactor;
use config::Settings;

/// The known providers and what every model made here shares: meter, budget, recording.
pub struct Providers {
    env: Box<dyn Env>,
    /// Keys that were given otherwise than by a variable, by provider.
    keys: BTreeMap<String, Key>,
    settings: BTreeMap<String, Settings>,
    offline: SharedModel,
    meter: Meter,
    budget: Option<BudgetLimits>,
    tape: Tape,
    seed: u64,
    /// Secrets that no answer of an endpoint may show, besides its own key and headers.
    secrets: Redactor,
    opened: Mutex<BTreeMap<String, Opened>>,
}

/// What models of one provider share.
#[derive(Clone)]
struct Opened {
    endpoint: Arc<Endpoint>,
    rate: Arc<RateLimit>,
}

/// Gives the key that a model has instead of its provider's, where it is asked for: a recording needs none.
type OwnKey<'a> = &'a dyn Fn() -> Result<Option<Key>, ModelErrorKind>;

impl Providers {
    /// The built-in providers, with keys from `env`.
    pub fn new(env: impl Env + 'static) -> Self {
        Self {
            env: Box::new(env),
            keys: BTreeMap::new(),
            settings: builtin::all(),
            offline: Arc::new(Offline::builder().build()),
            meter: Meter::default(),
            budget: None,
            tape: Tape::Off,
            // Processes that were throttled together should not come back together.
            seed: RandomState::new().hash_one(0),
            secrets: Redactor::new(),
            opened: Mutex::default(),
        }
    }

    /// Adds the providers of a configuration. One that bears a built-in name changes what it sets and keeps
    /// the rest.
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

    /// With the rules that `offline` answers by.
    pub fn offline(mut self, offline: Offline) -> Self {
        self.offline = Arc::new(offline);
        self
    }

    /// With the key of the provider of `model`, in the place of the one in its variable; no other provider gets it. Rules need none.
    pub fn key_of(mut self, model: &str, key: &str) -> Result<Self, ModelError> {
        let name = name::resolve(model, &self.names())
            .map_err(|kind| ModelError::new(&ModelName::from(model.trim()), kind))?;
        let key = Key::parse("--api-key", key).map_err(|kind| ModelError::new(&name, kind))?;
        self.keys.insert(name.provider().to_owned(), key);
        Ok(self)
    }

    /// With a budget over all models together.
    pub fn budget(mut self, limits: BudgetLimits) -> Self {
        self.budget = Some(limits);
        self
    }

    /// With a recording, written or read.
    pub fn tape(mut self, tape: Tape) -> Self {
        self.tape = tape;
        self
    }

    /// With secrets that no answer of an endpoint may show, besides its own key and headers.
    pub fn secrets(mut self, secrets: Redactor) -> Self {
        self.secrets = secrets;
        self
    }

    /// With a fixed seed for the jitter of retries.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What all models made here have used so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The names of the providers, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.settings.keys().cloned().collect();
        names.push(name::OFFLINE.into());
        names.sort_unstable();
        names
    }

    /// Returns the address of a provider, and the environment variable of its key where it has one.
    pub fn address(&self, provider: &str) -> Option<(&str, Option<&str>)> {
        let settings = self.settings.get(provider)?;
        Some((&settings.base_url, settings.api_key_env.as_deref()))
    }

    /// The model `text` names, with its layers. Opens no connection; a missing key is said now.
    pub fn model(&self, text: &str) -> Result<SharedModel, ModelError> {
        self.layered(text, &|| Ok(None))
    }

    /// The same with a key of its own, which came from `variable`, in the place of the provider's. The connections are its own, too.
    pub fn model_with_key(&self, text: &str, variable: &str, key: &str) -> Result<SharedModel, ModelError> {
        self.layered(text, &|| Key::parse(variable, key).map(Some))
    }

    fn layered(&self, text: &str, key: OwnKey<'_>) -> Result<SharedModel, ModelError> {
        let name = name::resolve(text, &self.names())
            .map_err(|kind| ModelError::new(&ModelName::from(text.trim()), kind))?;
        let model = self.source(&name, key).map_err(|kind| ModelError::new(&name, kind))?;
        let model: SharedModel = match self.budget {
            Some(limits) => Arc::new(Budgeted::new(model, self.meter.clone(), limits)),
            None => model,
        };
        let prices = self.settings.get(name.provider()).and_then(|settings| settings.prices(name.model()));
        Ok(Arc::new(Traced::new(Metered::new(model, self.meter.clone(), prices))))
    }

    /// The model that `text` names, for vectors instead of answers. Opens no connection; a missing key is said now. What it costs is
    /// not metered.
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

    /// Where the answers come from: the recording, the rules or the endpoint.
    fn source(&self, name: &ModelName, key: OwnKey<'_>) -> Result<SharedModel, ModelErrorKind> {
        let live = || match name.provider() {
            name::OFFLINE => Ok(self.offline.clone()),
            _ => self.remote(name, key()?),
        };
        Ok(match &self.tape {
            Tape::Off => live()?,
            Tape::Record(recorder) => Arc::new(recorder.model(live()?)),
            Tape::Replay(replay) => Arc::new(replay.model(name.clone())),
        })
    }

    fn remote(&self, name: &ModelName, key: Option<Key>) -> Result<SharedModel, ModelErrorKind> {
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

    fn open(&self, provider: &str, settings: &Settings) -> Result<Opened, ModelErrorKind> {
        let mut opened = self.opened.lock().expect("no holder of this lock panics");
        if let Some(found) = opened.get(provider) {
            return Ok(found.clone());
        }
        let made = self.opened_with(provider, settings, self.key(provider, settings)?)?;
        opened.insert(provider.to_owned(), made.clone());
        Ok(made)
    }

    fn opened_with(
        &self,
        provider: &str,
        settings: &Settings,
        key: Option<Key>,
    ) -> Result<Opened, ModelErrorKind> {
        let spec = EndpointSpec { secrets: self.secrets.clone(), ..settings.endpoint(provider, key) };
        let rate = Arc::new(RateLimit::new(settings.rate));
        Ok(Opened { endpoint: Arc::new(Endpoint::new(spec)?), rate })
    }

    /// A server on this machine works without the key it could have; any other would answer 401.
    fn key(&self, provider: &str, settings: &Settings) -> Result<Option<Key>, ModelErrorKind> {
        if let Some(key) = self.keys.get(provider) {
            return Ok(Some(key.clone()));
        }
        let Some(variable) = &settings.api_key_env else { return Ok(None) };
        match self.env.var(variable) {
            Some(text) => Key::parse(variable, &text).map(Some),
            None if settings.is_local() => Ok(None),
            None => {
                Err(ModelErrorKind::MissingKey { provider: provider.to_owned(), variable: variable.clone() })
            }
        }
    }
}
