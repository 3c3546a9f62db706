//! Texts of strangers for a model: without secrets and without characters that hide words. Knows no workflow.

use stategraph_base::{is_deceptive, redact_secrets};

/// Returns a text of a stranger without the values of secrets and without hidden characters. Each line ends with a line break.
pub(crate) fn without_secrets(text: &str) -> String {
    let shown = redact_secrets(text);
    let mut safe = String::with_capacity(shown.len() + 1);
    for line in shown.lines() {
        safe.extend(line.chars().filter(|c| !is_hidden(*c)));
        safe.push('\n');
    }
    safe
}

/// Returns true for characters that hide or reorder words.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\t') || is_deceptive(c)
}
