//! The places of a file where something is called, constructed or annotated: what a reader of frameworks needs, without syntax trees. A part
//! of the file that depends on its bytes alone. Knows no framework.

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use crate::outline::Language;

/// A call, a construction, a macro, an attribute or a keyword.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Its kind.
    pub kind: SiteKind,
    /// The name as written, without spaces and arguments: `std::env::var`, `app.get`, `os.environ`, `Override`.
    pub name: String,
    /// The arguments, in order.
    pub arguments: Vec<SiteArgument>,
    /// The innermost definition around it, with the names around that, joined by dots; empty at the top of the file.
    pub within: String,
    /// The definition that an attribute stands at; empty for other kinds.
    pub target: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub line_end: usize,
    /// True in code that is compiled for tests only.
    pub is_test: bool,
}

/// The kind of a [`Site`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// `f(x)`, `a.b(x)`, `new T(x)`, and subscripts with a literal: `os.environ["X"]`.
    Call,
    /// `m!(x)` of Rust.
    Macro,
    /// `#[a(x)]`, `@A(x)`, `[A(x)]`.
    Attribute,
    /// A construct of the language without a name of its own: `throw`, `raise`, `try`, `go`, `synchronized`, `lock`, `defer`.
    Keyword,
}

/// An argument of a [`Site`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteArgument {
    /// Its name where the language has named arguments.
    pub name: Option<String>,
    /// As written, cut at 200 bytes; the content alone if it is a string literal.
    pub text: String,
    /// True if it is a string literal without computed parts.
    pub is_literal: bool,
}

/// Returns the sites of a parsed file; none if its language has no rules here.
pub(crate) fn file_sites(_language: Language, _tree: &Tree, _source: &str) -> Vec<Site> {
    Vec::new()
}
