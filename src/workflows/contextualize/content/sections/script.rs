//! The code of a file outside of all functions, which runs when it is loaded.

use super::super::bodies::read_body;
use super::super::central::CentralFile;
use super::super::survey::Survey;
use crate::repo::{CodeStatement, CodeTree, FileOutline, Language, StatementPart, SymbolInfo, SymbolKind};

/// Maximum length of the excerpt, in bytes.
const LENGTH: usize = 500;

/// Returns the number of statements and the text of an excerpt of the code outside of the functions and classes of a script. `None` for
/// languages without such code and for files in which it tells nothing.
pub(super) fn script_excerpt(survey: &Survey, file: &CentralFile) -> Option<(usize, String)> {
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
            | Language::Rust
    );
    if !runs {
        return None;
    }
    let (_, text) = survey.code.text(&file.path).ok()?;
    let tree = CodeTree::parse(outline.language, &text)?;
    let inside = inner_lines(outline);
    let lines: Vec<&str> = text.lines().collect();
    let is_other = |line: usize| {
        let text = line.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or_default();
        inside.iter().any(|(start, end)| (*start..=*end).contains(&line))
            || outline.language == Language::Rust && !is_macro(text)
            || ["TYPE_CHECKING", "__name__", "require(", "module.exports"]
                .iter()
                .any(|part| text.contains(part))
    };
    let body = read_body(outline.language, &without_modules(tree.outermost()), &is_other);
    let excerpt = body.code.excerpts(&[LENGTH]).into_iter().next()?;
    Some((excerpt.statements, format!("{} L{}", survey.quoter.code(&excerpt.text)?, excerpt.line)))
}

/// Replaces modules and namespaces by the statements inside them.
fn without_modules(statements: Vec<CodeStatement>) -> Vec<CodeStatement> {
    let mut found = Vec::new();
    for statement in statements {
        let is_module = matches!(statement.parts.first(), Some(StatementPart::Code(code))
            if code.starts_with("module ") || code.starts_with("namespace "))
            && statement.parts.iter().any(|part| matches!(part, StatementPart::Block(_)));
        if !is_module {
            found.push(statement);
            continue;
        }
        for part in statement.parts {
            if let StatementPart::Block(inner) = part {
                found.extend(without_modules(inner));
            }
        }
    }
    found
}

/// Returns true for a line that begins with a call of a macro at the outermost level, such as a table: `columns! {`.
fn is_macro(line: &str) -> bool {
    let name = line.split('!').next().unwrap_or_default();
    line.len() > name.len()
        && !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
        && name != "macro_rules"
}

/// Returns the first and last lines of definitions and imports, which are told elsewhere.
fn inner_lines(outline: &FileOutline) -> Vec<(usize, usize)> {
    fn add(symbols: &[SymbolInfo], found: &mut Vec<(usize, usize)>) {
        for symbol in symbols {
            match symbol.kind {
                SymbolKind::Module | SymbolKind::Namespace => add(&symbol.children, found),
                _ => found.push((symbol.line, symbol.line_end)),
            }
        }
    }
    let mut found: Vec<(usize, usize)> =
        outline.imports.iter().map(|import| (import.line, import.line)).collect();
    add(&outline.symbols, &mut found);
    found
}
