//! Constants and values of a file on one line of the map.

use super::super::draft::{LineDraft, LineId};
use super::super::survey::Survey;
use super::definitions::MapDefinition;
use super::lines_of;
use super::signatures::short_signature;
use crate::repo::{Language, SymbolInfo, Visibility};

/// Maximum number of constants on the line of a file.
const CONSTANTS: usize = 8;
/// Maximum number of hexadecimal values; more are numbers of a protocol.
const HEXADECIMAL: usize = 3;

/// Adds one line with at most 8 constants or variables of a file that have a telling value: limits and defaults first, computed values
/// last.
pub(super) fn add_constants(
    survey: &Survey,
    path: &str,
    draft: &mut LineDraft,
    parent: LineId,
    constants: &[MapDefinition],
    rank: f64,
) {
    let text = survey.code.text(path).map(|(_, text)| text).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    // A value inside of an `if` or a `try` of Python is only one of several.
    let is_certain = |it: &MapDefinition| {
        let line = lines.get(it.symbol.line.saturating_sub(1));
        Language::of_path(path) != Some(Language::Python)
            || !line.is_some_and(|line| line.starts_with([' ', '\t']))
    };
    let is_literal = |it: &MapDefinition| is_literal_define(it.symbol) || has_literal(&it.symbol.signature);
    let told: Vec<&MapDefinition> = constants
        .iter()
        .filter(|it| is_certain(it) && (is_literal(it) || has_call(it.symbol)))
        .filter(|it| it.symbol.name != "TYPE_CHECKING" && !is_reassignable(path, it.symbol))
        .collect();
    // Many numbers of a protocol tell nothing one by one.
    let hexadecimal = told.iter().filter(|it| it.symbol.signature.contains("= 0x")).count();
    let told =
        told.into_iter().filter(|it| hexadecimal <= HEXADECIMAL || !it.symbol.signature.contains("= 0x"));
    let mut shown: Vec<(usize, &SymbolInfo, String)> = told
        .filter_map(|it| {
            let short = match define(&it.symbol.signature) {
                Some((name, value)) => format!("{name} {value}"),
                None => short_signature(&it.symbol.signature, &it.symbol.name),
            };
            let order = match () {
                () if is_limit(&it.symbol.name) => 0,
                () if is_literal(it) && is_fixed(it.symbol) => 1,
                () if is_literal(it) => 2,
                () => 3,
            };
            let text = survey.quoter.code(&short).filter(|text| text.len() < 92)?;
            Some((order, it.symbol, format!("{text} {}", lines_of(it.symbol.line, it.symbol.line_end))))
        })
        .collect();
    let more = if shown.len() > CONSTANTS { ", …" } else { "" };
    shown.sort_by_key(|(order, ..)| *order);
    shown.truncate(CONSTANTS);
    shown.sort_by_key(|(_, symbol, _)| symbol.line);
    let title = if shown.iter().all(|(_, symbol, _)| is_fixed(symbol)) { "Constants" } else { "Values" };
    let texts: Vec<&str> = shown.iter().map(|(.., text)| text.as_str()).collect();
    if !shown.is_empty() {
        let text = format!("  - {title}: {}{more}", texts.join(", "));
        draft.add_below(parent, rank, ("constants", shown.len()), text);
    }
}

/// Returns true for a public value of a call or of another name, which others use by this name: `CONFIG = Lazy::new(load)`. Loggers and
/// imported modules do not count.
fn has_call(symbol: &SymbolInfo) -> bool {
    const OTHER: &[&str] =
        &["getLogger", "get_logger", "require(", "import(", "TypeVar(", "=>", "function", "…"];
    let Some((_, value)) = symbol.signature.split_once(" = ") else { return false };
    symbol.visibility == Visibility::Public
        && !value.is_empty()
        && value.starts_with(|c: char| c.is_alphabetic() || c == '&')
        && !OTHER.iter().any(|part| value.contains(part))
}

/// Returns true for a variable of a script that may get another value: `let isTTY = true`.
fn is_reassignable(path: &str, symbol: &SymbolInfo) -> bool {
    let is_script =
        matches!(Language::of_path(path), Some(Language::JavaScript | Language::TypeScript | Language::Tsx));
    is_script
        && ["let ", "var ", "export let ", "export var "]
            .iter()
            .any(|word| symbol.signature.starts_with(word))
}

/// Returns true for a name with a word of limits and defaults.
fn is_limit(name: &str) -> bool {
    const WORDS: &[&str] = &["limit", "max", "min", "timeout", "default", "interval", "retries", "period"];
    let lower = name.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Returns true for a macro of C that stands for a number, a text or an expression of them: `#define MOST 5`.
pub(super) fn is_literal_define(symbol: &SymbolInfo) -> bool {
    define(&symbol.signature).is_some_and(|(_, value)| {
        value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
            || value.starts_with('(') && value[1..].starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Returns the name and the value of a macro without arguments; `None` for other definitions.
fn define(signature: &str) -> Option<(&str, &str)> {
    let (name, value) = signature.strip_prefix("#define ")?.trim_start().split_once(' ')?;
    let value = value.split("/*").next()?.split("//").next()?.trim();
    (!name.contains('(') && !value.is_empty()).then_some((name, value))
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
    (is_literal || is_limit(name) && value.contains(|c: char| c.is_ascii_digit()))
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
