//! Compiled expressions and templates, and their evaluation within the bounds of the state. Parses nothing; see
//! `read.rs`.

use std::fmt;
use std::sync::Arc;

use minijinja::Environment;
use minijinja::value::ValueKind;
use serde_json::Value;

use super::analysis::Reads;
use super::bounded::urlencode;
use super::error::{ExpressionError, explain, first_line, undefined_path};
use super::measure::exceeds_json_size;
use super::missing;
use super::nulls::NullHandling;
use super::scope::EvalScope;

/// Maximum length of an expression or template, in bytes.
pub const TEXT_MAX: usize = 100_000;

/// A compiled expression, such as `state.score >= 7`.
#[derive(Clone)]
pub struct Expression {
    pub(super) text: Arc<str>,
    pub(super) location: Arc<str>,
    pub(super) compiled: Arc<minijinja::Expression<'static, 'static>>,
    pub(super) reads: Reads,
}

/// A compiled template: a text with expressions, such as `Dear {{ state.name }}`.
#[derive(Clone)]
pub struct Template {
    pub(super) text: Arc<str>,
    pub(super) location: Arc<str>,
    pub(super) compiled: Arc<Environment<'static>>,
    pub(super) reads: Reads,
    pub(super) nulls: NullHandling,
}

/// Name of the only template in its environment.
pub(super) const ONLY: &str = "text";

impl Expression {
    /// Evaluates the expression to JSON. Fails if the evaluation fails, the value is larger than the state's
    /// limit `value`, or JSON cannot hold it.
    pub fn evaluate(&self, scope: &EvalScope<'_>) -> Result<Value, ExpressionError> {
        let value = self.evaluate_raw(scope)?;
        let most = scope.state().limits().value;
        if exceeds_json_size(&value, most) {
            return Err(self.error(format!("the value takes more than {most} bytes, the limit `value`")));
        }
        to_json(&value).map_err(|reason| self.error(reason))
    }

    /// Evaluates the expression as a condition. As in Jinja, an empty text, list or map, zero and none are
    /// false. Fails for an undefined value.
    pub fn is_true(&self, scope: &EvalScope<'_>) -> Result<bool, ExpressionError> {
        let value = self.evaluate_raw(scope)?;
        if value.is_undefined() {
            return Err(self.error("it has no value".to_owned()));
        }
        Ok(value.is_true())
    }

    /// Returns the source text of the expression, as the file writes it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the channels that the expression reads.
    pub(crate) fn reads(&self) -> &Reads {
        &self.reads
    }

    fn evaluate_raw(&self, scope: &EvalScope<'_>) -> Result<minijinja::Value, ExpressionError> {
        self.compiled.eval(scope.to_context(&self.reads, NullHandling::Print)).map_err(|error| {
            let missing = undefined_path(&error).and_then(|path| missing::advise(path, scope));
            ExpressionError { missing, ..self.error(explain(&error)) }
        })
    }

    fn error(&self, reason: String) -> ExpressionError {
        let (text, location) = (first_line(&self.text), self.location.to_string());
        ExpressionError { text, location, reason, missing: None }
    }
}

impl Template {
    /// Renders the template. Fails if an expression in it fails, or the text is longer than the state's limit
    /// `template`.
    pub fn render(&self, scope: &EvalScope<'_>) -> Result<String, ExpressionError> {
        let failed = |reason, missing| ExpressionError {
            text: first_line(&self.text),
            location: self.location.to_string(),
            reason,
            missing,
        };
        let template = self.compiled.get_template(ONLY).expect("it was added when this was made");
        let most = scope.state().limits().template;
        let mut text = BoundedBuffer { text: Vec::new(), most };
        template.render_captured_to(scope.to_context(&self.reads, self.nulls), &mut text).map_err(
            |error| {
                if error.kind() == minijinja::ErrorKind::WriteFailure {
                    return failed(
                        format!("the text has more than {most} bytes, the limit `template`"),
                        None,
                    );
                }
                let path = undefined_path(&error).filter(|path| !missing::may_rebind(&self.text, path));
                let missing = path.and_then(|path| missing::advise(path, scope));
                failed(self.nulls.explain(&error), missing)
            },
        )?;
        Ok(String::from_utf8(text.text).expect("minijinja writes text"))
    }

    /// Returns the source text of the template, as the file writes it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the template in the form for a URL or a header: a null or missing value in it is an error when
    /// it is rendered.
    pub(crate) fn without_nulls(mut self) -> Self {
        let environment = std::sync::Arc::make_mut(&mut self.compiled);
        environment.add_filter("urlencode", urlencode);
        environment.add_test("none", |value: &minijinja::Value| value.is_none() || value.is_undefined());
        self.nulls = NullHandling::Reject;
        self
    }
}

/// The output buffer of a template. Writing more than `most` bytes in all fails.
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

/// Converts a value of minijinja to JSON. Fails for undefined values, functions, infinite numbers and NaN,
/// and for map keys that are no texts.
fn to_json(value: &minijinja::Value) -> Result<Value, String> {
    if value.is_undefined() {
        return Err("it has no value".to_owned());
    }
    if f64::try_from(value.clone()).is_ok_and(|number| !number.is_finite()) {
        return Err("it is no finite number".to_owned());
    }
    if let Some(key) = find_other_key(value) {
        return Err(format!("a key of a map must be a text, and {key} is none: write it as `… | string`"));
    }
    serde_json::to_value(value).map_err(|error| format!("it is no JSON: {error}"))
}

/// Returns the first key of a map, at any depth in the value, that is not a text; `None` if all are texts.
/// JSON would convert it to a text, and so merge the keys `1` and `"1"` silently.
fn find_other_key(value: &minijinja::Value) -> Option<minijinja::Value> {
    let items = match value.kind() {
        ValueKind::Map | ValueKind::Seq => value.try_iter().ok()?,
        _ => return None,
    };
    if value.kind() == ValueKind::Seq {
        return items.into_iter().find_map(|item| find_other_key(&item));
    }
    items.into_iter().find_map(|key| {
        if key.as_str().is_none() {
            return Some(key);
        }
        find_other_key(&value.get_item(&key).ok()?)
    })
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
