//! Escapes texts from outside for Mermaid diagrams. Shared by the workflows that draw.

/// Returns text for a label. All characters but letters, digits, spaces, underscores, commas and full
/// stops become numeric entities, which all Mermaid diagrams support; control characters are removed.
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
