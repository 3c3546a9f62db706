//! Ranks entries by the words that they share with a query. Pure.

use serde_json::Value;

use super::query::QueryCandidate;
use stategraph_core::rank;

/// Returns the BM25 score of each entry for the words of `wanted`, in the order of the entries. Higher is
/// better.
pub(super) fn score_by_words(wanted: &str, entries: &[QueryCandidate]) -> Vec<f64> {
    let texts: Vec<String> = entries.iter().map(|entry| split_names(&entry_text(&entry.value))).collect();
    rank(&split_names(wanted), &texts)
}

/// Returns all strings in an entry, one a line, without field names, times and hashes.
pub(super) fn entry_text(value: &Value) -> String {
    let mut text = String::new();
    collect_text(value, &mut text);
    text
}

fn collect_text(value: &Value, text: &mut String) {
    match value {
        Value::String(said) => text.extend([said.as_str(), "\n"]),
        Value::Array(list) => list.iter().for_each(|value| collect_text(value, text)),
        Value::Object(fields) => {
            let telling =
                |name: &&String| !matches!(name.as_str(), "created_at" | "updated_at" | "last_read_hash");
            fields.keys().filter(telling).for_each(|name| collect_text(&fields[name], text));
        }
        _ => {}
    }
}

/// Returns the text with the parts of each camel-case name after it, so that `UserService` also matches `User
/// Service`.
fn split_names(text: &str) -> String {
    let mut words = String::with_capacity(text.len() * 2);
    for word in text.split_whitespace() {
        words.extend([word, " "]);
        let mut before = ' ';
        let inner = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        for c in word.chars().filter(|_| inner) {
            if c.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.push(c);
            before = c;
        }
        words.push('\n');
    }
    words
}
