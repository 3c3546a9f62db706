//! Classifies places in a file: code, a comment, a string, the name of a definition (CTX-54). One file at a time.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use super::language::Language;
use super::parse::{outline, parse, within_limit};
use super::spec::Grammar;

/// The role of a name at one place of a file: its definition, a use in code, or a word in a string or comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mention {
    /// Its definition.
    Definition,
    /// Code that uses it.
    Use,
    /// A string says it.
    String,
    /// A comment says it.
    Comment,
}

/// A parsed file in which the role of a name at a byte offset can be looked up.
pub(crate) struct NameRoles {
    grammar: &'static Grammar,
    tree: Option<Tree>,
    names: BTreeSet<u32>,
}

impl NameRoles {
    pub(crate) fn of(language: Language, text: &str) -> Self {
        let file = outline(language, "", text);
        let names = file.walk().map(|(_, symbol)| symbol.at.name.1).collect();
        Self { grammar: Grammar::of(language), tree: parse(language, within_limit(text)), names }
    }

    /// Returns the role of the name at bytes `start` to `end`. It is a definition if it ends where the name
    /// of a symbol ends: `#x` and `A::x` define `x`.
    pub(crate) fn mention(&self, start: usize, end: usize) -> Mention {
        if u32::try_from(end).is_ok_and(|end| self.names.contains(&end)) {
            return Mention::Definition;
        }
        let Some(tree) = &self.tree else { return Mention::Use };
        let mut cursor = tree.walk();
        let mut mention = Mention::Use;
        while cursor.goto_first_child_for_byte(start).is_some() {
            let node = cursor.node();
            if node.start_byte() > start {
                break;
            }
            let spec = self.grammar.spec;
            mention = match node.kind() {
                kind if spec.comments.contains(&kind) => Mention::Comment,
                kind if spec.strings.contains(&kind) => Mention::String,
                kind if spec.interpolations.contains(&kind) => Mention::Use,
                _ => mention,
            };
        }
        mention
    }
}

/// Returns true if `c` can be part of an identifier of the language.
pub(crate) fn continues(language: Language, c: char) -> bool {
    c.is_alphanumeric() || c == '_' || Grammar::of(language).spec.identifier.contains(&c)
}
