//! Texts as YAML scalars that any parser reads back unchanged.

use std::fmt::Write as _;

/// Returns the text as a double-quoted YAML scalar: a JSON string in which characters that YAML forbids
/// are escaped too.
pub(super) fn quote_scalar(text: &str) -> String {
    escape_json(&serde_json::Value::from(text))
}

/// Returns a JSON value on one line that is valid YAML too.
pub(super) fn escape_json(value: &serde_json::Value) -> String {
    let json = value.to_string();
    let mut quoted = String::with_capacity(json.len());
    // Outside of strings JSON has none of these characters, so each is part of one.
    for c in json.chars() {
        if matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            write!(quoted, "\\u{:04x}", u32::from(c)).expect("a string takes all that is written");
        } else {
            quoted.push(c);
        }
    }
    quoted
}
