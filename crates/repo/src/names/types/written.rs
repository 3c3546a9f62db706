//! Written types: their leaves, each kept once, and the links to them.

use tree_sitter::Node;

use super::walk::{NAME, TypeSyntax, TypeWalk, index};
use super::{Index, InnerType, InnerTypeRelation, TypeStep};
use crate::outline::text;

/// Maximum nesting of a written type.
const TYPE_DEPTH: usize = 12;

/// The collector of the named types (leaves) inside one written type.
pub(super) struct WrittenTypes<'s> {
    pub(super) source: &'s str,
    syntax: &'static TypeSyntax,
    depth: usize,
    leaves: Vec<(String, InnerTypeRelation)>,
}

impl TypeWalk<'_> {
    /// Returns the link that describes a value of the type written at `node`; `None` if it names no type.
    pub(super) fn link_type(&mut self, node: Node) -> Option<Index> {
        let written = self.written_type(node)?;
        Some(self.link(TypeStep::Type(written)))
    }

    /// Returns the link that describes several values of the written type, as of an array; `None` if it names
    /// no type.
    pub(super) fn link_type_of_many(&mut self, node: Node) -> Option<Index> {
        let written = self.written_within(node, InnerTypeRelation::Many)?;
        Some(self.link(TypeStep::Type(written)))
    }

    /// Returns the index of the type that is written at `node`; `None` if it names no type. Type parameters
    /// become leaves without a name.
    pub(super) fn written_type(&mut self, node: Node) -> Option<Index> {
        self.written_within(node, InnerTypeRelation::Direct)
    }

    fn written_within(&mut self, node: Node, nesting: InnerTypeRelation) -> Option<Index> {
        let mut types =
            WrittenTypes { source: self.source, syntax: self.syntax, depth: TYPE_DEPTH, leaves: Vec::new() };
        types.add(node, nesting);
        if types.leaves.iter().all(|(path, _)| path.is_empty()) {
            return None;
        }
        let mut leaves = Vec::new();
        for (path, nesting) in types.leaves {
            let first = path.split('.').next().unwrap_or_default();
            let is_generic = self.frames.iter().any(|frame| frame.generics.contains(&first));
            let is_name = path.len() < NAME && !is_generic;
            leaves.push(InnerType { path: self.word(if is_name { &path } else { "" }), nesting });
        }
        let leaves: Box<[InnerType]> = leaves.into();
        if let Some(known) = self.written.get(&leaves) {
            return Some(*known);
        }
        let known = index(self.found.written.len());
        self.found.written.push(leaves.clone());
        self.written.insert(leaves, known);
        Some(known)
    }
}

impl<'s> WrittenTypes<'s> {
    /// Adds the leaves of a type that is nested in the written type by `nesting`.
    pub(super) fn add(&mut self, node: Node, nesting: InnerTypeRelation) {
        if self.depth == 0 || self.leaves.len() >= 16 {
            return;
        }
        self.depth -= 1;
        (self.syntax.add_leaves)(self, node, nesting);
        self.depth += 1;
    }

    pub(super) fn leaf(&mut self, path: impl Into<String>, nesting: InnerTypeRelation) {
        self.leaves.push((path.into(), nesting));
    }

    pub(super) fn text(&self, node: Node) -> &'s str {
        text(node, self.source)
    }

    /// Adds the leaves of the types at the children of a node; at most 16 children.
    pub(super) fn add_children(&mut self, node: Node, nesting: InnerTypeRelation) {
        for child in crate::names::children(node).into_iter().take(16) {
            self.add(child, nesting);
        }
    }
}

impl InnerTypeRelation {
    pub(super) fn at_least(self, other: Self) -> Self {
        self.max(other)
    }
}
