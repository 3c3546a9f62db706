//! The user's configuration of a provider, and its merge with the built-in settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Deserializer, de};

use super::super::error::ModelErrorKind;
use super::super::layer::{ModelRetryPolicy, RatePolicy};
use super::super::money::Prices;
use super::super::offline::OFFLINE_PROVIDER;
use super::super::openai::{
    AnswerTimeouts, ApiKey, EndpointSpec, LimitField, Structured, Transport, is_loopback,
};
use super::super::redact::Redactor;
use super::prices;

/// One entry of `providers:` in a configuration file. A setting that is absent keeps the built-in value, or
/// the default named here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderConfig {
    /// Base URL of the OpenAI-compatible API; required unless the name is built in.
    pub base_url: Option<String>,
    /// Environment variable of the key. It may be unset only for a server on this machine.
    pub api_key_env: Option<String>,
    /// Additional headers of every request. Not printed.
    pub headers: BTreeMap<String, SecretString>,
    /// Lets key and headers travel over http:// to another machine; `false` unless set.
    pub insecure_http: bool,
    /// Way to request structured answers; `grammar` on this machine, else `json_schema`. After a refusal the next weaker one is used.
    pub structured: Option<Structured>,
    /// Request field of the token limit; `max_tokens` unless set.
    pub limit_field: Option<LimitField>,
    /// Maximum tokens of one answer; the endpoint's own limit unless set.
    pub max_tokens: Option<NonZeroU32>,
    /// Connection timeout; 10 s unless set.
    pub connect_timeout_s: Option<Seconds>,
    /// Timeout of the first token, or of a whole answer that is not streamed; 600 s unless set, or `idle_timeout_s` if that is more.
    pub first_token_timeout_s: Option<Seconds>,
    /// Timeout of each further token; 120 s unless set.
    pub idle_timeout_s: Option<Seconds>,
    /// Deadline of one whole answer; none unless set, because a long answer is no failure while tokens arrive.
    pub timeout_s: Option<Seconds>,
    /// Retries of transient errors.
    pub retry: RetryConfig,
    /// Maximum requests per minute; no limit unless set.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Requests that may start at once; a tenth of the requests per minute unless set.
    pub burst: Option<NonZeroU32>,
    /// Maximum tokens per minute, prompt and completion together; no limit unless set.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// Prices in dollars per million tokens, by model; `*` matches all others.
    pub prices: BTreeMap<String, Prices>,
}

/// The retry settings of a provider.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetryConfig {
    /// Maximum number of requests; 3 unless set.
    pub attempts: Option<u32>,
    /// First delay, which then doubles; 2 s unless set.
    pub base_s: Option<Seconds>,
    /// Longest delay, also of a `Retry-After`; 60 s unless set.
    pub max_wait_s: Option<Seconds>,
}

/// A positive duration, written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(Duration);

impl Seconds {
    /// Makes a value of `duration`.
    pub fn new(duration: Duration) -> Self {
        Self(duration)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        match Duration::try_from_secs_f64(number) {
            Ok(duration) if !duration.is_zero() => Ok(Self(duration)),
            _ => Err(de::Error::custom(format!("expected a positive number of seconds, found {number}"))),
        }
    }
}

/// The complete settings of a provider: built-in values merged with the user's configuration.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) base_url: String,
    pub(super) api_key_env: Option<String>,
    pub(super) headers: BTreeMap<String, SecretString>,
    pub(super) transport: Transport,
    pub(super) structured: Structured,
    pub(super) limit_field: LimitField,
    pub(super) max_tokens: Option<NonZeroU32>,
    pub(super) connect_timeout: Duration,
    pub(super) limits: AnswerTimeouts,
    pub(super) timeout: Option<Duration>,
    pub(super) retry: ModelRetryPolicy,
    pub(super) rate: RatePolicy,
    pub(super) prices: BTreeMap<String, Prices>,
    /// The provider whose list prices apply; `None` if the user set another address, where others may apply.
    pub(super) price_list: Option<&'static str>,
}

impl Settings {
    /// Returns the default settings of a provider at `base_url`.
    pub(super) fn new(base_url: impl Into<String>) -> Self {
        let base_url = base_url.into();
        // Local servers compile a schema to a grammar; remote services restrict the schema.
        let structured = if is_local(&base_url) { Structured::Grammar } else { Structured::default() };
        Self {
            base_url,
            api_key_env: None,
            headers: BTreeMap::new(),
            transport: Transport::default(),
            structured,
            limit_field: LimitField::default(),
            max_tokens: None,
            connect_timeout: Duration::from_secs(10),
            limits: AnswerTimeouts { first_token: Duration::from_mins(10), idle: Duration::from_mins(2) },
            timeout: None,
            retry: ModelRetryPolicy::default(),
            rate: RatePolicy::default(),
            prices: BTreeMap::new(),
            price_list: None,
        }
    }

    /// Returns the settings `base` with the values of `config` over them. Without `base` (the name is not
    /// built in), the defaults are used and `config` must have a `base_url`.
    pub(super) fn merge(
        name: &str,
        base: Option<Self>,
        config: ProviderConfig,
    ) -> Result<Self, ModelErrorKind> {
        let bad =
            |problem: &str| ModelErrorKind::BadProvider { provider: name.into(), problem: problem.into() };
        if name.is_empty() || name == OFFLINE_PROVIDER || name.contains('/') {
            return Err(bad("its name should be a word without a slash, and not `offline`"));
        }
        let mut settings = match (base, &config.base_url) {
            (Some(base), _) => base,
            (None, Some(url)) => Self::new(url.clone()),
            (None, None) => {
                return Err(bad("`base_url` is missing; it is not one of the built-in providers"));
            }
        };
        let seconds =
            |text: Option<Seconds>, into: &mut Duration| *into = text.map_or(*into, |seconds| seconds.0);
        seconds(config.connect_timeout_s, &mut settings.connect_timeout);
        seconds(config.idle_timeout_s, &mut settings.limits.idle);
        // Raised to the silence timeout, because a silence that is allowed later must be allowed at the beginning.
        settings.limits.first_token = settings.limits.first_token.max(settings.limits.idle);
        seconds(config.first_token_timeout_s, &mut settings.limits.first_token);
        settings.timeout = config.timeout_s.map(|seconds| seconds.0).or(settings.timeout);
        seconds(config.retry.base_s, &mut settings.retry.base);
        seconds(config.retry.max_wait_s, &mut settings.retry.max_wait);
        seconds(config.retry.max_wait_s, &mut settings.retry.max_retry_after);
        settings.retry.attempts = config.retry.attempts.unwrap_or(settings.retry.attempts);
        if let Some(url) = config.base_url {
            settings.base_url = url;
            settings.price_list = None;
        }
        settings.api_key_env = config.api_key_env.or(settings.api_key_env);
        settings.headers.extend(config.headers);
        if config.insecure_http {
            settings.transport = Transport::Any;
        }
        settings.structured = config.structured.unwrap_or(settings.structured);
        settings.limit_field = config.limit_field.unwrap_or(settings.limit_field);
        settings.max_tokens = config.max_tokens.or(settings.max_tokens);
        settings.rate = RatePolicy {
            requests_per_minute: config.requests_per_minute,
            burst: config.burst,
            tokens_per_minute: config.tokens_per_minute,
        };
        settings.prices.extend(config.prices);
        Ok(settings)
    }

    /// Returns the settings from which the endpoint of `provider` is made.
    pub(super) fn endpoint(&self, provider: &str, key: Option<ApiKey>) -> EndpointSpec {
        EndpointSpec {
            provider: provider.to_owned(),
            base_url: self.base_url.clone(),
            key,
            headers: self.headers.clone(),
            connect_timeout: self.connect_timeout,
            limits: self.limits,
            structured: self.structured,
            limit_field: self.limit_field,
            max_tokens: self.max_tokens.map(NonZeroU32::get),
            secrets: Redactor::new(),
            transport: self.transport,
        }
    }

    /// Returns true if the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_local(&self.base_url)
    }

    /// Returns the prices of `model`: those of the configuration, else the list prices.
    pub(super) fn prices(&self, model: &str) -> Option<Prices> {
        let own = self.prices.get(model).or_else(|| self.prices.get("*")).copied();
        own.or_else(|| prices::listed(self.price_list?, model))
    }
}

/// Returns true if a URL is on this machine; false for an invalid one.
pub fn is_local(base_url: &str) -> bool {
    reqwest::Url::parse(base_url.trim()).is_ok_and(|url| is_loopback(&url))
}
