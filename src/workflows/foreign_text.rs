//! Texts of strangers for a model: without secrets and without characters that hide words. Knows no workflow.

use stategraph_base::{has_secret, is_deceptive};

/// Returns a text of a stranger without lines that hold secrets and without hidden characters. Each line ends with a line break.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.lines() {
        if has_secret(line) {
            safe.push_str("[a line with a secret is left out]");
        } else {
            safe.extend(line.chars().filter(|c| !is_hidden(*c)));
        }
        safe.push('\n');
    }
    safe
}

/// Returns true for characters that hide or reorder words.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\t') || is_deceptive(c)
}
