//! Texts as YAML: strings that any parser reads back, whatever they hold.

use std::fmt::Write as _;

/// Returns a double-quoted YAML scalar: a JSON string in which characters that YAML forbids unescaped are escaped too.
pub(super) fn quote_scalar(text: &str) -> String {
    escape_json(&serde_json::Value::from(text))
}

/// Returns a value as JSON in one line that is YAML too.
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
