//! Errors of a model request: the failure, the model, and a hint. Never contain a key; bodies are excerpts.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::model::{ChatModel, ModelName};

/// A failed model request.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{place}: {kind}")]
pub struct ModelError {
    /// The model and its endpoint.
    pub place: Box<ModelPlace>,
    /// The failure.
    pub kind: Box<ModelErrorKind>,
}

/// The source of an error: a model and its endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPlace {
    /// Name of the model, as the user wrote it.
    pub model: ModelName,
    /// Base URL of the endpoint; `None` if the model has none.
    pub endpoint: Option<String>,
}

impl ModelPlace {
    /// Returns the name and the endpoint of `model`.
    pub fn of(model: &(impl ChatModel + ?Sized)) -> Self {
        Self { model: model.name().clone(), endpoint: model.endpoint().map(str::to_owned) }
    }
}

impl fmt::Display for ModelPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model `{}`", self.model)?;
        self.endpoint.iter().try_for_each(|endpoint| write!(f, " at {endpoint}"))
    }
}

impl ModelError {
    /// Makes an error of a model without an endpoint.
    pub fn new(model: &ModelName, kind: ModelErrorKind) -> Self {
        Self { place: Box::new(ModelPlace { model: model.clone(), endpoint: None }), kind: Box::new(kind) }
    }

    /// Makes an error of `model`, with its endpoint if it has one.
    pub fn of(model: &(impl ChatModel + ?Sized), kind: ModelErrorKind) -> Self {
        Self { place: Box::new(ModelPlace::of(model)), kind: Box::new(kind) }
    }

    /// Sets the endpoint of the error.
    pub fn at(mut self, endpoint: impl Into<String>) -> Self {
        self.place.endpoint = Some(endpoint.into());
        self
    }

    /// Returns true if the same request may succeed later (ENG-15).
    pub fn is_transient(&self) -> bool {
        self.kind.is_transient()
    }

    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        self.kind.hint(&self.place)
    }
}

/// The reason why a model request failed.
#[derive(Clone, Debug, PartialEq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// The connection could not be opened.
    #[error("cannot connect: {reason}")]
    Unreachable {
        /// Reason, as the operating system reports it.
        reason: String,
    },
    /// The connection broke.
    #[error("the connection broke {phase}: {reason}")]
    Dropped {
        /// Progress of the answer.
        phase: Phase,
        /// Reason, as the transport reports it.
        reason: String,
    },
    /// A timeout expired.
    #[error("{which} timeout after {limit:?}")]
    Timeout {
        /// The timeout that expired.
        which: RequestTimeout,
        /// Its duration.
        limit: Duration,
    },
    /// The endpoint refused the request with an HTTP status.
    #[error("answered {status}: {message}")]
    Status {
        /// HTTP status code.
        status: u16,
        /// The endpoint's own code, as text (some send numbers).
        code: Option<String>,
        /// Requested delay; `None` without a `Retry-After`.
        retry_after: Option<RetryAfter>,
        /// The endpoint's request id, for its support.
        request_id: Option<String>,
        /// Its message, or an excerpt of the body.
        message: String,
    },
    /// The endpoint asks for a longer delay than the retry policy allows.
    #[error("answered {status}: {message}; it asks to wait {wait_s} s, longer than the {} s that are waited", limit.as_secs_f64())]
    TryLater {
        /// HTTP status code.
        status: u16,
        /// Its message, or an excerpt of the body.
        message: String,
        /// Requested delay, in seconds.
        wait_s: u64,
        /// End of the delay, in seconds since 1970-01-01 UTC.
        until: u64,
        /// Longest delay that the retry policy allows.
        limit: Duration,
    },
    /// The status was 200, but the body or the stream says that it failed.
    #[error("reported a failure in its answer: {message}")]
    Failed {
        /// The endpoint's own code, as text.
        code: Option<String>,
        /// Its message.
        message: String,
    },
    /// The body is not JSON, or not a completion.
    #[error("answered {content_type} that is no completion: {excerpt}")]
    NotJson {
        /// Content type that the endpoint declares.
        content_type: String,
        /// The beginning of the body.
        excerpt: String,
    },
    /// The answer ends in the middle.
    #[error("the answer stops in the middle ({detail})")]
    Truncated {
        /// Evidence that the answer is incomplete.
        detail: String,
    },
    /// The completion has no choice.
    #[error("answered with no choices")]
    EmptyChoices,
    /// The answer is larger than the limit.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// Limit, in bytes.
        limit: usize,
    },
    /// The model refuses to answer the request.
    #[error("refused to answer: {message}")]
    Refused {
        /// The model's text, or the endpoint's reason.
        message: String,
    },
    /// The key is not in the environment.
    #[error("no key: the environment variable `{variable}` is not set")]
    MissingKey {
        /// Name of the provider.
        provider: String,
        /// Name of the environment variable.
        variable: String,
    },
    /// The key is invalid.
    #[error("the key in `{variable}` is unusable: {reason}")]
    BadKey {
        /// Source of the key.
        variable: String,
        /// Defect of the key, without quoting it.
        reason: String,
    },
    /// The provider's settings are invalid.
    #[error("provider `{provider}`: {problem}")]
    BadProvider {
        /// Name of the provider.
        provider: String,
        /// Name of the setting, and the expected value.
        problem: String,
    },
    /// The key or a header would travel unencrypted to another machine.
    #[error("provider `{provider}`: its key and headers would travel unencrypted to {base_url}")]
    Unencrypted {
        /// Name of the provider.
        provider: String,
        /// Its address.
        base_url: String,
    },
    /// The part of the model name before the slash names no provider.
    #[error("no provider `{provider}`")]
    UnknownProvider {
        /// The name as written.
        provider: String,
        /// The nearest known name.
        nearest: Option<String>,
        /// All known names, in order.
        known: Vec<String>,
    },
    /// The model name has no slash, and does not begin with a known prefix.
    #[error("`{name}` says neither a provider nor begins with a known prefix")]
    UnknownPrefix {
        /// The name as written.
        name: String,
        /// The known prefixes, in order.
        prefixes: Vec<String>,
        /// All known providers, in order.
        known: Vec<String>,
    },
    /// The model name has a provider, but no model.
    #[error("`{provider}` is a provider without a model name")]
    NoModel {
        /// The provider.
        provider: String,
    },
    /// The budget is used up; the call was not made.
    #[error("the budget is used up: {spent} of {limit}")]
    Budget {
        /// Amount spent.
        spent: String,
        /// Limit of the budget.
        limit: String,
    },
    /// The recording does not hold this request.
    #[error("the recording does not match: {difference}")]
    Replay {
        /// Number of the entry, and its first difference.
        difference: String,
    },
    /// The recording cannot be read or written.
    #[error("recording {path}: {reason}")]
    Recording {
        /// The file.
        path: String,
        /// Reason, as the operating system or the parser reports it.
        reason: String,
    },
    /// `offline` has no rule for the request.
    #[error("no rule for {}", task.as_deref().map_or("a request without a task".into(), |task| format!("the task `{task}`")))]
    NoRule {
        /// Task of the request; `None` if it has none.
        task: Option<String>,
        /// The tasks that have rules, in order.
        known: Vec<String>,
    },
    /// A rule of `offline` failed.
    #[error("the rule for `{task}` failed: {reason}")]
    Rule {
        /// The task.
        task: String,
        /// Reason, as the rule reports it.
        reason: String,
    },
    /// A scripted model received more requests than it has answers.
    #[error("the script has no answer left: it has {answers}, and this is question {question}")]
    ScriptEnded {
        /// Number of answers in the script.
        answers: usize,
        /// Number of this request, from 1.
        question: usize,
    },
}

/// The progress of an answer when its connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The headers of the answer had not arrived.
    Headers,
    /// The body was being received.
    Body,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Headers => "before the answer began",
            Self::Body => "in the middle of the answer",
        })
    }
}

/// The timeouts of a model request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestTimeout {
    /// The connection timeout.
    Connect,
    /// The time to the first token.
    FirstToken,
    /// The silence between tokens.
    Idle,
    /// The deadline of the whole answer.
    Overall,
}

impl fmt::Display for RequestTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect",
            Self::FirstToken => "first-token",
            Self::Idle => "idle",
            Self::Overall => "overall",
        })
    }
}

/// A delay as `Retry-After` gives it (RFC 9110, 10.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryAfter {
    /// Delay in seconds.
    Seconds(u64),
    /// Point in time, in seconds since 1970-01-01 UTC.
    At(u64),
}

impl ModelErrorKind {
    /// Returns true if the same request may succeed later: 408, 429 and 5xx, timeouts, failed or broken connections, and answers with
    /// status 200 that are empty, incomplete, without a choice or report a failure. A used-up quota is a lasting 429, and a failure whose
    /// code blames the request is lasting too.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Dropped { .. }
            | Self::Timeout { .. }
            | Self::Truncated { .. }
            | Self::EmptyChoices => true,
            Self::Status { status, code, .. } => passes(*status, code.as_deref()),
            Self::Failed { code, .. } => !code.as_deref().is_some_and(blames_the_request),
            _ => false,
        }
    }

    /// Applies `change` to every text that came from outside.
    pub(super) fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        let apply = |text: &mut String| *text = change(text);
        match &mut self {
            Self::Status { code, request_id, message, .. } => {
                [code, request_id].into_iter().flatten().for_each(apply);
                apply(message);
            }
            Self::TryLater { message, .. } => apply(message),
            Self::Failed { code, message } => {
                code.iter_mut().for_each(apply);
                apply(message);
            }
            Self::NotJson { content_type, excerpt } => [content_type, excerpt].into_iter().for_each(apply),
            Self::Unreachable { reason: text }
            | Self::Dropped { reason: text, .. }
            | Self::Refused { message: text } => apply(text),
            _ => {}
        }
        self
    }

    /// Returns advice for the user about a failure of the model at `place`; `None` where there is nothing to
    /// do.
    fn hint(&self, place: &ModelPlace) -> Option<String> {
        let provider = place.model.provider();
        Some(match self {
            Self::Unreachable { .. } => "is the server running, and is `base_url` right?".into(),
            Self::Dropped { .. } => "the server or a proxy closed the connection; its log may say why".into(),
            Self::Timeout { which, .. } => {
                format!("raise `{}` of provider `{provider}`, or try a faster model", setting(*which))
            }
            Self::Status { status, code, .. } => return hint_for_status(*status, code.as_deref(), place),
            Self::TryLater { until, .. } => {
                let resume =
                    moment(*until).map_or("resume later".into(), |moment| format!("resume after {moment}"));
                format!("{resume}, or raise `max_wait_s` in `retry` of provider `{provider}` to wait")
            }
            Self::NotJson { .. } => {
                "`base_url` should be the OpenAI-compatible root, such as http://127.0.0.1:8080/v1".into()
            }
            Self::EmptyChoices => {
                "a filter may have taken the answer away; resume to ask again, or use another model".into()
            }
            Self::Failed { .. } => {
                format!("the log of provider `{provider}` may say more; resume to ask again")
            }
            Self::TooLarge { .. } => format!("set `max_tokens` of provider `{provider}`"),
            Self::Refused { .. } => "say it in other words, or use another model".into(),
            Self::Truncated { .. } => "the server or a proxy ended the answer early; run again".into(),
            Self::MissingKey { variable, .. } => {
                format!("export {variable}=…, or use the model `offline`, which needs no key")
            }
            Self::BadKey { variable, .. } if variable.starts_with('-') => {
                format!("type {variable} again, without spaces or line breaks")
            }
            Self::BadKey { variable, .. } => {
                format!("export {variable} again, without quotes or line breaks")
            }
            Self::UnknownProvider { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownProvider { known, .. } => {
                format!("known: {}; others go under `providers:` in the configuration", known.join(", "))
            }
            Self::UnknownPrefix { prefixes, known, .. } => format!(
                "write provider/model with one of {}, or a name that begins with {}",
                known.join(", "),
                prefixes.join(", ")
            ),
            Self::Unencrypted { provider, .. } => format!(
                "use an address with https://, or set `insecure_http: true` of provider `{provider}` if you trust the network"
            ),
            Self::NoModel { provider } => format!("write {provider}/<model>"),
            Self::Budget { .. } => "raise the budget and resume".into(),
            Self::Replay { .. } => "record again: prompts, input or code have changed since".into(),
            Self::NoRule { known, .. } => format!("rules exist for: {}", known.join(", ")),
            Self::ScriptEnded { .. } => {
                "add an answer to the script; one that does not fit its schema is asked for again".into()
            }
            _ => return None,
        })
    }
}

/// Error codes of OpenAI and compatible endpoints, in lower case, that a repeated request would get again.
const LASTING: [&str; 13] = [
    "authentication_error",
    "billing_hard_limit_reached",
    "content_filter",
    "content_policy_violation",
    "context_length_exceeded",
    "insufficient_quota",
    "invalid_api_key",
    "invalid_request_error",
    "model_not_found",
    "not_found_error",
    "payment_required",
    "permission_error",
    "unsupported_value",
];

/// Returns true if a failure reported with HTTP status 200 would occur again, judged by its code. The code
/// may be the HTTP status of an upstream server, as text.
fn blames_the_request(code: &str) -> bool {
    match code.parse::<u16>() {
        Ok(status @ 400..=499) => !passes(status, None),
        Ok(_) => false,
        Err(_) => LASTING.contains(&code.to_ascii_lowercase().as_str()),
    }
}

/// Returns true if a request that was refused with this status may succeed later. `code` tells a used-up
/// quota from a rate limit.
fn passes(status: u16, code: Option<&str>) -> bool {
    match status {
        429 => !matches!(code, Some("insufficient_quota" | "billing_hard_limit_reached")),
        408 | 500..=599 => true,
        _ => false,
    }
}

/// Formats a point in time as an HTTP date. Returns `None` after the year 9999, the last that the format can hold.
fn moment(seconds: u64) -> Option<String> {
    const YEAR_10000: u64 = 253_402_300_800;
    let moment = (seconds < YEAR_10000).then(|| UNIX_EPOCH + Duration::from_secs(seconds))?;
    Some(httpdate::fmt_http_date(moment))
}

/// Returns the name of the provider's setting for a timeout.
fn setting(which: RequestTimeout) -> &'static str {
    match which {
        RequestTimeout::Connect => "connect_timeout_s",
        RequestTimeout::FirstToken => "first_token_timeout_s",
        RequestTimeout::Idle => "idle_timeout_s",
        RequestTimeout::Overall => "timeout_s",
    }
}

/// Returns advice for a request that was refused with an HTTP status; `None` for an unusual status.
fn hint_for_status(status: u16, code: Option<&str>, place: &ModelPlace) -> Option<String> {
    let provider = place.model.provider();
    Some(match status {
        401 | 403 => format!("check the key of provider `{provider}` (its `api_key_env`)"),
        404 => format!(
            "does the endpoint know `{}`, and does `base_url` end in /v1? A resumed run takes the configuration and the options of models \
             anew",
            place.model.model()
        ),
        429 if !passes(status, code) => "the account's quota is used up; add credit".into(),
        429 => format!("lower `requests_per_minute` of provider `{provider}`, or wait"),
        300..=399 => "`base_url` redirects; write the address it leads to".into(),
        400..=499 => format!(
            "its message names the rejected part of the request; settings of provider `{provider}` change the request"
        ),
        500..=599 => "the endpoint is in trouble; try again later or use another model".into(),
        _ => return None,
    })
}
