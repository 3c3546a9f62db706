//! Expressions and templates of graph files: Jinja's, through minijinja, with bounded steps. They see the names that they are given
//! and nothing else: no file, no environment, no clock. Where in a file they stand, `names.rs` and `read.rs` know.

mod names;
mod operand;
mod published;
mod read;
mod request;
mod scope;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::Value;

pub use operand::Operand;
pub(crate) use read::{Names, SECRETS};
use request::Nulls;
pub use scope::Scope;

/// Steps that one evaluation may take: a loop over 10,000 items takes a tenth of them.
pub const FUEL: u64 = 1_000_000;

/// The longest expression or template, in characters.
pub const TEXT_MAX: usize = 100_000;

/// The longest text that a template may make, in bytes: 4 MiB.
pub const RENDERED_MAX: usize = 4 * 1024 * 1024;

/// What every evaluation knows besides its scope.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(true);
    environment.add_filter("fromjson", request::fromjson);
    // They would let a template show, or grow without bound, what it was not given.
    environment.remove_global("debug");
    environment.remove_global("namespace");
    environment
});

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

impl Expression {
    /// Its value.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
        let value = self.raw(scope)?;
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
        let mut text = Bounded(Vec::new());
        template
            .render_captured_to(scope.context(&self.reads, self.nulls), &mut text)
            .map_err(|error| failed(self.nulls.spoken(&error)))?;
        Ok(String::from_utf8(text.0).expect("minijinja writes text"))
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Takes so much text and no more.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > RENDERED_MAX {
            return Err(std::io::Error::other(format!("the text has more than {RENDERED_MAX} bytes")));
        }
        self.0.extend_from_slice(bytes);
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
        (Kind::WriteFailure, _) => format!("the text has more than {RENDERED_MAX} bytes"),
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
