//! PHP: classes, functions, and locals and properties whose types are written or constructed.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{BaseForm, InnerTypeRelation};
use crate::names::children;
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

const NAMES: &[&str] = &["variable_name"];

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "namespace_definition" => {
            let name = walk.field(node, "name").unwrap_or_default().replace('\\', ".");
            walk.open_namespace(node.child_by_field_name("body").map(|_| node), &name);
        }
        "class_declaration" | "interface_declaration" | "trait_declaration" | "enum_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_type(node, name, node.kind() == "interface_declaration");
            for clause in children(node) {
                let form = match clause.kind() {
                    "base_clause" => BaseForm::Extends,
                    "class_interface_clause" => BaseForm::Implements,
                    _ => continue,
                };
                bases(walk, clause, form);
            }
        }
        "use_declaration" => bases(walk, node, BaseForm::Embeds),
        "anonymous_class" => walk.open_nameless_type(node),
        "method_declaration" | "function_definition" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_function(node, name, node.child_by_field_name("name").unwrap_or(node));
            walk.set_returns(node, node.child_by_field_name("return_type"));
        }
        "anonymous_function" | "arrow_function" => walk.open_block(node),
        "foreach_statement" => {
            for target in children(node).into_iter().skip(1).filter(|it| it.kind() != "compound_statement") {
                if matches!(target.kind(), "variable_name" | "pair" | "by_ref" | "list_literal") {
                    walk.bind_all(target, NAMES);
                }
            }
        }
        "catch_clause" => {
            if let Some(name) = walk.field(node, "name") {
                walk.bind(name, None);
            }
        }
        _ => {}
    }
}

fn bases(walk: &mut TypeWalk, clause: Node, form: BaseForm) {
    for base in children(clause).into_iter().filter(|it| it.kind().ends_with("name")).take(64) {
        let written = walk.written_type(base);
        walk.add_base(written, base, form);
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "simple_parameter" | "property_promotion_parameter" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            let name = walk.field(node, "name").unwrap_or_default();
            walk.bind(name, link);
            if node.kind() == "property_promotion_parameter" {
                walk.add_field(name.trim_start_matches(['&', '$']), link, line(node));
            }
        }
        "property_declaration" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            let is_static = children(node).iter().any(|it| it.kind() == "static_modifier");
            for element in children(node).into_iter().filter(|it| it.kind() == "property_element") {
                let name = walk.field(element, "name").unwrap_or_default();
                let name = name.trim_start_matches('$');
                if is_static {
                    walk.add_field_not_stored(name, link, line(element));
                } else if field("type").is_some() {
                    walk.add_field(name, link, line(element));
                }
            }
        }
        "assignment_expression" => {
            let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
            match left.kind() {
                "variable_name" => {
                    let link = walk.value_link(right);
                    let name = walk.text(left);
                    walk.assign(name, link);
                }
                "member_access_expression" if walk.field(left, "object") == Some("$this") => {
                    let name = left.child_by_field_name("name").filter(|it| it.kind() == "name");
                    let is_null = walk.text(right).eq_ignore_ascii_case("null");
                    if let Some(name) = name.filter(|_| walk.has_own() && !is_null) {
                        let link = walk.value_link(right);
                        let text = walk.text(name);
                        walk.assign_field(text, link, line(name));
                    }
                }
                "list_literal" | "array_creation_expression" => walk.bind_all(left, NAMES),
                _ => {}
            }
        }
        _ => {}
    }
}

/// Returns the parts of a name; an absolute one has `\` as its first part.
fn parts<'s>(node: Node, source: &'s str) -> Vec<&'s str> {
    let name = text(node, source);
    let absolute = name.starts_with('\\').then_some("\\");
    absolute.into_iter().chain(name.split('\\').map(str::trim).filter(|part| !part.is_empty())).collect()
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let named = || field("name").filter(|it| it.kind() == "name");
    let shape = match node.kind() {
        "variable_name" if text(node, source) == "$this" => Some(ExpressionForm::Own),
        "variable_name" => Some(ExpressionForm::Name(text(node, source))),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            field("object").zip(named()).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "member_call_expression" | "nullsafe_member_call_expression" => {
            named().map(|name| ExpressionForm::Invoke(field("object"), name))
        }
        "scoped_call_expression" => field("scope").zip(named()).and_then(|(scope, name)| {
            let mut path = match scope.kind() {
                "name" | "qualified_name" => parts(scope, source),
                "relative_scope" => vec![text(scope, source)],
                _ => return None,
            };
            path.push(text(name, source));
            Some(ExpressionForm::InvokePath(path))
        }),
        "function_call_expression" => field("function").and_then(|function| {
            let is_name = matches!(function.kind(), "name" | "qualified_name");
            is_name.then(|| ExpressionForm::InvokePath(parts(function, source)))
        }),
        "object_creation_expression" => {
            let first = node.named_child(0).filter(|it| matches!(it.kind(), "name" | "qualified_name"));
            first.map(ExpressionForm::New)
        }
        "parenthesized_expression" => node.named_child(0).map(ExpressionForm::Same),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    match node.kind() {
        "name" | "qualified_name" => {
            let path = parts(node, types.source).join(".");
            let is_own = matches!(path.as_str(), "self" | "static");
            types.leaf(if is_own { "Self".to_owned() } else { path }, nesting);
        }
        "named_type" | "optional_type" | "union_type" => types.add_children(node, nesting),
        "primitive_type" if types.text(node) == "static" => types.leaf("Self", nesting),
        "primitive_type" if matches!(types.text(node), "null" | "void") => {}
        _ => types.leaf("", nesting),
    }
}
