//! What a tool is, and what it answers. Offers and runs nothing; see `toolbox` and `call`.

use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::priority::{Priority, ToolCost};
use stategraph_core::panic_message;
use stategraph_core::{NodeError, Retryable};

/// Something a model may call. One implementation is a new tool (DOC-124); what it needs at run time are its fields
/// (EXP-19).
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
/// The classic mistake is to work for long without awaiting: nothing else of the answer runs meanwhile, and no time limit
/// can end it. Such work goes through [`blocking`].
pub trait Tool: Send + Sync + 'static {
    /// What a call says, as JSON.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// Its name, as the model calls it: 1 to 64 of `A-Z a-z 0-9 _ -`.
    fn name(&self) -> &str;

    /// When and how to use it, for the model.
    fn description(&self) -> &str;

    /// JSON Schema of the arguments: an object.
    fn parameters(&self) -> Schema {
        let mut schema = SchemaGenerator::default().into_root_schema_for::<Self::Arguments>();
        // They say nothing to a model and are paid for with every request.
        schema.remove("$schema");
        schema.remove("title");
        schema
    }

    /// How much its results are worth keeping when the conversation must shrink.
    fn priority(&self) -> Priority {
        Priority::default()
    }

    /// What a call costs.
    fn cost(&self) -> ToolCost {
        ToolCost::default()
    }

    /// Does it. A failure is an output, never a panic.
    fn run(&self, arguments: Self::Arguments) -> impl Future<Output = ToolOutput> + Send;
}

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoArguments {}

/// What a tool answers. As JSON, which is what the model reads: `success`, `content`, on failure `error` (the kind), and
/// where there is one `budget_warning` (DOC-65, CTX-45).
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
    /// The answer, or what went wrong and what to do about it.
    pub content: String,
    /// Why there is no answer; `None` is success.
    pub failure: Option<ToolFailure>,
    /// What the model should know about what it has left.
    pub warning: Option<String>,
    /// The answer as data, for rules: journaled, never sent to a language model. As JSON `data`.
    pub data: Option<Value>,
    /// Whether the same call may succeed later. As JSON `again`, where that is known.
    pub again: Again,
    /// What can be done about a failure. As JSON `hint`.
    pub hint: Option<String>,
}

/// Whether a call that failed may succeed when it is made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// That is not known.
    #[default]
    Unknown,
    /// It may: the failure passes by itself.
    Later {
        /// The least wait, in milliseconds, where the other side asked for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_ms: Option<u64>,
    },
    /// It will not.
    Never,
}

impl From<Retryable> for Again {
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

impl Again {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

impl ToolOutput {
    /// An answer.
    pub fn ok(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            failure: None,
            warning: None,
            data: None,
            again: Again::Unknown,
            hint: None,
        }
    }

    /// The tool could not do it, because of `reason`.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::failure(ToolFailure::Failed, reason)
    }

    /// The call was not allowed, because of `reason`.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::failure(ToolFailure::Refused, reason)
    }

    /// No answer, because of `reason`, which is of the kind `failure`.
    pub fn failure(failure: ToolFailure, reason: impl Into<String>) -> Self {
        Self { failure: Some(failure), ..Self::ok(reason) }
    }

    /// With what is known about another try.
    pub fn again(mut self, again: Again) -> Self {
        self.again = again;
        self
    }

    /// With what can be done about a failure.
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The failure as the error of a node that called the tool `name` and needs its answer: with its permanence and its hint.
    pub fn into_error(self, name: &str) -> NodeError {
        let error = NodeError::msg(format!("`{name}`: {}", self.content));
        let error = match (self.again, self.failure) {
            (Again::Later { after_ms }, _) => error.temporary(after_ms.map(Duration::from_millis)),
            (Again::Unknown, Some(ToolFailure::TimedOut)) => error.temporary(None),
            (Again::Unknown, Some(ToolFailure::Failed) | None) => error,
            // What was refused, or does not fit, is refused again.
            (Again::Never | Again::Unknown, _) => error.permanent(),
        };
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// With a warning.
    pub fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warning = Some(warning.into());
        self
    }

    /// With the answer as data.
    ///
    /// # Panics
    /// When `data` cannot be JSON (a map with keys that are not strings): a bug of the tool, told to the model as one.
    pub fn data(mut self, data: &impl Serialize) -> Self {
        self.data = Some(serde_json::to_value(data).expect("a tool's data has string keys and serialises"));
        self
    }

    /// Whether the call counts against a budget: work was done. A refusal does not (DOC-45), nor a call that could not be done,
    /// such as of a file that is not there (DOC-73).
    pub fn counts(&self) -> bool {
        matches!(self.failure, None | Some(ToolFailure::TimedOut | ToolFailure::Panicked))
    }

    /// Whether the tool did what it was asked.
    pub fn is_success(&self) -> bool {
        self.failure.is_none()
    }
}

/// Why a call has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolFailure {
    /// No tool has this name (ENG-30).
    UnknownTool,
    /// The arguments are no JSON, or do not fit.
    BadArguments,
    /// Two calls of one answer have the same id; the second was not run.
    RepeatedId,
    /// It was not allowed, by middleware or by the tool itself.
    Refused,
    /// The tool tried and could not.
    Failed,
    /// The tool took too long.
    TimedOut,
    /// The tool has a bug.
    Panicked,
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

/// Runs `work` on a thread where it may block, such as reading files. Work whose call timed out runs on to its end, unseen.
pub async fn blocking(work: impl FnOnce() -> ToolOutput + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(output) => output,
        Err(error) if error.is_panic() => panicked(&panic_message(error.into_panic().as_ref())),
        Err(_) => ToolOutput::failed("the program is shutting down"),
    }
}

/// The result of a call whose tool, or whose middleware, panicked with `message`.
pub(super) fn panicked(message: &str) -> ToolOutput {
    ToolOutput::failure(ToolFailure::Panicked, format!("the tool has a bug and panicked: {message}"))
}

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
    #[serde(default, skip_serializing_if = "Again::is_unknown")]
    again: Again,
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
