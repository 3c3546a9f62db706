//! The places of a file where something is called, constructed or annotated: what a reader of frameworks needs, without syntax trees. A part
//! of the file that depends on its bytes alone. Knows no framework.
//!
//! Reading order: `walk` (the one walk over the tree), `calls`, `attributes`, `keywords` and `tokens` (which nodes are sites), `arguments`
//! and `holders` (the passed values, and the variable that holds the result), `definitions` (the names around a site).

mod arguments;
mod attributes;
mod calls;
mod definitions;
mod holders;
mod keywords;
mod tokens;
mod walk;

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use crate::outline::Language;

/// Most sites of one file.
const SITES: usize = 20_000;
/// Most arguments of one site.
const ARGUMENTS: usize = 64;
/// Longest name, in bytes.
const NAME: usize = 200;
/// Maximum length of an argument that is no literal, in bytes; longer ones are cut.
const TEXT: usize = 200;
/// Maximum length of a literal, in bytes. It is long because help texts are literals.
const LITERAL: usize = 1_000;

/// A place in a file where something is called, constructed or annotated, or a keyword such as `throw`. Facts
/// about frameworks are derived from sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Its kind.
    pub kind: SiteKind,
    /// The name as written, without white space, type arguments and arguments: `std::env::var`, `app.get`,
    /// `os.environ`, `Override`. `->` and `?.` are written as `.`. A method of the result of another call is
    /// `.get`, and that call is the next site. A method of any other value is `?.get`.
    pub name: String,
    /// The arguments, in order. The fields of an object of JavaScript follow it as named arguments.
    pub arguments: Vec<SiteArgument>,
    /// The variable, constant, field or parameter that gets the value; empty if none does.
    pub holder: String,
    /// The value that is used if the site has none: `b` in `a || b`, or the default of a parameter with the
    /// site in its type.
    pub fallback: Option<SiteArgument>,
    /// The innermost definition around it, after the names around that, joined by dots; empty at the
    /// outermost level.
    pub within: String,
    /// The name of the definition that an attribute belongs to, without the names around it; empty for other
    /// kinds.
    pub target: String,
    /// Its first line, from 1. For a method of the result of a call, the line of the method.
    pub line: usize,
    /// Its last line.
    pub line_end: usize,
    /// Number of sites inside it, which follow it in the list.
    pub inside: usize,
    /// True in code that is compiled for tests only.
    pub is_test: bool,
}

/// The kind of a [`Site`]: a call, a macro, an attribute or a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// `f(x)`, `a.b(x)`, `new T(x)`, a literal of a struct of Go, a row of a table of C, and subscripts with a literal: `os.environ["X"]`.
    /// `process.env.X` is a call of `process.env` with `X`, `${X:-d}` of a shell one of `$`, `$A_B` one of `$A_B`. A branch of
    /// a `case` is a keyword; its argument `of` is what is compared.
    Call,
    /// `m!(x)` of Rust.
    Macro,
    /// `#[a(x)]`, `@A(x)`, `[A(x)]`. The tags of a field of Go are one of the name `tag`.
    Attribute,
    /// A construct of the language without a name of its own: `throw`, `raise`, `try`, `go`, `synchronized`, `lock`, `defer`. The argument is
    /// the thrown, caught or locked value.
    Keyword,
}

/// An argument of a [`Site`], with its name and text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteArgument {
    /// Its name where the language has named arguments.
    pub name: Option<String>,
    /// As written, cut at 200 bytes; the content alone if it is a string literal.
    pub text: String,
    /// True if it is a string literal without computed parts.
    pub is_literal: bool,
}

/// Returns the sites of a parsed file (calls, macros, attributes and keywords), ordered by their beginnings.
pub(crate) fn file_sites(language: Language, tree: &Tree, source: &str) -> Vec<Site> {
    walk::walk(language, tree, source)
}

/// Returns the beginning of a text, at most `bytes` bytes, cut at a character boundary.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
