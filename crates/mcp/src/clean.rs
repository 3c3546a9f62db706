//! Makes texts of servers safe to show and to put into a prompt: removes control characters and characters
//! that hide text or change its order, and bounds the length. The words themselves stay; the user's allow
//! lists and approvals decide about them.

use serde_json::Value;

use stategraph_base::is_deceptive;

/// Returns a text of an MCP server without control and deceptive characters; line breaks and tabs stay.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|&c| c == '\n' || c == '\t' || !(c.is_control() || is_deceptive(c))).collect()
}

/// Returns a text cleaned as by [`clean`] and cut at `limit` bytes. A cut text ends with a line that says
/// how many bytes are missing.
pub(crate) fn clean_up_to(text: &str, limit: usize) -> String {
    let cleaned = clean(text);
    if cleaned.len() <= limit {
        return cleaned;
    }
    let end = cleaned.floor_char_boundary(limit);
    format!("{}\n[{} bytes more are cut off]", &cleaned[..end], cleaned.len() - end)
}

/// Returns a clean text on one line, cut at `limit` characters, for a message.
pub(crate) fn clean_line(text: &str, limit: usize) -> String {
    let line = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    stategraph_base::cut(&line, limit).in_line()
}

/// Cleans all strings of a JSON value in place, and cuts each at `limit` bytes. Keys of objects stay as
/// they are.
pub(crate) fn clean_value(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) => *text = clean_up_to(text, limit),
        Value::Array(items) => items.iter_mut().for_each(|item| clean_value(item, limit)),
        Value::Object(fields) => fields.values_mut().for_each(|field| clean_value(field, limit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_hidden_characters_are_removed_and_long_texts_cut() {
        assert_eq!(clean("a\u{1b}[31mb\u{202e}c\u{200b}\u{e0041}\nd\t"), "a[31mbc\nd\t");
        assert_eq!(clean_up_to("ééé", 3), "é\n[4 bytes more are cut off]");
        assert_eq!(clean_line("a\n\n b", 10), "a b");
    }
}
