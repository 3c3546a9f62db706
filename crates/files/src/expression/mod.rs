//! Expressions and templates of graph files: Jinja's, through minijinja, with bounded steps, time and memory. They see the names that
//! they are given and nothing else: no file, no environment, no clock.
//!
//! Read in this order: `read` (out of a file), `names` (where words stand), `analysis` (what is read, what is refused), `rewrite` (the text
//! that minijinja compiles), `bounded` (the filters and operators in it), `measure` (how large values are), `scope` (what they see).

mod analysis;
mod bounded;
mod measure;
mod names;
mod operand;
mod published;
mod read;
mod request;
mod rewrite;
mod scope;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use minijinja::Environment;
use serde_json::Value;

pub use bounded::FILTERS;
use measure::is_heavier;
pub use operand::Operand;
pub(crate) use read::Names;
pub use read::SECRETS;
use request::Nulls;
pub use scope::Scope;

/// Steps that one evaluation may take: a loop over 10,000 items takes a tenth of them.
pub const FUEL: u64 = 1_000_000;

/// The longest expression or template, in characters.
pub const TEXT_MAX: usize = 100_000;

/// Values that one evaluation may look at; of a text, every 128 bytes count as one. Some tenths of a second.
pub const SEEN_MAX: usize = 5_000_000;

/// Bytes of texts and lists that one evaluation may make, those that are gone before its end among them: 64 MiB.
pub const MADE_MAX: usize = 64 * 1024 * 1024;

/// Something to be computed, such as `state.score >= 7`.
#[derive(Clone)]
pub struct Expression {
    text: Arc<str>,
    place: Arc<str>,
    compiled: Arc<minijinja::Expression<'static, 'static>>,
    reads: Reads,
}

/// Text with holes, such as `Dear {{ state.name }}`.
#[derive(Clone)]
pub struct Template {
    text: Arc<str>,
    place: Arc<str>,
    compiled: Arc<Environment<'static>>,
    reads: Reads,
    nulls: Nulls,
}

/// The name of the only template in its environment.
const ONLY: &str = "text";

/// Which channels an expression reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reads {
    /// These.
    Channels(BTreeSet<String>),
    /// The state as a whole.
    All,
}

/// Why an expression or a template has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` at {place}: {reason}")]
pub struct ExpressionError {
    /// The expression, or the beginning of the template.
    pub text: String,
    /// `file:line:column`.
    pub place: String,
    /// What is wrong.
    pub reason: String,
}

impl ExpressionError {
    /// What to do about it, where a bound ended the evaluation.
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
    /// Its value.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
        let value = self.raw(scope)?;
        let most = scope.state().limits().value;
        if is_heavier(&value, most) {
            return Err(self.failed(format!("the value takes more than {most} bytes, the limit `value`")));
        }
        json(&value).map_err(|reason| self.failed(reason))
    }

    /// Whether it holds: as in Jinja, an empty text, list or map, zero and none do not.
    pub fn holds(&self, scope: &Scope<'_>) -> Result<bool, ExpressionError> {
        let value = self.raw(scope)?;
        if value.is_undefined() {
            return Err(self.failed("it has no value".to_owned()));
        }
        Ok(value.is_true())
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn raw(&self, scope: &Scope<'_>) -> Result<minijinja::Value, ExpressionError> {
        self.compiled
            .eval(scope.context(&self.reads, Nulls::Shown))
            .map_err(|error| self.failed(spoken(&error)))
    }

    fn failed(&self, reason: String) -> ExpressionError {
        ExpressionError { text: shortened(&self.text), place: self.place.to_string(), reason }
    }
}

impl Template {
    /// The text with its holes filled.
    pub fn render(&self, scope: &Scope<'_>) -> Result<String, ExpressionError> {
        let failed =
            |reason| ExpressionError { text: shortened(&self.text), place: self.place.to_string(), reason };
        let template = self.compiled.get_template(ONLY).expect("it was added when this was made");
        let most = scope.state().limits().template;
        let mut text = Bounded { text: Vec::new(), most };
        template.render_captured_to(scope.context(&self.reads, self.nulls), &mut text).map_err(|error| {
            match error.kind() {
                minijinja::ErrorKind::WriteFailure => {
                    failed(format!("the text has more than {most} bytes, the limit `template`"))
                }
                _ => failed(self.nulls.spoken(&error)),
            }
        })?;
        Ok(String::from_utf8(text.text).expect("minijinja writes text"))
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Takes so much text and no more.
struct Bounded {
    text: Vec<u8>,
    most: usize,
}

impl std::io::Write for Bounded {
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

/// A value as JSON, which has no undefined values, functions, NaN.
fn json(value: &minijinja::Value) -> Result<Value, String> {
    if value.is_undefined() {
        return Err("it has no value".to_owned());
    }
    if f64::try_from(value.clone()).is_ok_and(|number| !number.is_finite()) {
        return Err("it is no finite number".to_owned());
    }
    serde_json::to_value(value).map_err(|error| format!("it is no JSON: {error}"))
}

/// What minijinja says, in our words.
fn spoken(error: &minijinja::Error) -> String {
    use minijinja::ErrorKind as Kind;
    match (error.kind(), error.detail()) {
        (Kind::OutOfFuel, _) => format!("it takes more than {FUEL} steps"),
        (Kind::UndefinedError, None) => "it reads something that is not there".to_owned(),
        (Kind::SyntaxError | Kind::InvalidOperation, Some(detail)) => detail.to_owned(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    }
}

/// The first line, cut where it is long.
fn shortened(text: &str) -> String {
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
