//! Shortens statements for the texts of rules.

use super::statements::depth_of;

/// Returns true for a statement that leaves its block: `return`, `break`, `throw`, an exit of the
/// program, `Err(…)`.
pub(super) fn is_end(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "return", "continue", "break", "throw", "raise", "goto", "exit", "die", "panic!", "bail!", "fail",
        "abort", "yield",
    ];
    let first = text.split([' ', '(', ';']).next().unwrap_or_default();
    WORDS.contains(&first)
        || EXITS.iter().any(|exit| text.starts_with(exit))
        || text.starts_with("Err(")
        || text.starts_with("self.fail(")
}

const EXITS: &[&str] =
    &["os.Exit", "sys.exit", "process.exit", "std::process::exit", "process::exit", "System.exit"];

/// Cuts a statement to at most `most` characters. It ends with `…` if it was cut, opens a block, or
/// leaves a bracket open.
pub(super) fn part(text: &str, most: usize) -> String {
    let shown = cut(text, most);
    let is_open = depth_of(text.trim_end_matches(['{', ' ']), &['(', '[', '{'], &[')', ']', '}']) != 0;
    if (is_open || text.ends_with('{')) && !shown.ends_with('…') { format!("{shown}…") } else { shown }
}

/// Cuts a text to at most `most` characters, with `…` at the cut. A `;`, `,` or `{` at its end is
/// removed first.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches([';', ',', '{', ' ']).trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    let at = head.rfind([' ', '(', ',']).filter(|at| *at > most / 2).map_or(head.len(), |at| at + 1);
    format!("{}…", head[..at].trim_end())
}
