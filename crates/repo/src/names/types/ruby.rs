//! Ruby: classes with their superclasses. Nothing else has a written type.

use tree_sitter::Node;

use super::expressions::Shape;
use super::walk::{Syntax, TypeWalk};
use super::written::WrittenTypes;
use super::{BaseForm, Nesting};

pub(super) static SYNTAX: Syntax = Syntax {
    enter,
    leave: |_, _| {},
    shape: |_, _| Shape::Opaque,
    add_leaves,
    unwraps: &[],
    has_scopes_of_types: true,
    constructs_by_name: false,
};

/// Longest name that is followed.
const NAME: usize = 300;

// The name of `class A::B` stays one part: names inside it are not looked up in `A`.
fn enter(walk: &mut TypeWalk, node: Node) {
    let name = walk.field(node, "name").filter(|name| is_constant(name));
    match (node.kind(), name) {
        ("module", Some(name)) => walk.open_namespace(Some(node), name),
        ("class", Some(name)) => {
            walk.open_type(node, name, false);
            let base = node.child_by_field_name("superclass").and_then(|it| it.named_child(0));
            if let Some(base) = base {
                let written = walk.written_type(base);
                walk.add_base(written, base, BaseForm::Extends);
            }
        }
        _ => {}
    }
}

fn is_constant(name: &str) -> bool {
    name.len() < NAME && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: Nesting) {
    let name = types.text(node);
    if matches!(node.kind(), "constant" | "scope_resolution") && is_constant(name) {
        let path = match name.strip_prefix("::") {
            Some(absolute) => format!("::.{}", absolute.replace("::", ".")),
            None => name.replace("::", "."),
        };
        types.leaf(path, nesting);
    }
}
