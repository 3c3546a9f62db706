//! Reads the purposes that a source file states for itself, its types and its functions. The result depends
//! on this file alone, so it is cached with the file.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use stategraph_repo::{Language, ParsedFile, SymbolInfo, SymbolKind, Visibility};

use super::comments::{CommentStyle, first_of_definition};
use super::heads;
use super::sentence::{purpose_of, purpose_of_definition};
use crate::fact::PathRole;
use crate::role::{generated_line, role_of};

/// Maximum number of functions of a file whose purposes are read.
const FUNCTIONS: usize = 30;
/// Maximum depth of modules and namespaces that are read.
const DEPTH: usize = 4;

/// A purpose that a source file states for itself or for a definition. `of_code` makes facts of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenPurpose {
    /// Qualified name of the definition; `None` for the file.
    pub(super) name: Option<String>,
    pub(super) text: String,
    /// First line, from 1.
    pub(super) start: usize,
    /// The last line, included.
    pub(super) end: usize,
    /// True for a function that counts only if the file is an entry: the public interface of a library, or
    /// the start of a program.
    pub(super) needs_entry: bool,
}

/// Reader of the purposes in one source file: the text by lines, and the purposes found so far.
struct PurposeReader<'a> {
    language: Language,
    text: &'a str,
    lines: Vec<&'a str>,
    /// Byte offset of the beginning of each line.
    starts: Vec<usize>,
    found: Vec<WrittenPurpose>,
}

/// Returns the purposes in a parsed file: its own, and those of its public types and functions. Generated
/// and vendored files have none; of tests, only the file's own is read.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<WrittenPurpose> {
    let outline = file.outline;
    let role = role_of(&outline.path);
    if matches!(role, PathRole::Vendored | PathRole::Generated) || generated_line(file.text).is_some() {
        return Vec::new();
    }
    let starts = std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let lines = file.text.lines().collect();
    let mut reader =
        PurposeReader { language: outline.language, text: file.text, lines, starts, found: Vec::new() };
    if let Some(head) = heads::head(outline.language, &outline.path, &reader.lines) {
        let (start, end) = (head.start, head.end);
        let text = purpose_of(&head.text);
        reader.found.extend(text.map(|text| WrittenPurpose {
            name: None,
            text,
            start,
            end,
            needs_entry: false,
        }));
    }
    if role != PathRole::Test {
        reader.definitions(&outline.symbols);
    }
    reader.found
}

impl PurposeReader<'_> {
    /// Adds the purposes stated in the documentation of the file's definitions at the top level.
    fn definitions(&mut self, symbols: &[SymbolInfo]) {
        let mut functions = 0;
        for symbol in symbols {
            let is_function = symbol.kind == SymbolKind::Function
                && is_public(symbol)
                && !heads_a_group(self.language, symbol, &self.lines);
            functions += usize::from(is_function && symbol.docstring.is_some());
            if is_type(symbol) || is_function && functions <= FUNCTIONS {
                self.definition(symbol, &symbol.name, is_function && symbol.name != "main");
            }
            if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
                self.inner(symbol, &symbol.name, 0);
            }
        }
    }

    /// Adds the purposes of a module and of the types inside a module or namespace, recursively.
    fn inner(&mut self, around: &SymbolInfo, name: &str, depth: usize) {
        // Tests are often a module inside a file.
        if depth > DEPTH || matches!(around.name.as_str(), "test" | "tests") {
            return;
        }
        // In Ruby the comment above a module with one class is that of the file.
        let is_frame = self.language == Language::Ruby
            && matches!(&around.children[..], [only] if is_type(only) || only.kind == SymbolKind::Class);
        if around.kind == SymbolKind::Module && !is_frame {
            self.definition(around, name, false);
        }
        for symbol in &around.children {
            let name = format!("{name}.{}", symbol.name);
            if is_type(symbol) {
                self.definition(symbol, &name, false);
            }
            if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
                self.inner(symbol, &name, depth + 1);
            }
        }
    }

    /// Adds the purpose in the documentation of one definition.
    fn definition(&mut self, symbol: &SymbolInfo, name: &str, needs_entry: bool) {
        if symbol.docstring.is_none() || is_parser(symbol) {
            return;
        }
        let Some((start, end)) = self.doc_lines(symbol) else { return };
        let Some(range) = self.lines.get(start - 1..end.min(self.lines.len())) else { return };
        let style =
            if self.language == Language::Python { CommentStyle::Docstring } else { CommentStyle::Comment };
        let Some(paragraph) = first_of_definition(range, style) else { return };
        if is_documentation(self.language, range, &paragraph.text, &symbol.name) {
            let lines = (start + paragraph.start, start + paragraph.end);
            let text = purpose_of_definition(&paragraph.text);
            self.found.extend(text.map(|text| WrittenPurpose {
                name: Some(name.to_owned()),
                text,
                start: lines.0,
                end: lines.1,
                needs_entry,
            }));
        }
    }

    /// Returns the first and last line, from 1, of a definition's documentation.
    fn doc_lines(&self, symbol: &SymbolInfo) -> Option<(usize, usize)> {
        let Range { start, end } = symbol.doc_bytes();
        let docs = self.text.get(start..end).filter(|docs| !docs.trim().is_empty())?;
        let first = start + (docs.len() - docs.trim_start().len());
        Some((self.line_at(first), self.line_at(start + docs.trim_end().len())))
    }

    /// Returns the line, from 1, of a byte offset.
    fn line_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }
}

/// Returns true if the comment above a definition documents it. In languages without a mark for
/// documentation, it must be a sentence that says more than the name.
fn is_documentation(language: Language, lines: &[&str], text: &str, name: &str) -> bool {
    let is_marked = lines
        .iter()
        .any(|line| ["/**", "/*!", "///", "//!"].iter().any(|mark| line.trim_start().starts_with(mark)));
    let is_free = matches!(
        language,
        Language::C
            | Language::Cpp
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Php
    );
    let words = text.split_whitespace().count();
    let is_upper = text.starts_with(|c: char| !c.is_lowercase());
    // "An order attribute." of `OrderAttribute`, "Main entry point" of `main`.
    if words <= 4 && restates(text, name) || name == "main" && words <= 4 && text.starts_with("Main ") {
        return false;
    }
    let is_sentence = words >= 4 || words >= 2 && text.ends_with('.') && !restates(text, name);
    !is_free || is_marked || is_sentence && (is_upper || is_description(text)) || text.starts_with(name)
}

/// Returns true if the text says no more than the name: "Grid line." of `grid_line`.
fn restates(text: &str, name: &str) -> bool {
    const FILLERS: &[&str] = &[
        "implementation",
        "base",
        "element",
        "a",
        "an",
        "the",
        "of",
        "structure",
        "struct",
        "type",
        "class",
        "enum",
    ];
    let name = name.to_lowercase();
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .all(|word| name.contains(word.trim_end_matches('s')))
}

/// Returns true if a comment without a documentation mark, which begins in lower case, describes the
/// definition below it; a reason or a condition makes it a remark about the code.
fn is_description(text: &str) -> bool {
    const REASONS: &[&str] =
        &["because", "so", "has", "have", "should", "must", "will", "we", "i", "you", "if", "when"];
    let first = text.find(". ").map_or(text, |end| &text[..end]);
    !first.split_whitespace().any(|word| REASONS.contains(&word) || word.ends_with("n't"))
}

/// Returns true if the comment above a C declaration is about several: another declaration follows without
/// an empty line.
fn heads_a_group(language: Language, symbol: &SymbolInfo, lines: &[&str]) -> bool {
    let is_c = matches!(language, Language::C | Language::Cpp);
    let next = lines.get(symbol.line_end).map_or("", |line| line.trim());
    is_c && symbol.name != "main"
        && !next.is_empty()
        && !next.starts_with("/*")
        && !next.starts_with("//")
        && !next.starts_with('#')
}

/// Returns true for a structure of clap that holds the arguments of a program. Its documentation is the help that the program prints.
fn is_parser(symbol: &SymbolInfo) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    symbol.decorators.iter().any(|it| {
        it.contains("derive(")
            && it.split(|c| !is_word(c)).any(|word| matches!(word, "Parser" | "clap::Parser"))
    })
}

/// Returns true for a public, documented type; modules and `impl` blocks do not count.
fn is_type(symbol: &SymbolInfo) -> bool {
    use SymbolKind::{Impl, Module, Namespace};
    symbol.kind.is_type()
        && !matches!(symbol.kind, Impl | Module | Namespace)
        && is_public(symbol)
        && symbol.docstring.is_some()
}

/// Returns true for a public definition, and for `main`.
fn is_public(symbol: &SymbolInfo) -> bool {
    symbol.visibility == Visibility::Public || symbol.name == "main"
}
