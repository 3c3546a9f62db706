//! Rules that a file applies outside of all functions, when it is loaded or run.

use super::super::bodies::read_script;
use super::super::central::CentralFile;
use super::super::survey::Survey;
use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind};

/// Maximum number of rules.
const RULES: usize = 4;
/// Maximum number of lines of a file that are read.
const LINES: usize = 400;

/// Returns the number and the text of the rules outside of the functions and classes of a script. `None` for languages without such code
/// and for files without such rules.
pub(super) fn script_rules(survey: &Survey, file: &CentralFile) -> Option<(usize, String)> {
    let outline = survey.outlines.get(&file.path)?;
    let runs = matches!(
        outline.language,
        Language::Ruby
            | Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Php
            | Language::Bash
    );
    if !runs {
        return None;
    }
    let (_, text) = survey.code.text(&file.path).ok()?;
    // Line 0 stands for a signature.
    let lines: Vec<&str> =
        std::iter::once(signature(outline.language)).chain(text.lines().take(LINES)).collect();
    let inside = inner_lines(outline);
    let is_other =
        |line: usize| line == 0 || inside.iter().any(|(start, end)| (*start..=*end).contains(&line));
    // Of a file with definitions only these lines are code of the script.
    let shown: Vec<&str> =
        lines.iter().enumerate().map(|(at, line)| if at > 0 && is_other(at) { "" } else { line }).collect();
    let decisions = read_script(outline.language, &shown, 0, &is_other);
    let rules: Vec<String> = decisions
        .strongest_rules(RULES)
        .into_iter()
        .filter(|(_, text)| !["TYPE_CHECKING", "__name__", "require("].iter().any(|part| text.contains(part)))
        .filter_map(|(line, text)| Some(format!("{} L{line}", survey.quoter.code(&text)?)))
        .collect();
    (!rules.is_empty()).then(|| (rules.len(), rules.join("; ")))
}

/// Returns a line that begins a function, as the reader of bodies expects it.
fn signature(language: Language) -> &'static str {
    match language {
        Language::Python => "def script():",
        Language::Ruby | Language::Bash => "def script",
        _ => "function script() {",
    }
}

/// Returns the first and last lines of functions, types and imports, whose code does not run when the file is loaded.
fn inner_lines(outline: &FileOutline) -> Vec<(usize, usize)> {
    fn add(symbols: &[SymbolInfo], found: &mut Vec<(usize, usize)>) {
        for symbol in symbols {
            match symbol.kind {
                SymbolKind::Module | SymbolKind::Namespace => {
                    found.push((symbol.line, symbol.line));
                    add(&symbol.children, found);
                }
                _ => found.push((symbol.line, symbol.line_end)),
            }
        }
    }
    let mut found: Vec<(usize, usize)> =
        outline.imports.iter().map(|import| (import.line, import.line)).collect();
    add(&outline.symbols, &mut found);
    found
}
