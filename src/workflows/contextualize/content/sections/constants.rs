//! Constants and values of a file on one line of the map.

use super::super::draft::{LineDraft, LineId};
use super::super::survey::Survey;
use super::definitions::MapDefinition;
use super::lines_of;
use super::signatures::short_signature;
use crate::repo::SymbolInfo;

/// Maximum number of constants on the line of a file.
const CONSTANTS: usize = 8;
/// Maximum number of hexadecimal values; more are numbers of a protocol.
const HEXADECIMAL: usize = 3;

/// Adds one line with at most 8 constants or variables of a file that have a telling value.
pub(super) fn add_constants(
    survey: &Survey,
    draft: &mut LineDraft,
    parent: LineId,
    constants: &[MapDefinition],
    rank: f64,
) {
    let with_value: Vec<&MapDefinition> = constants
        .iter()
        .filter(|it| has_literal(&it.symbol.signature) && it.symbol.name != "TYPE_CHECKING")
        .collect();
    // Many numbers of a protocol tell nothing one by one.
    let hexadecimal = with_value.iter().filter(|it| it.symbol.signature.contains("= 0x")).count();
    let with_value = with_value
        .into_iter()
        .filter(|it| hexadecimal <= HEXADECIMAL || !it.symbol.signature.contains("= 0x"));
    let shown: Vec<(bool, String)> = with_value
        .filter_map(|it| {
            let signature = survey.quoter.code(&short_signature(&it.symbol.signature, &it.symbol.name))?;
            (signature.len() < 92).then(|| {
                (is_fixed(it.symbol), format!("{signature} {}", lines_of(it.symbol.line, it.symbol.line_end)))
            })
        })
        .collect();
    let title =
        if shown.iter().take(CONSTANTS).all(|(is_fixed, _)| *is_fixed) { "Constants" } else { "Values" };
    let more = if shown.len() > CONSTANTS { ", …" } else { "" };
    let shown: Vec<String> = shown.into_iter().take(CONSTANTS).map(|(_, text)| text).collect();
    if !shown.is_empty() {
        let text = format!("  - {title}: {}{more}", shown.join(", "));
        draft.add_below(parent, rank, ("constants", shown.len()), text);
    }
}

/// Returns true for a constant: a keyword such as `const` or `final`, or capitals where a language has no
/// keyword.
fn is_fixed(symbol: &SymbolInfo) -> bool {
    let before = symbol.signature.split('=').next().unwrap_or_default();
    let (before, has_type) = before.split_once(':').map_or((before, false), |(before, _)| (before, true));
    let words: Vec<&str> = before.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let is_upper = symbol.name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    ["const", "constexpr", "final", "#define"].iter().any(|word| has(word))
        || has_type && has("static") && !has("mut")
        // Where a definition has no word, capitals mark a constant.
        || words.len() == 1 && is_upper
}

/// Returns true if a signature such as `MAX: usize = 8` has a telling value: a literal, a duration, the
/// number of a limit.
fn has_literal(signature: &str) -> bool {
    let Some((name, value)) = signature.split_once('=') else { return false };
    let value = value.trim();
    let is_literal = value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
        || ["time.", "Duration::", "true", "false", "True", "False"]
            .iter()
            .any(|start| value.starts_with(start));
    // The value of a limit tells something whatever it is: `3 * cores`.
    let lower = name.to_lowercase();
    let is_limit = ["limit", "max", "min", "timeout", "default", "interval", "retries", "period"]
        .iter()
        .any(|word| lower.contains(word));
    (is_literal || is_limit && value.contains(|c: char| c.is_ascii_digit()))
        && !matches!(value, "\"" | "'" | "-")
        && !name.trim_start().starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::is_fixed;
    use crate::repo::{Language, outline};

    #[test]
    fn a_variable_is_no_constant() {
        for (language, text, expected) in [
            (Language::C, "int most = 5;", false),
            (Language::C, "static const int MOST = 5;", true),
            (Language::Rust, "pub static MOST: u32 = 5;", true),
            (Language::Rust, "static mut MOST: u32 = 5;", false),
            (Language::TypeScript, "let most: number = 5;", false),
            (Language::Python, "MOST: int = 5", true),
            (Language::Python, "most = 5", false),
        ] {
            let outline = outline(language, "a", text);
            assert_eq!(is_fixed(&outline.symbols[0]), expected, "{text}");
        }
    }
}
