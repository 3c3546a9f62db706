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
use super::pulse::Limits;

/// How an endpoint is asked for a structured answer, strongest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// The schema is sent as `response_format` with all its bounds and patterns: for servers that make a grammar
    /// of it, which then holds the model to them (llama.cpp, Ollama, vLLM).
    Grammar,
    /// The schema is sent as `response_format`, in the part of JSON Schema that OpenAI's strict mode takes.
    #[default]
    JsonSchema,
    /// `response_format` asks for JSON; the schema stands in the prompt.
    JsonObject,
    /// The prompt alone asks.
    Prompt,
}

impl Structured {
    /// What to fall back to.
    pub(super) fn weaker(self) -> Option<Self> {
        match self {
            Self::Grammar => Some(Self::JsonSchema),
            Self::JsonSchema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

/// What the endpoint calls the upper limit of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// `max_tokens`, which all but OpenAI's newer models take.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models demand.
    MaxCompletionTokens,
}

/// A key that was checked and does not print.
#[derive(Clone, Debug)]
pub struct Key(SecretString);

impl Key {
    /// The key in `text`, which came from `variable`. White space around it (a trailing line break, above
    /// all) is cut off.
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

/// What an endpoint is made from.
#[derive(Debug)]
pub struct EndpointSpec {
    /// Whose it is, for errors.
    pub provider: String,
    /// The root of the compatible interface, as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key; none sends no `Authorization`.
    pub key: Option<Key>,
    /// Further headers.
    pub headers: BTreeMap<String, SecretString>,
    /// Patience for the connection.
    pub connect_timeout: Duration,
    /// Patience for the first token, and for the next ones.
    pub limits: Limits,
    /// How to ask for structured answers.
    pub structured: Structured,
    /// What the limit of an answer is called.
    pub limit_field: LimitField,
    /// The limit of an answer where the request names none, in tokens; none leaves it to the endpoint.
    pub max_tokens: Option<u32>,
    /// Secrets besides the key and the headers that its answers must not show.
    pub secrets: Redactor,
    /// Protection that key and headers need on their way.
    pub transport: Transport,
}

/// Protection that the key and headers of an endpoint need on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// They travel over https, or do not leave this machine.
    #[default]
    Protected,
    /// They may travel unencrypted: the user trusts the network.
    Any,
}

/// A checked address with its connections.
pub struct Endpoint {
    base_url: String,
    headers: HeaderMap,
    key: SecretString,
    connect_timeout: Duration,
    limits: Limits,
    structured: Structured,
    limit_field: LimitField,
    max_tokens: Option<u32>,
    takes_usage: AtomicBool,
    redactor: Redactor,
    scrubber: Redactor,
    http: reqwest::Client,
}

impl Endpoint {
    /// Checks the settings and sets up the connections; opens none.
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

    /// The root of the interface, without a slash at its end. Holds no secret.
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

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether `stream_options` may be sent: not since the endpoint has refused it once.
    pub(super) fn takes_usage(&self) -> bool {
        self.takes_usage.load(Ordering::Relaxed)
    }

    pub(super) fn refuses_usage(&self) {
        self.takes_usage.store(false, Ordering::Relaxed);
    }

    /// Takes the key and the other secrets of the run out of answers.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Takes all headers out of errors as well, which some endpoints repeat there (ENG-27). An answer may well hold the value of a
    /// header that is no credential, such as the address of a site.
    pub(super) fn scrubber(&self) -> &Redactor {
        &self.scrubber
    }
}

/// Parts of the names of headers that hold credentials.
const CREDENTIALS: [&str; 7] = ["auth", "key", "token", "secret", "cookie", "credential", "password"];

/// The redactor of the key and of those headers that `chosen` takes by their names. The scheme before a credential, as in `Bearer …`, is
/// no part of the secret.
fn redactor(spec: &EndpointSpec, chosen: &dyn Fn(&str) -> bool) -> Redactor {
    let redactor = spec.secrets.clone();
    let redactor = match &spec.key {
        Some(Key(key)) => redactor.with("api_key", key.expose_secret()),
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

/// async-openai's own configuration would read `OPENAI_*` and send OpenAI's key to other vendors; this one
/// knows only what it was given.
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

fn headers(spec: &EndpointSpec) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if let Some(Key(key)) = &spec.key {
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

/// A header value that `Debug` of the HTTP stack hides.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn connections(base_url: &reqwest::Url, spec: &EndpointSpec) -> Result<reqwest::Client, String> {
    // The waits within an answer are those of `pulse`.
    client(base_url, spec.connect_timeout, None)
}

/// Returns a client for the host of `url`, with limits for the connection and, where it is set, for the next byte. It opens no connection,
/// follows no redirect and uses TLS of this crate. The error is the reason why TLS or the system refuses.
pub fn client(
    url: &reqwest::Url,
    connect: Duration,
    idle: Option<Duration>,
) -> Result<reqwest::Client, String> {
    install_tls();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("stategraph/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        // A redirect would turn the POST into a GET, and carry the headers to another host.
        .redirect(reqwest::redirect::Policy::none());
    if let Some(idle) = idle {
        builder = builder.read_timeout(idle);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Reading the system's certificates takes longer than a whole offline run, and fails where there are
        // none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| format!("cannot set up HTTP: {}", super::exchange::cause(&error)))
}

/// Whether `url` is on this machine.
pub(in super::super) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// rustls wants one provider of cryptography for the process; whoever came first keeps it.
fn install_tls() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
