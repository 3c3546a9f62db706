//! The interface of a tool, and its output. Runs nothing; see `toolbox` and `call`.

use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::priority::{Priority, ToolCost};
use stategraph_core::panic_message;
use stategraph_core::{NodeError, Retryable};

/// A function that a model may call. A new tool is one implementation (DOC-124); its dependencies at run time are its fields (EXP-19).
///
/// ```
/// use stategraph_agent::{Tool, ToolOutput};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Pair { a: i64, b: i64 }
///
/// struct Add;
///
/// impl Tool for Add {
///     type Arguments = Pair;
///     fn name(&self) -> &str { "add" }
///     fn description(&self) -> &str { "Adds two whole numbers." }
///     async fn run(&self, Pair { a, b }: Pair) -> ToolOutput {
///         match a.checked_add(b) {
///             Some(sum) => ToolOutput::ok(sum.to_string()),
///             None => ToolOutput::failed("the sum does not fit into 64 bits"),
///         }
///     }
/// }
/// ```
///
/// A tool must not work for long without awaiting, because then nothing else of the answer runs, and no time limit can end it. Such work
/// goes through [`blocking`].
pub trait Tool: Send + Sync + 'static {
    /// The type of the arguments; a call sends them as a JSON object.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// Returns the name by which the model calls the tool: 1 to 64 of `A-Z a-z 0-9 _ -`.
    fn name(&self) -> &str;

    /// Returns the description for the model: when and how to use the tool.
    fn description(&self) -> &str;

    /// Returns the JSON Schema of the arguments, an object.
    fn parameters(&self) -> Schema {
        let mut schema = SchemaGenerator::default().into_root_schema_for::<Self::Arguments>();
        // They say nothing to a model and are paid for with every request.
        schema.remove("$schema");
        schema.remove("title");
        schema
    }

    /// Returns the importance of the tool's results when the conversation must shrink.
    fn priority(&self) -> Priority {
        Priority::default()
    }

    /// Returns the cost of a call.
    fn cost(&self) -> ToolCost {
        ToolCost::default()
    }

    /// Runs the tool. Report a failure as an output; a panic is caught and reported to the model as a bug.
    fn run(&self, arguments: Self::Arguments) -> impl Future<Output = ToolOutput> + Send;
}

/// The type of the arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoArguments {}

/// The output of a tool. As JSON, which the model reads, it has `success`, `content`, on failure `error` (the
/// kind of failure), and `budget_warning`, `again` and `hint` if they are set (DOC-65, CTX-45).
///
/// ```
/// use stategraph_agent::ToolOutput;
///
/// let output = ToolOutput::failed("no such topic");
/// let json = r#"{"success":false,"content":"no such topic","error":"failed"}"#;
/// assert_eq!(serde_json::to_string(&output).unwrap(), json);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WireOutput", from = "WireOutput")]
pub struct ToolOutput {
    /// The result as text; on failure, the reason and the next step.
    pub content: String,
    /// The kind of failure; `None` on success.
    pub failure: Option<ToolFailure>,
    /// A warning for the model about its remaining budget.
    pub warning: Option<String>,
    /// The result as data, read by the rules that stand in for a model. It is journaled, but not sent to a
    /// language model. In JSON: `data`.
    pub data: Option<Value>,
    /// The chance that a repeated call succeeds. In JSON: `again`, if known.
    pub again: Retryability,
    /// The next step after a failure. In JSON: `hint`.
    pub hint: Option<String>,
}

/// The chance that a failed call succeeds when it is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retryability {
    /// The tool does not know.
    #[default]
    Unknown,
    /// A later call may succeed, because the failure is temporary.
    Later {
        /// Minimum wait in milliseconds, if the other side asked for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_ms: Option<u64>,
    },
    /// A repeated call fails again.
    Never,
}

impl From<Retryable> for Retryability {
    fn from(retryable: Retryable) -> Self {
        match retryable {
            Retryable::ByPolicy => Self::Unknown,
            Retryable::Temporary { after } => Self::Later {
                after_ms: after.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
            },
            Retryable::Never => Self::Never,
        }
    }
}

impl Retryability {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

impl ToolOutput {
    /// Makes a successful output.
    pub fn ok(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            failure: None,
            warning: None,
            data: None,
            again: Retryability::Unknown,
            hint: None,
        }
    }

    /// Makes the output of a tool that failed because of `reason`.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::failure(ToolFailure::Failed, reason)
    }

    /// Makes the output of a call that was not allowed because of `reason`.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::failure(ToolFailure::Refused, reason)
    }

    /// Makes the output of a failed call of this kind because of `reason`.
    pub fn failure(failure: ToolFailure, reason: impl Into<String>) -> Self {
        Self { failure: Some(failure), ..Self::ok(reason) }
    }

    /// Sets the chance that a repeated call succeeds.
    pub fn again(mut self, again: Retryability) -> Self {
        self.again = again;
        self
    }

    /// Sets the hint for a failure.
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Converts a failed output to the error of a node that called the tool `name` and cannot go on without
    /// its result. The error is temporary or permanent as `again` says, and has the same hint.
    pub fn into_error(self, name: &str) -> NodeError {
        let error = NodeError::msg(format!("`{name}`: {}", self.content));
        let error = match (self.again, self.failure) {
            (Retryability::Later { after_ms }, _) => error.temporary(after_ms.map(Duration::from_millis)),
            (Retryability::Unknown, Some(ToolFailure::TimedOut)) => error.temporary(None),
            (Retryability::Unknown, Some(ToolFailure::Failed) | None) => error,
            // Refused arguments, or such that do not fit, are refused again.
            (Retryability::Never | Retryability::Unknown, _) => error.permanent(),
        };
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// Sets the warning about the remaining budget.
    pub fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warning = Some(warning.into());
        self
    }

    /// Sets the result as data; see the field.
    ///
    /// # Panics
    /// Panics if `data` cannot be JSON (a map with keys that are not strings): a bug of the tool, reported to the model as one.
    pub fn data(mut self, data: &impl Serialize) -> Self {
        self.data = Some(serde_json::to_value(data).expect("a tool's data has string keys and serialises"));
        self
    }

    /// Returns true if the call counts against a budget because the tool did work: it succeeded, timed out or
    /// panicked. A refused call does not count (DOC-45), nor one that could not be executed, such as one for
    /// a missing file (DOC-73).
    pub fn counts(&self) -> bool {
        matches!(self.failure, None | Some(ToolFailure::TimedOut | ToolFailure::Panicked))
    }

    /// Returns true if the tool succeeded.
    pub fn is_success(&self) -> bool {
        self.failure.is_none()
    }
}

/// The kind of failure of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolFailure {
    /// No tool has this name (ENG-30).
    UnknownTool,
    /// The arguments are not JSON or do not fit the type.
    BadArguments,
    /// Two calls of one answer have the same id; the second was not run.
    RepeatedId,
    /// The call was not allowed, by middleware or by the tool itself.
    Refused,
    /// The tool ran and reported a failure.
    Failed,
    /// The tool exceeded its time limit.
    TimedOut,
    /// The tool or middleware panicked: a bug.
    Panicked,
}

impl ToolFailure {
    /// Returns the kind as the value of `error.type` in tracing spans.
    pub(super) fn as_error_type(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::BadArguments => "bad_arguments",
            Self::RepeatedId => "repeated_id",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Panicked => "panicked",
        }
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownTool => "unknown tool",
            Self::BadArguments => "bad arguments",
            Self::RepeatedId => "repeated id",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Panicked => "panicked",
        })
    }
}

/// Runs `work` on a thread where it may block, for example to read files, and returns its output. If the call
/// times out, the work still runs to its end and its output is lost. A panic becomes a failed output.
pub async fn blocking(work: impl FnOnce() -> ToolOutput + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(output) => output,
        Err(error) if error.is_panic() => panicked_output(&panic_message(error.into_panic().as_ref())),
        Err(_) => ToolOutput::failed("the program is shutting down"),
    }
}

/// Makes the output of a call whose tool or middleware panicked with `message`.
pub(super) fn panicked_output(message: &str) -> ToolOutput {
    ToolOutput::failure(ToolFailure::Panicked, format!("the tool has a bug and panicked: {message}"))
}

/// The JSON form of a [`ToolOutput`].
#[derive(Serialize, Deserialize)]
struct WireOutput {
    success: bool,
    content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ToolFailure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget_warning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(default, skip_serializing_if = "Retryability::is_unknown")]
    again: Retryability,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl From<ToolOutput> for WireOutput {
    fn from(output: ToolOutput) -> Self {
        Self {
            success: output.is_success(),
            content: output.content,
            error: output.failure,
            budget_warning: output.warning,
            data: output.data,
            again: output.again,
            hint: output.hint,
        }
    }
}

impl From<WireOutput> for ToolOutput {
    fn from(wire: WireOutput) -> Self {
        let failure = wire.error.or((!wire.success).then_some(ToolFailure::Failed));
        let WireOutput { content, budget_warning: warning, data, again, hint, .. } = wire;
        Self { content, failure, warning, data, again, hint }
    }
}
