//! JavaScript and TypeScript: classes, interfaces, functions, and locals whose types are written or constructed.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{BaseForm, InnerTypeRelation, InnerTypeRelation::Many, InnerTypeRelation::Maybe};
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

const NAMES: &[&str] = &["identifier", "shorthand_property_identifier_pattern"];

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "class_declaration" | "abstract_class_declaration" | "interface_declaration" | "enum_declaration" => {
            open_type(walk, node, node.kind() == "interface_declaration");
        }
        "type_alias_declaration" => open_type(walk, node, false),
        "class" => {
            let named = node.parent().filter(|it| it.kind() == "variable_declarator");
            match named.and_then(|it| walk.field(it, "name")).filter(|_| !walk.is_in_function()) {
                Some(name) => {
                    walk.open_type(node, name, false);
                    generics(walk, node);
                    bases(walk, node);
                }
                None => walk.open_nameless_type(node),
            }
        }
        "internal_module" | "module" => {
            let name = walk.field(node, "name").unwrap_or_default().trim_matches(['"', '\'']);
            walk.open_namespace(Some(node), name);
        }
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            open_function(walk, node, node);
            walk.lose_own();
        }
        "method_definition" if node.parent().is_some_and(|it| it.kind() == "object") => {
            walk.open_foreign_function(node);
            parameters(walk, node);
        }
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            open_function(walk, node, node);
        }
        "arrow_function" | "function_expression" | "generator_function" => {
            let around = node.parent().filter(|it| {
                matches!(it.kind(), "variable_declarator" | "public_field_definition" | "field_definition")
            });
            if let Some(around) = around {
                open_function(walk, node, around);
            } else {
                walk.open_block(node);
                parameters(walk, node);
            }
            let is_method = around.is_some_and(|it| it.kind() != "variable_declarator");
            if node.kind() != "arrow_function" && !is_method {
                walk.lose_own();
            }
        }
        "statement_block" | "for_statement" | "switch_case" => walk.open_block(node),
        "for_in_statement" | "catch_clause" => {
            walk.open_block(node);
            for part in ["left", "parameter"].iter().filter_map(|it| node.child_by_field_name(it)) {
                walk.bind_all(part, NAMES);
            }
        }
        _ => {}
    }
}

fn open_type(walk: &mut TypeWalk, node: Node, is_interface: bool) {
    let name = walk.field(node, "name").unwrap_or_default();
    walk.open_type(node, name, is_interface);
    generics(walk, node);
    bases(walk, node);
}

fn open_function(walk: &mut TypeWalk, node: Node, named: Node) {
    let name = named.child_by_field_name("name").or_else(|| named.child_by_field_name("property"));
    let is_plain = name.is_some_and(|it| it.kind().ends_with("identifier"));
    let text = name.filter(|_| is_plain).map(|it| walk.text(it)).unwrap_or_default();
    walk.open_function(node, text, name.unwrap_or(node));
    generics(walk, node);
    walk.set_returns(node, node.child_by_field_name("return_type"));
    parameters(walk, node);
}

/// Binds the parameters that have no written type as names of unknown type.
fn parameters(walk: &mut TypeWalk, node: Node) {
    if let Some(only) = node.child_by_field_name("parameter") {
        walk.bind_all(only, NAMES);
    }
    for parameter in node.child_by_field_name("parameters").into_iter().flat_map(children) {
        if !matches!(parameter.kind(), "required_parameter" | "optional_parameter") {
            let target = parameter.child_by_field_name("left").unwrap_or(parameter);
            walk.bind_all(target, NAMES);
        }
    }
}

fn generics(walk: &mut TypeWalk, node: Node) {
    for parameter in node.child_by_field_name("type_parameters").into_iter().flat_map(children) {
        if let Some(name) = walk.field(parameter, "name") {
            walk.generic(name);
        }
    }
}

fn bases(walk: &mut TypeWalk, node: Node) {
    for clause in children(node) {
        match clause.kind() {
            // JavaScript has the expression alone.
            "class_heritage" => {
                for part in children(clause) {
                    match part.kind() {
                        "extends_clause" => {
                            let mut cursor = part.walk();
                            let values: Vec<Node> =
                                part.children_by_field_name("value", &mut cursor).collect();
                            add_bases(walk, values, BaseForm::Extends);
                        }
                        "implements_clause" => add_bases(walk, children(part), BaseForm::Implements),
                        _ => add_bases(walk, vec![part], BaseForm::Extends),
                    }
                }
            }
            "extends_type_clause" => add_bases(walk, children(clause), BaseForm::Extends),
            _ => {}
        }
    }
}

fn add_bases(walk: &mut TypeWalk, types: Vec<Node>, form: BaseForm) {
    for base in types.into_iter().take(64) {
        let written = walk.written_type(base);
        walk.add_base(written, base, form);
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "required_parameter" | "optional_parameter" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            let Some(pattern) = field("pattern") else { return };
            bind(walk, pattern, link);
            let is_field = children(node).iter().any(|it| it.kind() == "accessibility_modifier")
                || walk.text(node).starts_with("readonly ");
            if is_field && pattern.kind() == "identifier" {
                let name = walk.text(pattern);
                walk.add_field(name, link, line(pattern));
            }
        }
        "variable_declarator" => {
            let link = match (field("type"), field("value")) {
                (Some(written), _) => walk.link_type(written),
                (None, Some(value)) => walk.value_link(value),
                _ => None,
            };
            field("name").into_iter().for_each(|name| bind(walk, name, link));
        }
        "public_field_definition" | "field_definition" | "property_signature" => {
            let Some(name) = field("name").or_else(|| field("property")) else { return };
            let is_value = field("value").is_some_and(|it| it.kind().contains("function"));
            let link = match (field("type"), field("value")) {
                (Some(written), _) => walk.link_type(written),
                (None, Some(value)) if value.kind() == "new_expression" => walk.value_link(value),
                _ => None,
            };
            let is_own = name.kind().ends_with("identifier") && walk.is_in_type();
            if is_own && !is_value && is_member(node) {
                let text = walk.text(name);
                let mut cursor = node.walk();
                if node.children(&mut cursor).any(|it| it.kind() == "static") {
                    walk.add_field_not_stored(text, link, line(name));
                } else {
                    walk.add_field(text, link, line(name));
                }
            }
        }
        "assignment_expression" => bind_assignment(walk, node),
        _ => {}
    }
}

/// Returns true for a property that belongs to an interface, class or type alias itself, not to an object
/// type inside it.
fn is_member(node: Node) -> bool {
    let list = node.parent();
    let around = list.and_then(|list| list.parent());
    list.is_some_and(|it| matches!(it.kind(), "class_body" | "interface_body"))
        || around.is_some_and(|it| matches!(it.kind(), "interface_declaration" | "type_alias_declaration"))
}

fn bind_assignment(walk: &mut TypeWalk, node: Node) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    match left.kind() {
        "identifier" => {
            let link = walk.value_link(right);
            let name = walk.text(left);
            walk.reassign(name, link);
        }
        "member_expression" if right.kind() != "null" && right.kind() != "undefined" => {
            let parts = left.child_by_field_name("object").zip(left.child_by_field_name("property"));
            let Some((_, name)) = parts.filter(|(on, _)| on.kind() == "this") else { return };
            if walk.has_own() {
                let link = walk.value_link(right);
                let text = walk.text(name);
                walk.assign_field(text, link, line(name));
            }
        }
        _ => {}
    }
}

fn bind(walk: &mut TypeWalk, pattern: Node, link: Option<u32>) {
    if pattern.kind() == "identifier" {
        let name = walk.text(pattern);
        walk.bind(name, link);
    } else {
        walk.bind_all(pattern, NAMES);
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "this" => Some(ExpressionForm::Own),
        "super" => Some(ExpressionForm::Super),
        "member_expression" => {
            field("object").zip(field("property")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "call_expression" => field("function").and_then(|function| match function.kind() {
            "identifier" => Some(ExpressionForm::Invoke(None, function)),
            "member_expression" => {
                let on = function.child_by_field_name("object")?;
                Some(ExpressionForm::Invoke(Some(on), function.child_by_field_name("property")?))
            }
            _ => None,
        }),
        "new_expression" => field("constructor").map(ExpressionForm::New),
        "as_expression" | "satisfies_expression" => {
            children(node).get(1).filter(|it| it.kind() != "const").map(|it| ExpressionForm::New(*it))
        }
        "parenthesized_expression" | "non_null_expression" => node.named_child(0).map(ExpressionForm::Same),
        "await_expression" => node.named_child(0).map(ExpressionForm::Unwrap),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    match node.kind() {
        "type_annotation" | "parenthesized_type" | "union_type" | "intersection_type" | "readonly_type" => {
            types.add_children(node, nesting);
        }
        "type_identifier" | "identifier" => types.leaf(types.text(node), nesting),
        "nested_type_identifier" | "member_expression" => {
            let path: String = types.text(node).split_whitespace().collect();
            if path.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c)) {
                types.leaf(path, nesting);
            }
        }
        "this_type" => types.leaf("Self", nesting),
        "array_type" => types.add_children(node, Many),
        "tuple_type" => types.add_children(node, nesting.at_least(InnerTypeRelation::Inside)),
        "generic_type" => {
            let Some(head) = node.child_by_field_name("name") else { return };
            let list = node.child_by_field_name("type_arguments");
            if types.text(head) == "Record" {
                // Its keys are words.
                let value = list.and_then(|list| list.named_child(1));
                return value.into_iter().for_each(|value| types.add(value, nesting.at_least(Many)));
            }
            let inner = match types.text(head) {
                "Array" | "ReadonlyArray" | "Set" | "Map" | "ReadonlySet" | "ReadonlyMap" | "Iterable"
                | "WeakMap" | "WeakSet" => Many,
                "Promise" => Maybe,
                "Readonly" | "Required" | "NonNullable" => nesting,
                _ => return types.add(head, nesting),
            };
            if let Some(list) = list {
                types.add_children(list, nesting.at_least(inner));
            }
        }
        "literal_type" if matches!(types.text(node), "null" | "undefined") => {}
        "predefined_type" if matches!(types.text(node), "void" | "undefined" | "never") => {}
        // A type without a name: in a union the value may be one.
        _ => types.leaf("", nesting),
    }
}
