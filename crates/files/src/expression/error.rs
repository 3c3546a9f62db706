//! Errors of evaluations.

use super::bounded::FUEL;

/// A failed evaluation of an expression or a template, with its cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` at {location}: {reason}")]
pub struct ExpressionError {
    /// The expression, or the beginning of the template.
    pub text: String,
    /// Position in the file: `file:line:column`.
    pub location: String,
    /// Cause of the failure.
    pub reason: String,
    /// Advice about a field that a value does not have; `None` for other causes.
    pub missing: Option<String>,
}

impl ExpressionError {
    /// Returns advice for the user if a bound ended the evaluation or a field is missing; otherwise `None`.
    pub fn hint(&self) -> Option<&str> {
        let told = |part: &str| self.reason.contains(part);
        if told(" the limit `") {
            return Some(
                "make less of it, or allow more in the limits of the run, if the file does not say less under `limits`",
            );
        }
        if self.missing.is_some() {
            return self.missing.as_deref();
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

/// Returns the cause of a minijinja error in the words of our messages, without position.
pub(super) fn explain(error: &minijinja::Error) -> String {
    use minijinja::ErrorKind as Kind;
    match (error.kind(), error.detail()) {
        (Kind::OutOfFuel, _) => format!("it takes more than {FUEL} steps"),
        (Kind::UndefinedError, None) => "it reads something that is not there".to_owned(),
        (Kind::SyntaxError | Kind::InvalidOperation, Some(detail)) => detail.to_owned(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    }
}

/// Returns the path that an error of minijinja calls undefined, such as `item.txt`; `None` for other errors.
pub(super) fn undefined_path(error: &minijinja::Error) -> Option<&str> {
    if error.kind() != minijinja::ErrorKind::UndefinedError {
        return None;
    }
    let (_, rest) = error.detail()?.split_once('`')?;
    rest.split_once('`').map(|(path, _)| path)
}

/// Returns the first line of the trimmed text, cut at 80 characters; `…` marks that something was left out.
pub(super) fn first_line(text: &str) -> String {
    const SHOWN: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.len() < text.trim().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}
