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

/// A definition that a name means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Index of its file among the sources.
    pub(super) file: usize,
    /// Its name in the file, with the names around it.
    pub(super) name: String,
}

/// The names of a language.
pub(super) trait Scopes {
    /// Returns the definitions that a path means which is written in a file inside `scope`.
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<Found>;
}

/// The rules of a language.
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of a language")]
pub(super) struct TypeRules {
    /// A name may mean a member of the type around it.
    pub(super) has_implicit_own: bool,
    /// A type may have its parts in several files.
    pub(super) has_partial_types: bool,
    /// Pointers have methods of their own, such as `clone`.
    pub(super) separate_pointers: bool,
    /// A method that is not found counts as one of the type, because values have exactly the written type.
    pub(super) falls_back_to_types: bool,
    /// A called type makes a value of it.
    pub(super) calls_types: bool,
    /// Calls of functions are edges to the files of their definitions, because no other names are.
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

/// Adds the typed edges, the relations and the calls of the sources of one language.
pub(super) fn collect(sources: &[&CodeFile], scopes: &dyn Scopes, rules: &TypeRules, found: &mut Collector) {
    if sources.is_empty() {
        return;
    }
    let index = TypeIndex::new(sources, scopes, rules);
    calls::collect(&index, found);
    relations::collect(&index, found);
}
