//! The text that a program prints about its use: the string literal of its file that begins with `Usage:`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::facts::{Fact, FactValue, SourceLines, TargetKind, visible};
use crate::repo::CodeBase;
use stategraph_base::redact_secrets;

/// Maximum of programs whose text is looked for.
const PROGRAMS: usize = 20;
/// Maximum size of a text: lines, and bytes.
const SIZE: (usize, usize) = (60, 4_000);

/// Usage text that a program prints (`Usage: shop [OPTIONS]`), quoted from its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageText {
    /// The text as written.
    pub text: String,
    /// Its lines.
    pub source: SourceLines,
}

/// Returns the usage texts in the entry files of the programs among `facts`, by the name of the program.
pub(super) fn usage_texts(code: &CodeBase, facts: &[Fact]) -> BTreeMap<String, UsageText> {
    let entries = facts.iter().filter_map(|fact| match &fact.value {
        FactValue::Target { target: TargetKind::Program, name, entry } => Some((name, entry)),
        _ => None,
    });
    let of_program = |(name, entry): (&String, &String)| {
        let (_, text) = code.text(entry).ok()?;
        let (text, start, end) = usage_text(&text)?;
        Some((name.clone(), UsageText { text, source: SourceLines { path: entry.clone(), start, end } }))
    };
    entries.take(PROGRAMS).filter_map(of_program).collect()
}

/// Returns the first string literal of several lines that begins with `Usage:`, and the numbers of its first
/// and last line. `None` if it is too long or has placeholders.
fn usage_text(code: &str) -> Option<(String, usize, usize)> {
    const MARKS: [&str; 5] = ["\"\"\"", "'''", "`", "r#\"", "\""];
    let is_usage = |at: usize| code[at..].get(..6).is_some_and(|word| word.eq_ignore_ascii_case("usage:"));
    let found = code
        .match_indices([':'])
        .filter_map(|(at, _)| at.checked_sub(5))
        .filter(|at| code.is_char_boundary(*at));
    let (start, mark) = found.filter(|at| is_usage(*at)).find_map(|at| {
        let before = code[..at].trim_end_matches([' ', '\n', '\r', '\\']);
        let mark = MARKS.iter().find(|mark| before.ends_with(**mark))?;
        Some((at, if *mark == "r#\"" { "\"#" } else { mark }))
    })?;
    let end = start + code[start..].find(mark)?;
    let text = code[start..end].trim_end();
    let lines = text.lines().count();
    // Only a raw string shows its backslashes as they are written.
    let has_escapes = mark != "\"#" && text.contains('\\');
    let is_plain = visible(text) == text && !has_escapes && !text.contains("%s") && !text.contains("${");
    let first = code[..start].matches('\n').count() + 1;
    let fits = (2..=SIZE.0).contains(&lines) && text.len() <= SIZE.1;
    (fits && is_plain).then(|| (redact_secrets(text).into_owned(), first, first + lines - 1))
}

#[cfg(test)]
mod tests {
    use super::usage_text;

    #[test]
    fn the_literal_that_begins_with_usage_is_quoted() {
        let go = "package main\n\nconst help = `\nUsage: pads [flags]\n\n  -x   trims\n`\n";
        assert_eq!(usage_text(go), Some(("Usage: pads [flags]\n\n  -x   trims".to_owned(), 4, 6)));
        let python = "\"\"\"Usage: pads FILE\n\nPads it.\"\"\"\n";
        assert_eq!(usage_text(python).map(|(_, start, end)| (start, end)), Some((1, 3)));
        let escaped = "x = \"Usage: pads\n  \\\"-x\\\"  trims\n\"\n";
        for text in [escaped, "", "usage:", "// Usage: pads\n", "x = \"Usage: %s\\n\"\n", "é: `Usage: é"] {
            assert_eq!(usage_text(text), None, "{text}");
        }
    }
}
