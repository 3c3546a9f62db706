//! The address of an endpoint with its key and headers, checked once. Reads no environment; see `provider`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_openai::config::Config;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::super::error::ModelErrorKind;
use super::super::redact::Redactor;
use super::answer_timer::AnswerTimeouts;
use stategraph_base::is_loopback_host;

/// The way to request a structured answer, strongest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// Sends the full schema as `response_format`, for servers that compile it to a grammar and so enforce it (llama.cpp, Ollama, vLLM).
    Grammar,
    /// Sends the schema as `response_format`, reduced to the part of JSON Schema that OpenAI's strict mode supports.
    #[default]
    JsonSchema,
    /// Requests JSON by `response_format`, without a schema; the schema is in the prompt.
    JsonObject,
    /// Requests JSON by the prompt alone, which has the schema.
    Prompt,
}

impl Structured {
    /// Returns the next weaker way, for an endpoint that refuses this one; `None` after the weakest.
    pub(super) fn weaker(self) -> Option<Self> {
        match self {
            Self::Grammar => Some(Self::JsonSchema),
            Self::JsonSchema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

/// The name of the request field that limits the tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// `max_tokens`, which all but OpenAI's newer models support.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models require.
    MaxCompletionTokens,
}

/// A validated API key that `Debug` does not print.
#[derive(Clone, Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Validates a key. `variable` is the environment variable or option it came from, for errors. White
    /// space around it is removed, because keys often end with a line break.
    pub fn parse(variable: &str, text: &str) -> Result<Self, ModelErrorKind> {
        let text = text.trim();
        let bad = |reason: &str| ModelErrorKind::BadKey { variable: variable.into(), reason: reason.into() };
        if text.is_empty() {
            return Err(bad("it is empty"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("it holds a space, a line break or a character that is not ASCII"));
        }
        Ok(Self(SecretString::from(text)))
    }
}

/// The settings from which an [`Endpoint`] is made.
#[derive(Debug)]
pub struct EndpointSpec {
    /// Name of the provider, for errors.
    pub provider: String,
    /// Base URL of the OpenAI-compatible API, as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// API key; `None` sends no `Authorization`.
    pub key: Option<ApiKey>,
    /// Additional headers.
    pub headers: BTreeMap<String, SecretString>,
    /// Connection timeout.
    pub connect_timeout: Duration,
    /// Timeouts within an answer.
    pub limits: AnswerTimeouts,
    /// Way to request structured answers.
    pub structured: Structured,
    /// Request field of the token limit.
    pub limit_field: LimitField,
    /// Token limit of an answer if the request sets none; `None` leaves it to the endpoint.
    pub max_tokens: Option<u32>,
    /// Secrets, besides key and headers, that are removed from answers.
    pub secrets: Redactor,
    /// Protection that key and headers need in transit.
    pub transport: Transport,
}

/// The protection that the key and headers of an endpoint need on the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Only https is allowed, or an address on this machine.
    #[default]
    Protected,
    /// Plain http is allowed, because the user trusts the network.
    Any,
}

/// A validated endpoint with its connection pool.
pub struct Endpoint {
    base_url: String,
    headers: HeaderMap,
    key: SecretString,
    connect_timeout: Duration,
    limits: AnswerTimeouts,
    structured: Structured,
    limit_field: LimitField,
    max_tokens: Option<u32>,
    takes_usage: AtomicBool,
    redactor: Redactor,
    scrubber: Redactor,
    http: reqwest::Client,
}

impl Endpoint {
    /// Validates the settings and sets up the connection pool, without opening a connection. Fails for an
    /// invalid URL or header, and if a key or header would travel unencrypted.
    pub fn new(spec: EndpointSpec) -> Result<Self, ModelErrorKind> {
        let bad = |problem| ModelErrorKind::BadProvider { provider: spec.provider.clone(), problem };
        let base_url = check_url(&spec.base_url).map_err(bad)?;
        let headers = headers(&spec).map_err(bad)?;
        let is_protected = base_url.scheme() == "https" || is_loopback(&base_url);
        if !headers.is_empty() && !is_protected && spec.transport == Transport::Protected {
            let base_url = base_url.to_string();
            return Err(ModelErrorKind::Unencrypted { provider: spec.provider, base_url });
        }
        let http = connections(&base_url, &spec).map_err(bad)?;
        let is_credential = |name: &str| CREDENTIALS.iter().any(|part| name.contains(part));
        let (scrubber, redactor) = (redactor(&spec, &|_| true), redactor(&spec, &is_credential));
        Ok(Self {
            base_url: base_url.as_str().trim_end_matches('/').to_owned(),
            headers,
            key: spec.key.map_or_else(SecretString::default, |key| key.0),
            connect_timeout: spec.connect_timeout,
            limits: spec.limits,
            structured: spec.structured,
            limit_field: spec.limit_field,
            max_tokens: spec.max_tokens,
            takes_usage: AtomicBool::new(true),
            redactor,
            scrubber,
            http,
        })
    }

    /// Returns the base URL, without a slash at its end. Contains no secret.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(super) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    pub(super) fn structured(&self) -> Structured {
        self.structured
    }

    pub(super) fn limit_field(&self) -> LimitField {
        self.limit_field
    }

    pub(super) fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    pub(super) fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }

    pub(super) fn limits(&self) -> AnswerTimeouts {
        self.limits
    }

    /// Returns true if `stream_options` may be sent: until the endpoint has refused it once.
    pub(super) fn takes_usage(&self) -> bool {
        self.takes_usage.load(Ordering::Relaxed)
    }

    /// Records that the endpoint refused `stream_options`.
    pub(super) fn refuses_usage(&self) {
        self.takes_usage.store(false, Ordering::Relaxed);
    }

    /// Returns the redactor for answers: it removes the key, headers with credentials and the other secrets
    /// of the run.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Returns the redactor for errors, which also removes all headers, because some endpoints repeat them (ENG-27). It is not used for
    /// answers, because an answer may contain the value of a header that is no credential, such as the address of a site.
    pub(super) fn scrubber(&self) -> &Redactor {
        &self.scrubber
    }
}

/// Substrings of the names of headers that hold credentials.
const CREDENTIALS: [&str; 7] = ["auth", "key", "token", "secret", "cookie", "credential", "password"];

/// Makes a redactor of the key, the spec's secrets, and the headers whose names in lower case `chosen`
/// selects. A header value counts as a secret with and without its scheme (`Bearer …`).
fn redactor(spec: &EndpointSpec, chosen: &dyn Fn(&str) -> bool) -> Redactor {
    let redactor = spec.secrets.clone();
    let redactor = match &spec.key {
        Some(ApiKey(key)) => redactor.with("api_key", key.expose_secret()),
        None => redactor,
    };
    spec.headers.iter().filter(|(name, _)| chosen(&name.to_ascii_lowercase())).fold(
        redactor,
        |redactor, (name, value)| {
            let value = value.expose_secret().trim();
            let credential = value.split_once(' ').map_or(value, |(_, credential)| credential.trim());
            redactor.with(name, value).with(name, credential)
        },
    )
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// The configuration for async-openai. Its own `OpenAIConfig` is not used, because it would read `OPENAI_*` and send OpenAI's key to other
/// vendors.
impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        &self.base_url
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// Parses the base URL. Fails unless it is http(s) with a host and without user, password or query.
fn check_url(text: &str) -> Result<reqwest::Url, String> {
    let url = reqwest::Url::parse(text.trim()).map_err(|error| format!("`base_url`: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("`base_url` should begin with http:// or https:// and name a host".into());
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(
            "`base_url` holds a password or a query; keys belong into the variable of `api_key_env`".into()
        );
    }
    Ok(url)
}

/// Returns the headers of every request: the key as `Authorization`, and the configured ones.
fn headers(spec: &EndpointSpec) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if let Some(ApiKey(key)) = &spec.key {
        let bearer = format!("Bearer {}", key.expose_secret());
        headers.insert(AUTHORIZATION, secret_value(&bearer).expect("a checked key is visible ASCII"));
    }
    for (name, value) in &spec.headers {
        let bad = || format!("header `{name}` is no HTTP header");
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        headers.insert(header, secret_value(value.expose_secret()).ok_or_else(bad)?);
    }
    Ok(headers)
}

/// Makes a header value that `Debug` of the HTTP stack hides; `None` if the text is no valid value.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Makes the HTTP client of an endpoint.
fn connections(base_url: &reqwest::Url, spec: &EndpointSpec) -> Result<reqwest::Client, String> {
    // No read timeout here, because `answer_timer` has the timeouts within an answer.
    client(base_url, spec.connect_timeout, None)
}

/// Makes an HTTP client for the host of `url`. `connect` bounds the time to connect; `idle`, if set, the time
/// to the next byte. It follows no redirect, uses no proxy for this machine, and opens no connection yet. The
/// error is the reason why TLS or the system refuses.
pub fn client(
    url: &reqwest::Url,
    connect: Duration,
    idle: Option<Duration>,
) -> Result<reqwest::Client, String> {
    install_tls();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("stategraph/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        // Redirects are refused, because one would turn the POST into a GET and carry the headers to another host.
        .redirect(reqwest::redirect::Policy::none());
    if let Some(idle) = idle {
        builder = builder.read_timeout(idle);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // No certificates are loaded, because reading the system's takes longer than a whole offline run and fails where there are none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| format!("cannot set up HTTP: {}", super::exchange::cause(&error)))
}

/// Returns true if `url` is on this machine.
pub(in super::super) fn is_loopback(url: &reqwest::Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// Installs the TLS provider of the process, because rustls requires one; the first that was installed stays. Needed before a client of
/// `reqwest` is made elsewhere.
pub fn install_tls() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
