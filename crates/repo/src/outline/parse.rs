//! Text in, outline out. Reads no file.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::docs::{DocStyle, dedent, first_paragraph};
use super::exports;
use super::extract::{Extracted, docstring_node, extract};
use super::language::Language;
use super::mask::without_macros;
use super::spec::Grammar;
use super::symbol::{FileOutline, SymbolInfo, SymbolKind};
use crate::limit::OUTLINE_BYTES;

/// Maximum number of progress callbacks of the parser per byte of text, in addition to [`STEPS`]. Valid code
/// needs a hundredth of it. The limit is a count and not a time, so that the result is the same on every
/// machine.
const STEPS_A_BYTE: usize = 4;
const STEPS: usize = 100_000;

/// Returns the outline of `text`: its definitions, imports and documentation without bodies. `path` is only
/// stored in it. Invalid code is outlined as far as possible; `gaps` counts its errors.
///
/// ```
/// use stategraph_repo::{Language, outline};
///
/// let file = outline(Language::Python, "a.py", "class A:\n    def run(self):\n        'Runs.'\n");
/// assert_eq!(file.symbols[0].children[0].signature, "def run(self)");
/// assert_eq!(file.symbols[0].children[0].docstring.as_deref(), Some("Runs."));
/// ```
pub fn outline(language: Language, path: &str, text: &str) -> FileOutline {
    outline_with(language, path, text, |_, _| ()).0
}

/// Returns the outline of a text, and the value that `read` makes of the same syntax tree and the parsed part
/// of the text. The tree is `None` if parsing was given up.
pub(crate) fn outline_with<T>(
    language: Language,
    path: &str,
    text: &str,
    read: impl FnOnce(Option<&Tree>, &str) -> T,
) -> (FileOutline, T) {
    let parsed = within_limit(text);
    let grammar = Grammar::of(language);
    let tree = parse(language, parsed);
    let Extracted { mut symbols, imports, mut gaps } =
        tree.as_ref().map(|tree| extract(grammar, tree, parsed)).unwrap_or_default();
    if let (Language::JavaScript | Language::TypeScript | Language::Tsx, Some(tree)) = (language, &tree) {
        exports::mark(tree, parsed, &mut symbols);
    }
    if matches!(language, Language::C | Language::Cpp) {
        move_docs_behind_macros(&mut symbols);
    }
    gaps.bytes = if tree.is_some() { text.len() - parsed.len() } else { text.len() };
    let more = read(tree.as_ref(), parsed);
    let outline = FileOutline {
        path: path.to_owned(),
        language,
        docstring: tree.and_then(|tree| about(language, grammar, &tree, parsed)),
        imports,
        symbols,
        line_count: text.lines().count(),
        gaps,
    };
    (outline, more)
}

/// Gives the comment over a group of macros to the function directly behind them, if that has none: it is about the function.
fn move_docs_behind_macros(symbols: &mut [SymbolInfo]) {
    for first in 0..symbols.len() {
        let is_macro = |symbol: &SymbolInfo| symbol.kind == SymbolKind::Macro;
        if !is_macro(&symbols[first]) || symbols[first].docstring.is_none() {
            continue;
        }
        let is_next = |at: &usize| symbols[*at].line <= symbols[*at - 1].line_end + 1;
        let last = (first + 1..symbols.len()).take_while(is_next).find(|at| !is_macro(&symbols[*at]));
        let Some(last) = last else { continue };
        let is_bare = symbols[first + 1..=last].iter().all(|symbol| symbol.docstring.is_none());
        if symbols[last].kind == SymbolKind::Function && is_bare {
            symbols[last].docstring = symbols[first].docstring.take();
            symbols[last].at.docs = std::mem::take(&mut symbols[first].at.docs);
        }
    }
}

/// Returns the syntax tree of `text`; `None` if parsing takes too many steps. Macros in C and C++
/// declarations are hidden from the parser.
pub(crate) fn parse(language: Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&Grammar::of(language).language).expect("the grammars are of this parser's version");
    let mut left = STEPS + text.len() * STEPS_A_BYTE;
    let mut leave = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut leave);
    let masked = matches!(language, Language::C | Language::Cpp).then(|| without_macros(text)).flatten();
    let bytes = masked.as_deref().unwrap_or(text.as_bytes());
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Returns four numbers of a grammar, such as its number of states, that change with nearly every change of
/// its rules. They are part of cache keys.
pub(crate) fn grammar_fingerprint(language: Language) -> [usize; 4] {
    let grammar = &Grammar::of(language).language;
    [grammar.abi_version(), grammar.parse_state_count(), grammar.node_kind_count(), grammar.field_count()]
}

/// Returns the first whole lines of a text within [`OUTLINE_BYTES`], the limit for parsing.
pub(crate) fn within_limit(text: &str) -> &str {
    whole_lines(text, OUTLINE_BYTES)
}

/// Returns the first whole lines of a text that have at most `limit` bytes together.
pub(crate) fn whole_lines(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = text.as_bytes()[..limit].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    &text[..end]
}

/// Returns the first paragraph of the documentation of the file itself: `//!` of Rust, a package comment of
/// Go, a docstring of Python. `None` without one.
fn about(language: Language, grammar: &Grammar, tree: &Tree, text: &str) -> Option<String> {
    let whole = match language {
        Language::Rust => DocStyle::Any.text(&inner_docs(text))?,
        Language::Go => DocStyle::Any.text(package_comment(text)?)?,
        _ if grammar.spec.docs == DocStyle::Docstring => {
            dedent(text.get(docstring_node(tree.root_node())?.byte_range())?)
        }
        _ => return None,
    };
    Some(first_paragraph(&whole)).filter(|text| !text.is_empty())
}

/// Returns the `//!` and `/*!` comments at the beginning of a Rust file, with their markers.
fn inner_docs(text: &str) -> String {
    let mut docs = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let length = match () {
            () if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            () if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            () if rest.starts_with("#![") => attribute(rest),
            () => return docs.join("\n"),
        };
        let (part, after) = rest.split_at(length);
        if part.starts_with("//!") || part.starts_with("/*!") {
            docs.push(part.trim_end());
        }
        rest = after.trim_start();
    }
}

/// Returns the length in bytes of the attribute `#![…]` at the beginning of a text.
fn attribute(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the comment directly above the package clause of a Go file; `None` without one. Reads forward from
/// the beginning, because a comment may contain `/*` and `package`.
fn package_comment(text: &str) -> Option<&str> {
    let (mut at, mut begin) = (0, None);
    loop {
        let rest = &text[at..];
        let code = rest.trim_start();
        let gap = &rest[..rest.len() - code.len()];
        if gap.matches('\n').count() > 1 {
            begin = None;
        }
        let start = at + gap.len();
        let length = match () {
            () if code.starts_with("//") => code.find('\n').unwrap_or(code.len()),
            () if code.starts_with("/*") => code.find("*/")? + 2,
            () if code.starts_with("package ") => return begin.map(|begin| text[begin..at].trim_end()),
            () => return None,
        };
        // A block has empty lines inside; lines above it are those of another comment.
        begin = if code.starts_with("/*") { Some(start) } else { begin.or(Some(start)) };
        at = start + length;
    }
}

/// Returns the whole documentation in the byte range `docs` of a text, without comment markers; `None` for an
/// empty range (CTX-132).
pub(crate) fn documentation(language: Language, text: &str, docs: (u32, u32)) -> Option<String> {
    let found = text.get(docs.0 as usize..docs.1 as usize).filter(|found| !found.is_empty())?;
    match Grammar::of(language).spec.docs {
        DocStyle::Docstring => Some(dedent(found)),
        style => style.text(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_over_macros_belongs_to_the_function_directly_behind_them() {
        let docs = |text: &str| -> Vec<Option<String>> {
            outline(Language::C, "a.c", text).symbols.into_iter().map(|symbol| symbol.docstring).collect()
        };
        let said = Some("Moves to the next line.".to_owned());
        let text = "/* Moves to the next line. */\n#define NEXT 0\n#define PREV 1\nvoid move(int to) { }\n";
        assert_eq!(docs(text), [None, None, said.clone()]);
        let text = "/* Moves to the next line. */\n#define NEXT 0\n\nvoid move(int to) { }\n";
        assert_eq!(docs(text), [said, None]);
    }
}
