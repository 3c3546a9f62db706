//! Cleans texts from outside (files, servers, models) before a model gets them: no secrets, no
//! characters that hide words.

use stategraph_base::{is_deceptive, redact_secrets};

/// Returns a text with secrets redacted and hidden characters removed. Each line, also the last, ends
/// with a line break.
pub(crate) fn without_secrets(text: &str) -> String {
    let shown = redact_secrets(text);
    let mut safe = String::with_capacity(shown.len() + 1);
    for line in shown.lines() {
        safe.extend(line.chars().filter(|c| !is_hidden(*c)));
        safe.push('\n');
    }
    safe
}

/// Returns true for control characters other than tab, and for characters that hide or reorder words.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\t') || is_deceptive(c)
}
