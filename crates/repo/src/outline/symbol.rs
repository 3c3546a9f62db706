//! The data of an outline: symbols, imports, files. Contains no logic.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::language::Language;

/// The kind of a symbol. Methods are functions inside a type; fields are variables inside one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the terms of the languages")]
pub enum SymbolKind {
    Module,
    Namespace,
    Class,
    Struct,
    Union,
    Enum,
    Interface,
    Trait,
    /// A Rust `impl`, named by its type; its methods are its children.
    Impl,
    /// A type alias.
    Type,
    Function,
    Method,
    Macro,
    /// Constants too (CTX-129).
    Variable,
    Field,
    /// A value of an enum.
    Variant,
}

impl SymbolKind {
    /// Returns true if the kind is a type: functions inside it are methods.
    pub fn is_type(self) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait, Type, Union, Variant};
        matches!(self, Class | Enum | Impl | Interface | Struct | Trait | Type | Union | Variant)
    }

    /// Returns true if a symbol of this kind can be called: a function, a method or a macro.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }

    /// Returns true if a symbol of this kind is a variable, a field or a variant.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Field | Self::Variant)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let debug = format!("{self:?}").to_lowercase();
        f.write_str(&debug)
    }
}

/// The visibility of a symbol, by the rules of the language or, if it has none, by convention (`_name` in Python).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Visible everywhere.
    Public,
    /// Visible in its file, package or crate.
    Internal,
    /// Visible in its type and the types derived from it.
    Protected,
    /// Visible in its type or module.
    Private,
}

/// One definition in an outline, with the definitions inside it (CTX-62). Absent values are written as null
/// (CTX-66).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolInfo {
    /// Its name, without the names around it. In C++ `a::C::m` defined outside its class is `a::C::m`.
    pub name: String,
    /// The kind of the definition.
    pub kind: SymbolKind,
    /// Its first line, from 1. Decorators, attributes and documentation stand above it, in every language (CTX-131).
    pub line: usize,
    /// Its last line.
    pub line_end: usize,
    /// The line of its name. It differs from `line` if a type or modifiers are on a line of their own.
    pub name_line: usize,
    /// Everything before its body, on one line (CTX-127).
    pub signature: String,
    /// The visibility.
    pub visibility: Visibility,
    /// Its decorators, attributes and annotations as written, in order.
    pub decorators: Vec<String>,
    /// The first paragraph of its documentation (CTX-132).
    pub docstring: Option<String>,
    /// The definitions inside it, in order (CTX-130).
    pub children: Vec<SymbolInfo>,
    /// Its position in the text.
    #[serde(skip)]
    pub(crate) at: Spans,
}

impl SymbolInfo {
    /// Returns the name of the type of a Go method, from its receiver: `Store` of `func (s *Store[T]) Get()`.
    /// `None` for other symbols.
    pub fn receiver(&self) -> Option<&str> {
        let inside = self.signature.strip_prefix("func (")?.split_once(')')?.0;
        let written = inside.rsplit(' ').next()?.trim_start_matches('*');
        written.split('[').next().filter(|name| !name.is_empty() && self.kind == SymbolKind::Method)
    }

    /// Returns the name of the type of an `impl`, without path, references and type arguments: `Word` of `&'a
    /// mut text::Word<T>`.
    pub fn implementing_type(&self) -> &str {
        type_name(&self.name)
    }

    /// Returns true if the definition exists only for tests: it has a test attribute, or is a function with a
    /// name such as `test_add`.
    pub fn is_test(&self) -> bool {
        self.decorators.iter().any(|said| crate::names::is_test_attribute(said))
            || self.kind.is_callable() && self.name.starts_with("test_")
    }
}

/// Returns the bare name in a written Rust type, without path, references, bounds and type arguments: `&'a
/// mut text::Word<T>` gives `Word`.
pub fn type_name(written: &str) -> &str {
    let mut rest = written.trim();
    loop {
        let inner = rest.trim_start_matches(['&', '*', '!', '?', ' ']);
        let inner =
            ["mut ", "dyn ", "const "].iter().find_map(|word| inner.strip_prefix(word)).unwrap_or(inner);
        let inner = match inner.strip_prefix('\'') {
            Some(lifetime) => lifetime.split_once(' ').map_or("", |(_, of)| of),
            None => inner,
        };
        if inner.len() == rest.len() {
            break;
        }
        rest = inner;
    }
    let end = rest.find(['<', ' ', '(', ',', '{']).unwrap_or(rest.len());
    rest[..end].rsplit(':').next().unwrap_or(rest)
}

/// The byte ranges of a symbol in its file: its name, the whole definition, and its documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spans {
    pub(crate) name: (u32, u32),
    pub(crate) whole: (u32, u32),
    pub(crate) docs: (u32, u32),
}

/// An import, include or use statement of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its first line, from 1.
    pub line: usize,
    /// The statement as written, on one line.
    pub text: String,
    /// The imported modules as the language writes them, one entry each: `crate::store::Sled`, `./view`,
    /// `..models.user`, `"list.h"`, `App\Models\User`.
    pub targets: Vec<String>,
}

/// The outline of one file: its imports and definitions without bodies (CTX-64). [`outline`](super::outline)
/// makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutline {
    /// Path relative to the root.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// The first paragraph of the file's own documentation: a module's docstring, `//!`, a package comment.
    pub docstring: Option<String>,
    /// The imports, in order.
    pub imports: Vec<Import>,
    /// The outermost definitions, in order.
    pub symbols: Vec<SymbolInfo>,
    /// Number of lines of the file.
    pub line_count: usize,
    /// The gaps of the outline.
    pub gaps: OutlineGaps,
}

/// The counts of the parts of a file that its outline lacks (CTX-57, 133).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineGaps {
    /// Number of places with invalid code; the code around them is outlined.
    pub syntax_errors: usize,
    /// Symbols and imports beyond the limit of their number or of their depth.
    pub symbols: usize,
    /// Bytes at the end that were not parsed.
    pub bytes: usize,
}

impl FileOutline {
    /// Returns every symbol at any depth, in order, each with the names of the symbols around it, outermost
    /// first.
    pub fn walk(&self) -> impl Iterator<Item = (Vec<&str>, &SymbolInfo)> {
        let mut found = Vec::new();
        for symbol in &self.symbols {
            symbol.collect(&mut Vec::new(), &mut found);
        }
        found.into_iter()
    }
}

impl FileOutline {
    /// Returns the byte ranges of all symbols, outer ones first. They are not part of the serialised outline.
    pub(crate) fn spans(&self) -> Vec<Spans> {
        let mut found = Vec::new();
        self.symbols.iter().for_each(|symbol| symbol.collect_spans(&mut found));
        found
    }

    /// Sets the byte ranges of all symbols to those that [`spans`](Self::spans) returned for an equal
    /// outline.
    pub(crate) fn set_spans(&mut self, spans: impl IntoIterator<Item = Spans>) {
        let mut spans = spans.into_iter();
        self.symbols.iter_mut().for_each(|symbol| symbol.take_spans(&mut spans));
    }
}

impl SymbolInfo {
    fn collect_spans(&self, found: &mut Vec<Spans>) {
        found.push(self.at);
        self.children.iter().for_each(|child| child.collect_spans(found));
    }

    fn take_spans(&mut self, spans: &mut impl Iterator<Item = Spans>) {
        self.at = spans.next().unwrap_or_default();
        self.children.iter_mut().for_each(|child| child.take_spans(spans));
    }

    /// Returns the byte range of the definition in its file, without decorators and documentation; empty if
    /// it is not known.
    pub fn bytes(&self) -> Range<usize> {
        self.at.whole.0 as usize..self.at.whole.1 as usize
    }

    /// Returns the byte range of its documentation in its file; empty if it has none.
    pub fn doc_bytes(&self) -> Range<usize> {
        self.at.docs.0 as usize..self.at.docs.1 as usize
    }

    /// Returns its whole documentation without comment markers. `text` is the file that was outlined. `None`
    /// without documentation (CTX-132).
    pub fn documentation(&self, language: Language, text: &str) -> Option<String> {
        super::documentation(language, text, self.at.docs)
    }

    fn collect<'a>(&'a self, around: &mut Vec<&'a str>, found: &mut Vec<(Vec<&'a str>, &'a Self)>) {
        found.push((around.clone(), self));
        around.push(&self.name);
        for child in &self.children {
            child.collect(around, found);
        }
        around.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn the_type_of_an_implementation_has_no_path_no_references_and_no_arguments() {
        let written = [
            "Word",
            "&'a Word",
            "&'a mut Word<'a, T>",
            "crate::text::Word<T>",
            "dyn Word",
            "&T",
            "?Sized",
            "&'a",
        ];
        let names = written.map(type_name);
        assert_eq!(names, ["Word", "Word", "Word", "Word", "Word", "T", "Sized", ""]);
    }
}
