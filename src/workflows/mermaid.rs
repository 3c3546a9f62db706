//! Makes foreign text harmless in Mermaid. Shared by the workflows that draw; knows none of them.

/// Returns text for a label: all characters but letters, digits, spaces, underscores, commas and full stops become Mermaid's numeric entities, which all its
/// diagrams support.
pub(crate) fn label(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if c.is_alphanumeric() || matches!(c, ' ' | '_' | ',' | '.') {
            safe.push(c);
        } else {
            safe.extend(["#", &u32::from(c).to_string(), ";"]);
        }
    }
    safe
}
