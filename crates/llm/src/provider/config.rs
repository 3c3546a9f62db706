//! What a user writes about a provider, and what it becomes together with the built-in settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Deserializer, de};

use super::super::error::ModelErrorKind;
use super::super::layer::{RatePolicy, RetryPolicy};
use super::super::money::Prices;
use super::super::openai::{EndpointSpec, Key, LimitField, Limits, Structured, Transport, is_loopback};
use super::super::redact::Redactor;

/// One entry of `providers:` in a configuration. What is left out keeps the built-in value, or the default
/// named here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderConfig {
    /// The root of the OpenAI-compatible interface; needed unless the name is built in.
    pub base_url: Option<String>,
    /// The environment variable that holds the key. A server on this machine works without; others need it to
    /// be set.
    pub api_key_env: Option<String>,
    /// Further headers of every request. Not printed.
    pub headers: BTreeMap<String, SecretString>,
    /// Lets key and headers travel over http:// to another machine; `false` unless set.
    pub insecure_http: bool,
    /// How to ask for structured answers: `grammar` on this machine, else `json_schema`; and the next weaker form
    /// where the endpoint refuses.
    pub structured: Option<Structured>,
    /// What the limit of an answer is called; `max_tokens`.
    pub limit_field: Option<LimitField>,
    /// The most tokens of one answer; the endpoint's own limit.
    pub max_tokens: Option<NonZeroU32>,
    /// Patience for the connection; 10 s.
    pub connect_timeout_s: Option<Seconds>,
    /// Patience for the first token of an answer, which is the whole of one that is not streamed; 600 s, or `idle_timeout_s` where
    /// that is more.
    pub first_token_timeout_s: Option<Seconds>,
    /// Patience for each further token; 120 s.
    pub idle_timeout_s: Option<Seconds>,
    /// Patience for one whole answer; no limit, because a long answer is as good as a short one while tokens come.
    pub timeout_s: Option<Seconds>,
    /// Retries of errors that pass.
    pub retry: RetryConfig,
    /// Requests per minute; no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Requests that may go at once; a tenth of a minute's.
    pub burst: Option<NonZeroU32>,
    /// Tokens per minute, read and written; no limit.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// Dollars for a million tokens, by model; `*` stands for all others.
    pub prices: BTreeMap<String, Prices>,
}

/// How errors that pass are met.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetryConfig {
    /// Requests in all; 3.
    pub attempts: Option<u32>,
    /// The first wait, which then doubles; 2 s.
    pub base_s: Option<Seconds>,
    /// The longest wait, the endpoint's own wish included; 60 s.
    pub max_wait_s: Option<Seconds>,
}

/// A positive time, written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(Duration);

impl Seconds {
    /// That long.
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

/// The settings of a provider, complete.
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
    pub(super) limits: Limits,
    pub(super) timeout: Option<Duration>,
    pub(super) retry: RetryPolicy,
    pub(super) rate: RatePolicy,
    pub(super) prices: BTreeMap<String, Prices>,
}

impl Settings {
    /// The defaults, at `base_url`.
    pub(super) fn new(base_url: impl Into<String>) -> Self {
        let base_url = base_url.into();
        // Servers that run on one's own machine make a grammar of a schema; services have rules about schemas.
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
            limits: Limits { first_token: Duration::from_mins(10), idle: Duration::from_mins(2) },
            timeout: None,
            retry: RetryPolicy::default(),
            rate: RatePolicy::default(),
            prices: BTreeMap::new(),
        }
    }

    /// `base`, where there is one, with what `config` sets.
    pub(super) fn merge(
        name: &str,
        base: Option<Self>,
        config: ProviderConfig,
    ) -> Result<Self, ModelErrorKind> {
        let bad =
            |problem: &str| ModelErrorKind::BadProvider { provider: name.into(), problem: problem.into() };
        if name.is_empty() || name == super::name::OFFLINE || name.contains('/') {
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
        // A silence that is allowed later is allowed at the beginning.
        settings.limits.first_token = settings.limits.first_token.max(settings.limits.idle);
        seconds(config.first_token_timeout_s, &mut settings.limits.first_token);
        settings.timeout = config.timeout_s.map(|seconds| seconds.0).or(settings.timeout);
        seconds(config.retry.base_s, &mut settings.retry.base);
        seconds(config.retry.max_wait_s, &mut settings.retry.max_wait);
        seconds(config.retry.max_wait_s, &mut settings.retry.max_retry_after);
        settings.retry.attempts = config.retry.attempts.unwrap_or(settings.retry.attempts);
        settings.base_url = config.base_url.unwrap_or(settings.base_url);
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

    /// What the endpoint is made from.
    pub(super) fn endpoint(&self, provider: &str, key: Option<Key>) -> EndpointSpec {
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

    /// Whether the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_local(&self.base_url)
    }

    /// What `model` costs, where that is known.
    pub(super) fn prices(&self, model: &str) -> Option<Prices> {
        self.prices.get(model).or_else(|| self.prices.get("*")).copied()
    }
}

/// Returns true for the address of a server on this machine.
pub fn is_local(base_url: &str) -> bool {
    reqwest::Url::parse(base_url.trim()).is_ok_and(|url| is_loopback(&url))
}
