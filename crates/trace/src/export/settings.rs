//! Settings from environment variables: `LLM_TRACING_*`, and the standard `OTEL_*` and `OPENINFERENCE_*` for
//! what those leave unset. The libraries below read `OTEL_BSP_*`, `OTEL_TRACES_SAMPLER*`,
//! `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` themselves.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use opentelemetry::trace::SpanContext;
use thiserror::Error;

use super::destination::Destination;
use super::filter::NodeSpans;
use super::traceparent::parse_traceparent;
use crate::content::SpanContent;

/// Variable that switches all traces on or off.
const ENABLED: &str = "LLM_TRACING_ENABLED";
/// Variable with the address of the collector, its path included.
const ENDPOINT: &str = "LLM_TRACING_ENDPOINT";
/// Address of a Phoenix on this machine; used if no variable names another.
const DEFAULT_ENDPOINT: &str = "http://localhost:6006/v1/traces";
/// Name of the project and the service unless set.
const DEFAULT_PROJECT: &str = "stategraph";
/// Name of the trace file in the working folder unless set.
const DEFAULT_FILE: &str = "traces.json";
/// Maximum time of a collector for one answer. It does not delay the program, because another thread waits.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// All kinds of content.
const ALL_CONTENT: [SpanContent; 9] = [
    SpanContent::Input,
    SpanContent::Output,
    SpanContent::InputMessages,
    SpanContent::OutputMessages,
    SpanContent::SystemInstructions,
    SpanContent::ToolDefinitions,
    SpanContent::ToolArguments,
    SpanContent::ToolResult,
    SpanContent::Explanation,
];
/// The kinds of content that are inputs.
const INPUTS: &[SpanContent] = &[
    SpanContent::Input,
    SpanContent::InputMessages,
    SpanContent::SystemInstructions,
    SpanContent::ToolArguments,
];
/// The kinds of content that are outputs.
const OUTPUTS: &[SpanContent] =
    &[SpanContent::Output, SpanContent::OutputMessages, SpanContent::ToolResult, SpanContent::Explanation];
/// The variables of OpenInference that hide content, each with the kinds that it hides.
const HIDING: [(&str, &[SpanContent]); 7] = [
    ("OPENINFERENCE_HIDE_INPUTS", INPUTS),
    ("OPENINFERENCE_HIDE_OUTPUTS", OUTPUTS),
    ("OPENINFERENCE_HIDE_INPUT_MESSAGES", &[SpanContent::InputMessages, SpanContent::SystemInstructions]),
    ("OPENINFERENCE_HIDE_OUTPUT_MESSAGES", &[SpanContent::OutputMessages]),
    ("OPENINFERENCE_HIDE_INPUT_TEXT", &[SpanContent::InputMessages, SpanContent::SystemInstructions]),
    ("OPENINFERENCE_HIDE_OUTPUT_TEXT", &[SpanContent::OutputMessages]),
    ("OPENINFERENCE_HIDE_LLM_TOOLS", &[SpanContent::ToolDefinitions]),
];

/// The settings of the export, when it is switched on.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// Collector; `None` sends to none.
    pub destination: Option<Destination>,
    /// File for OTLP JSON lines; `None` writes none.
    pub file: Option<PathBuf>,
    /// Project, an attribute of the resource.
    pub project: String,
    /// Service; `None` leaves it to `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES`.
    pub service: Option<String>,
    /// Content that is captured; none unless asked for.
    pub content: BTreeSet<SpanContent>,
    /// The graphs whose nodes get spans.
    pub nodes: NodeSpans,
    /// Time that the collector has for an answer.
    pub timeout: Duration,
    /// Delay of batches; `None` leaves it to `OTEL_BSP_SCHEDULE_DELAY`.
    pub delay: Option<Duration>,
    /// Maximum number of waiting spans; `None` leaves it to `OTEL_BSP_MAX_QUEUE_SIZE`.
    pub queue: Option<usize>,
    /// Span of the process that started this one (`TRACEPARENT`); it becomes the parent of the outermost
    /// spans.
    pub parent: Option<SpanContext>,
    /// Messages about variables that are ignored, for the beginning of the run.
    pub warnings: Vec<String>,
}

/// The reason why the export cannot start with the settings.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// A switch is neither on nor off.
    #[error("`{variable}={value}` is neither true nor false")]
    Switch {
        /// Variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// An address is no URL of a collector.
    #[error("`{variable}` is no address of a collector: {reason}")]
    Endpoint {
        /// Variable.
        variable: &'static str,
        /// The reason.
        reason: String,
    },
    /// The key cannot be the value of a header.
    #[error("`LLM_TRACING_API_KEY` holds a line break or a character that is not ASCII")]
    Key,
    /// The list of headers is malformed.
    #[error("the headers in `OTEL_EXPORTER_OTLP_HEADERS` are not of the form `name=value,name=value`")]
    Headers,
    /// A credential would travel unencrypted.
    #[error("the header `{header}` would travel unencrypted to {endpoint}")]
    Unprotected {
        /// Header.
        header: String,
        /// Address.
        endpoint: String,
    },
    /// A standard variable asks for a protocol, compression or exporter that is not supported.
    #[error("`{variable}={value}` is not supported")]
    Unsupported {
        /// Variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// The exporter cannot be built.
    #[error("cannot set up the export of traces: {reason}")]
    Exporter {
        /// The reason.
        reason: String,
    },
}

impl SettingsError {
    /// Returns the next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Switch { .. } => "use true or false",
            Self::Endpoint { .. } => "use for example `LLM_TRACING_ENDPOINT=http://localhost:6006/v1/traces`",
            Self::Key => "copy the key again",
            Self::Headers => "encode commas and other special characters of a value, as `%2C`",
            Self::Unprotected { .. } => "use an https address, or a collector on this machine",
            Self::Unsupported { .. } => {
                "traces go over HTTP as protobuf, plain or compressed with gzip: set LLM_TRACING_ENDPOINT to such an address, or OTEL_TRACES_EXPORTER to `otlp` or `none`"
            }
            Self::Exporter { .. } => "check the variables that begin with OTEL_",
        }
    }
}

/// Displays the places that the traces go to.
impl fmt::Display for TraceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let destination = self.destination.as_ref().map(ToString::to_string);
        let file = self.file.as_ref().map(|path| path.display().to_string());
        let places: Vec<String> = destination.into_iter().chain(file).collect();
        f.write_str(if places.is_empty() { "nowhere" } else { "" })?;
        f.write_str(&places.join(" and "))
    }
}

/// A function that returns the value of an environment variable; `None` if it is not set.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl TraceSettings {
    /// Reads the settings from environment variables. Returns `None` if traces are not switched on. A
    /// relative trace file is in `folder`.
    pub fn from_env(variable: Lookup<'_>, folder: &Path) -> Result<Option<Self>, SettingsError> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let exporters = set("OTEL_TRACES_EXPORTER");
        let is_asked =
            exporters.as_deref().is_some_and(|names| names.split(',').any(|name| name.trim() == "otlp"));
        let is_on = is_on(&set, ENABLED)?.unwrap_or(is_asked);
        if !is_on || is_on_loosely(&set, "OTEL_SDK_DISABLED") {
            return Ok(None);
        }
        let destination = match exporters.as_deref().map(str::trim) {
            Some("none") => None,
            Some(names) if !is_asked => {
                return Err(refuse("OTEL_TRACES_EXPORTER", names));
            }
            _ => Some(read_destination(&set)?),
        };
        let content = read_content(&set)?;
        let names_service = set("OTEL_SERVICE_NAME").is_some()
            || set("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|text| text.contains("service.name="));
        let millis =
            |name: &str| set(name).and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
        let (parent, warning) = read_parent(&set);
        let nodes = if is_on_else_off(&set, "LLM_TRACING_NODES")? {
            NodeSpans::Always
        } else {
            NodeSpans::WithModels
        };
        Ok(Some(Self {
            destination,
            file: read_file_name(variable, folder),
            project: set("LLM_TRACING_PROJECT_NAME").unwrap_or_else(|| DEFAULT_PROJECT.to_owned()),
            service: (!names_service).then(|| DEFAULT_PROJECT.to_owned()),
            nodes,
            timeout: millis("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
                .or_else(|| millis("OTEL_EXPORTER_OTLP_TIMEOUT"))
                .unwrap_or(ANSWER_TIMEOUT),
            delay: set("OTEL_BSP_SCHEDULE_DELAY").is_none().then_some(Duration::from_secs(1)),
            // Spans with texts are large: the bound of their number is one of memory.
            queue: (set("OTEL_BSP_MAX_QUEUE_SIZE").is_none() && !content.is_empty()).then_some(512),
            content,
            parent,
            warnings: warning.into_iter().collect(),
        }))
    }
}

/// Returns the span in `TRACEPARENT`, and a warning if the variable is malformed or prevents all traces.
fn read_parent(set: Lookup<'_>) -> (Option<SpanContext>, Option<String>) {
    let Some(text) = set("TRACEPARENT") else { return (None, None) };
    let Some(parent) = parse_traceparent(&text) else {
        let warning =
            "`TRACEPARENT` is ignored: it is not of the form 00-TRACE-SPAN-FLAGS of W3C Trace Context";
        return (None, Some(warning.to_owned()));
    };
    let is_dropped = !parent.is_sampled() && set("OTEL_TRACES_SAMPLER").is_none();
    let warning = "nothing is traced, because the flags of `TRACEPARENT` say so; OTEL_TRACES_SAMPLER=always_on traces anyway";
    (Some(parent), is_dropped.then(|| warning.to_owned()))
}

/// Returns the path of the trace file; `None` if the variable is empty or `none`.
fn read_file_name(variable: Lookup<'_>, folder: &Path) -> Option<PathBuf> {
    let name = variable("LLM_TRACING_FILE").unwrap_or_else(|| DEFAULT_FILE.to_owned());
    let name = name.trim();
    (!name.is_empty() && name != "none").then(|| folder.join(name))
}

/// Returns the collector. The standard variables for headers and protocol apply only to an address of the
/// standard variables.
fn read_destination(set: Lookup<'_>) -> Result<Destination, SettingsError> {
    let keyed = |destination: Destination| match set("LLM_TRACING_API_KEY") {
        Some(key) => destination.with_key(&key)?.require_protection(),
        None => destination.require_protection(),
    };
    for variable in ["OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION"] {
        let Some(compression) = set(variable).filter(|value| !value.trim().is_empty()) else { continue };
        match compression.trim().to_ascii_lowercase().as_str() {
            "none" | "gzip" => break,
            _ => return Err(refuse(variable, &compression)),
        }
    }
    if let Some(address) = set(ENDPOINT) {
        return keyed(Destination::parse(ENDPOINT, &address)?);
    }
    let destination = match (set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), set("OTEL_EXPORTER_OTLP_ENDPOINT")) {
        (Some(address), _) => Destination::parse("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &address)?,
        (None, Some(address)) => {
            Destination::parse("OTEL_EXPORTER_OTLP_ENDPOINT", &address)?.with_traces_path()
        }
        (None, None) => return keyed(Destination::parse(ENDPOINT, DEFAULT_ENDPOINT)?),
    };
    for variable in ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] {
        match set(variable) {
            None => {}
            Some(protocol) if protocol.trim() == "http/protobuf" => break,
            Some(protocol) => return Err(refuse(variable, &protocol)),
        }
    }
    let headers = set("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| set("OTEL_EXPORTER_OTLP_HEADERS"));
    keyed(destination.with_headers(&headers.unwrap_or_default())?)
}

/// Makes the error for an unsupported value of a standard variable.
fn refuse(variable: &'static str, value: &str) -> SettingsError {
    SettingsError::Unsupported { variable, value: value.trim().to_owned() }
}

/// Returns the kinds of content to capture: none unless asked for, and then all but the hidden ones.
fn read_content(set: Lookup<'_>) -> Result<BTreeSet<SpanContent>, SettingsError> {
    let standard = set("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").unwrap_or_default();
    // There are no events of ours, so `EVENT_ONLY` captures nothing.
    let is_standard =
        matches!(standard.trim().to_ascii_uppercase().as_str(), "TRUE" | "SPAN_ONLY" | "SPAN_AND_EVENT");
    if !is_on(set, "LLM_TRACING_CONTENT")?.unwrap_or(is_standard) {
        return Ok(BTreeSet::new());
    }
    let hidden: BTreeSet<SpanContent> = HIDING
        .iter()
        .filter(|(variable, _)| is_on_loosely(set, variable))
        .flat_map(|(_, kinds)| kinds.iter().copied())
        .collect();
    Ok(ALL_CONTENT.into_iter().filter(|kind| !hidden.contains(kind)).collect())
}

/// Returns the value of a switch among our own variables; `None` if it is not set. Fails for a value that is
/// neither on nor off.
fn is_on(set: Lookup<'_>, variable: &'static str) -> Result<Option<bool>, SettingsError> {
    let Some(value) = set(variable) else { return Ok(None) };
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(Some(true)),
        "false" | "0" | "no" | "off" => Ok(Some(false)),
        _ => Err(SettingsError::Switch { variable, value }),
    }
}

/// Returns the value of a switch among our own variables; false if it is not set.
fn is_on_else_off(set: Lookup<'_>, variable: &'static str) -> Result<bool, SettingsError> {
    Ok(is_on(set, variable)?.unwrap_or(false))
}

/// Returns true if a standard variable is `true`. Other values count as off, as the standard says.
fn is_on_loosely(set: Lookup<'_>, variable: &str) -> bool {
    set(variable).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}
