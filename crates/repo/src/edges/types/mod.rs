//! Types, methods and calls of all files of a language, joined: what a link of a file leads to. Knows no language but by its rules and its
//! scopes; no inference, no overloads, no selection of traits.
//!
//! Reading order: this file (what languages give and what comes out), `index` (all types, functions and fields by name), `values` (the
//! types of links), `calls` (edges and the graph of calls), `relations`.

mod calls;
mod index;
mod relations;
mod values;

use super::{CodeFile, Collector};
use index::TypeIndex;

/// A definition that a written name means: a file, and the full name in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundDefinition {
    /// Index of its file among the sources.
    pub(super) file: usize,
    /// Its name in the file, with the names around it.
    pub(super) name: String,
}

/// The rules by which a language finds the definition of a written name. Each language implements it for its
/// files.
pub(super) trait Scopes {
    /// Returns the definitions that `path` means if it is written in a file, inside the definition or module
    /// `scope` (empty at the outermost level). `file` is an index of the sources.
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition>;
}

/// The rules of a language for resolving types, members and calls.
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of a language")]
pub(super) struct TypeRules {
    /// A bare name may mean a member of the type around it, as in Java.
    pub(super) has_implicit_own: bool,
    /// A type may be defined in several files, all of which belong to it, as in C#.
    pub(super) has_partial_types: bool,
    /// Pointers have methods of their own, such as `clone` of `Arc`, which are not those of their content.
    pub(super) separate_pointers: bool,
    /// A call of a method that is not found gives an edge to the file of the receiver's type.
    pub(super) falls_back_to_types: bool,
    /// A call of a type's name constructs a value of it, as in Python.
    pub(super) calls_types: bool,
    /// Calls of functions are edges to the files of their definitions, because the language records no other
    /// names.
    pub(super) names_functions: bool,
}

impl TypeRules {
    pub(super) const fn of_written_names() -> Self {
        Self {
            has_implicit_own: false,
            has_partial_types: false,
            separate_pointers: false,
            falls_back_to_types: false,
            calls_types: true,
            names_functions: false,
        }
    }
}

/// Resolves the types and calls in the sources of one language, and adds typed edges, relations of types and
/// calls to `found`.
pub(super) fn collect(sources: &[&CodeFile], scopes: &dyn Scopes, rules: &TypeRules, found: &mut Collector) {
    if sources.is_empty() {
        return;
    }
    let index = TypeIndex::new(sources, scopes, rules);
    calls::collect(&index, found);
    relations::collect(&index, found);
}
