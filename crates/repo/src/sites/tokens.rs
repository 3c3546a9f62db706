//! Token trees of Rust: the arguments of macros and attributes, and calls among the tokens of a macro.

use tree_sitter::Node;

use super::arguments::{literal, plain};
use super::walk::FoundSite;
use super::{ARGUMENTS, NAME, SiteArgument, SiteKind};
use crate::outline::text;

/// The path that the last tokens of a macro form, such as `a::b`, while its tokens are visited one by one.
#[derive(Default)]
pub(super) struct Tokens {
    path: String,
    is_macro: bool,
}

impl Tokens {
    /// Takes the next token. Returns a call, or a macro call, if the token is the argument list after a path.
    pub(super) fn next(&mut self, node: Node, source: &str) -> Option<FoundSite> {
        let token = text(node, source);
        match node.kind() {
            "identifier" | "self" | "crate" | "super" => {
                if !self.path.ends_with([':', '.']) || self.path.len() > NAME {
                    self.path.clear();
                }
                self.is_macro = false;
                self.path.push_str(token);
            }
            "::" | "." if !self.path.is_empty() => self.path.push_str(token),
            "!" if !self.path.is_empty() => self.is_macro = true,
            "token_tree" => {
                let name = std::mem::take(&mut self.path);
                let kind = if std::mem::take(&mut self.is_macro) { SiteKind::Macro } else { SiteKind::Call };
                let is_call = kind == SiteKind::Macro || token.starts_with('(');
                if is_call && !name.is_empty() && !name.ends_with([':', '.']) {
                    return Some(FoundSite { kind, name, arguments: arguments(node, source) });
                }
            }
            _ => *self = Self::default(),
        }
        None
    }
}

/// Returns the arguments in a token tree, split at commas: `long, env = "PORT"` has two, the second with the
/// name `env`.
pub(super) fn arguments(tree: Node, source: &str) -> Vec<SiteArgument> {
    let mut found = Vec::new();
    let mut part: Vec<Node> = Vec::new();
    let mut cursor = tree.walk();
    for (index, child) in tree.children(&mut cursor).enumerate() {
        if index == 0 || child.end_byte() == tree.end_byte() || child.kind().ends_with("comment") {
            continue;
        }
        if child.kind() == "," {
            found.extend(argument(&part, source));
            part.clear();
        } else {
            part.push(child);
        }
        if found.len() >= ARGUMENTS {
            return found;
        }
    }
    found.extend(argument(&part, source));
    found
}

fn argument(part: &[Node], source: &str) -> Option<SiteArgument> {
    let (name, value) = match part {
        [name, sign, value @ ..] if sign.kind() == "=" && name.is_named() => {
            (Some(text(*name, source).to_owned()), value)
        }
        whole => (None, whole),
    };
    let (first, last) = (value.first()?, value.last()?);
    if let [only] = value
        && let Some(content) = literal(*only, source)
    {
        return Some(SiteArgument { name, text: content, is_literal: true });
    }
    Some(plain(name, source.get(first.start_byte()..last.end_byte())?))
}
