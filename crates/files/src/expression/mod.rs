//! Expressions and templates of graph files: Jinja through minijinja, bounded in steps, time and memory. They see
//! only the names that they are given: no file, no environment variable, no clock.
//!
//! Reading order: `read` (from a file), `words` (positions of words), `analysis` (names and refused constructs),
//! `rewrite` (the text that minijinja compiles), `bounded` (its filters and operators), `measure` (sizes of values),
//! `scope` (names and their values).

mod analysis;
mod bounded;
mod json_schema;
mod measure;
mod nulls;
mod operand;
mod read;
mod rewrite;
mod scope;
mod words;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use minijinja::Environment;
use serde_json::Value;

pub use bounded::FILTERS;
use measure::exceeds_json_size;
use nulls::NullHandling;
pub use operand::Operand;
pub(crate) use read::DeclaredNames;
pub use read::SECRETS;
pub use scope::EvalScope;

/// Maximum number of minijinja steps of one evaluation; a loop over 10,000 items takes a tenth of them.
pub const FUEL: u64 = 1_000_000;

/// Maximum length of an expression or template, in bytes.
pub const TEXT_MAX: usize = 100_000;

/// Maximum number of values that one evaluation may read, which takes some tenths of a second; each 128 bytes of a
/// text count as one.
pub const SEEN_MAX: usize = 5_000_000;

/// Maximum number of bytes of texts and lists that one evaluation may make, temporary ones included: 64 MiB.
pub const MADE_MAX: usize = 64 * 1024 * 1024;

/// A compiled expression, such as `state.score >= 7`.
#[derive(Clone)]
pub struct Expression {
    text: Arc<str>,
    location: Arc<str>,
    compiled: Arc<minijinja::Expression<'static, 'static>>,
    reads: Reads,
}

/// A compiled template: a text with expressions, such as `Dear {{ state.name }}`.
#[derive(Clone)]
pub struct Template {
    text: Arc<str>,
    location: Arc<str>,
    compiled: Arc<Environment<'static>>,
    reads: Reads,
    nulls: NullHandling,
}

/// Name of the only template in its environment.
const ONLY: &str = "text";

/// The channels that an expression reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Only these channels.
    Channels(BTreeSet<String>),
    /// The state as a whole.
    All,
}

/// The evaluation of an expression or a template failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` at {location}: {reason}")]
pub struct ExpressionError {
    /// The expression, or the beginning of the template.
    pub text: String,
    /// Position in the file: `file:line:column`.
    pub location: String,
    /// Cause of the failure.
    pub reason: String,
}

impl ExpressionError {
    /// Returns advice if a bound ended the evaluation.
    pub fn hint(&self) -> Option<&'static str> {
        let told = |part: &str| self.reason.contains(part);
        if told(" the limit `") {
            return Some(
                "make less of it, or allow more with `--limits`, if the file does not say less under `limits`",
            );
        }
        let bounds = [
            "it makes more than",
            "it looks at more than",
            "it takes more than",
            "is nested more than",
            "recursion limit",
        ];
        let hint =
            "do less in one expression: take a part of the list, or spread the work over several nodes";
        bounds.iter().any(|bound| told(bound)).then_some(hint)
    }
}

impl Expression {
    /// Evaluates the expression to JSON.
    pub fn evaluate(&self, scope: &EvalScope<'_>) -> Result<Value, ExpressionError> {
        let value = self.evaluate_raw(scope)?;
        let most = scope.state().limits().value;
        if exceeds_json_size(&value, most) {
            return Err(self.error(format!("the value takes more than {most} bytes, the limit `value`")));
        }
        to_json(&value).map_err(|reason| self.error(reason))
    }

    /// Evaluates a condition. As in Jinja, an empty text, list or map, zero and none are false.
    pub fn is_true(&self, scope: &EvalScope<'_>) -> Result<bool, ExpressionError> {
        let value = self.evaluate_raw(scope)?;
        if value.is_undefined() {
            return Err(self.error("it has no value".to_owned()));
        }
        Ok(value.is_true())
    }

    /// Returns the source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn evaluate_raw(&self, scope: &EvalScope<'_>) -> Result<minijinja::Value, ExpressionError> {
        self.compiled
            .eval(scope.to_context(&self.reads, NullHandling::Print))
            .map_err(|error| self.error(explain(&error)))
    }

    fn error(&self, reason: String) -> ExpressionError {
        ExpressionError { text: first_line(&self.text), location: self.location.to_string(), reason }
    }
}

impl Template {
    /// Renders the template.
    pub fn render(&self, scope: &EvalScope<'_>) -> Result<String, ExpressionError> {
        let failed = |reason| ExpressionError {
            text: first_line(&self.text),
            location: self.location.to_string(),
            reason,
        };
        let template = self.compiled.get_template(ONLY).expect("it was added when this was made");
        let most = scope.state().limits().template;
        let mut text = BoundedBuffer { text: Vec::new(), most };
        template.render_captured_to(scope.to_context(&self.reads, self.nulls), &mut text).map_err(
            |error| match error.kind() {
                minijinja::ErrorKind::WriteFailure => {
                    failed(format!("the text has more than {most} bytes, the limit `template`"))
                }
                _ => failed(self.nulls.explain(&error)),
            },
        )?;
        Ok(String::from_utf8(text.text).expect("minijinja writes text"))
    }

    /// Returns the source text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A buffer that refuses more than `most` bytes.
struct BoundedBuffer {
    text: Vec<u8>,
    most: usize,
}

impl std::io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.text.len() + bytes.len() > self.most {
            return Err(std::io::Error::other("the text is too long"));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Converts a value to JSON. Fails for undefined values, functions and NaN, which JSON does not have.
fn to_json(value: &minijinja::Value) -> Result<Value, String> {
    if value.is_undefined() {
        return Err("it has no value".to_owned());
    }
    if f64::try_from(value.clone()).is_ok_and(|number| !number.is_finite()) {
        return Err("it is no finite number".to_owned());
    }
    serde_json::to_value(value).map_err(|error| format!("it is no JSON: {error}"))
}

/// Translates an error of minijinja into the words of our messages.
fn explain(error: &minijinja::Error) -> String {
    use minijinja::ErrorKind as Kind;
    match (error.kind(), error.detail()) {
        (Kind::OutOfFuel, _) => format!("it takes more than {FUEL} steps"),
        (Kind::UndefinedError, None) => "it reads something that is not there".to_owned(),
        (Kind::SyntaxError | Kind::InvalidOperation, Some(detail)) => detail.to_owned(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    }
}

/// Returns the first line, cut at 80 characters.
fn first_line(text: &str) -> String {
    const SHOWN: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.len() < text.trim().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expression({:?})", self.text)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({:?})", self.text)
    }
}
