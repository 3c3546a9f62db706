//! Ruby: classes with their superclasses, methods, and the values that constructors make. No other type is written.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{BaseForm, InnerTypeRelation};
use crate::outline::text;

pub(super) static SYNTAX: TypeSyntax = TypeSyntax {
    enter,
    leave,
    shape,
    add_leaves,
    unwraps: &[],
    has_scopes_of_types: true,
    constructs_by_name: false,
};

/// Maximum length of a name that is looked up, in bytes.
const NAME: usize = 300;
/// Kinds of nodes in patterns and parameters that bind a name.
const NAMES: &[&str] = &["identifier"];
/// Kinds of nodes whose children are statements. A name alone among them is a call.
const STATEMENTS: &[&str] =
    &["body_statement", "then", "else", "begin", "ensure", "do", "block_body", "program", "rescue"];

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
        ("method" | "singleton_method", _) => {
            let at = node.child_by_field_name("name").unwrap_or(node);
            let name = walk.text(at);
            walk.open_function(node, name, at);
            bind_parameters(walk, node);
        }
        ("block" | "do_block" | "lambda", _) => {
            walk.open_block(node);
            bind_parameters(walk, node);
        }
        ("exception_variable" | "for", _) => walk.bind_all(node, NAMES),
        ("identifier", _) if node.parent().is_some_and(|it| STATEMENTS.contains(&it.kind())) => {
            walk.call_name(node);
        }
        _ => {}
    }
}

fn bind_parameters(walk: &mut TypeWalk, node: Node) {
    if let Some(parameters) = node.child_by_field_name("parameters") {
        walk.bind_all(parameters, NAMES);
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let Some(left) = node.child_by_field_name("left") else { return };
    if !matches!(node.kind(), "assignment" | "operator_assignment") {
        return;
    }
    let right = node.child_by_field_name("right");
    // Nothing is no other value.
    if right.is_some_and(|right| right.kind() == "nil") {
        return;
    }
    let link = right.and_then(|right| walk.value_link(right));
    let name = walk.text(left);
    match left.kind() {
        "identifier" => walk.assign(name, link),
        "instance_variable" => walk.assign_field(name, link, line(left)),
        "left_assignment_list" => walk.bind_all(left, NAMES),
        _ => {}
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let path = |node: Node| text(node, source).split("::").filter(|part| !part.is_empty()).collect();
    let shape = match node.kind() {
        "self" => Some(ExpressionForm::Own),
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "instance_variable" => Some(ExpressionForm::OwnField(text(node, source))),
        "constant" | "scope_resolution" if is_constant(text(node, source)) => {
            Some(ExpressionForm::Path(path(node)))
        }
        "call" => field("method").map(|method| match field("receiver") {
            Some(of) if text(method, source) == "new" && is_constant(text(of, source)) => match of.kind() {
                "constant" | "scope_resolution" => ExpressionForm::New(of),
                _ => ExpressionForm::Opaque,
            },
            of => ExpressionForm::Invoke(of, method),
        }),
        "parenthesized_statements" if node.named_child_count() == 1 => {
            node.named_child(0).map(ExpressionForm::Same)
        }
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn is_constant(name: &str) -> bool {
    name.len() < NAME && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let name = types.text(node);
    if matches!(node.kind(), "constant" | "scope_resolution") && is_constant(name) {
        let path = match name.strip_prefix("::") {
            Some(absolute) => format!("::.{}", absolute.replace("::", ".")),
            None => name.replace("::", "."),
        };
        types.leaf(path, nesting);
    }
}
