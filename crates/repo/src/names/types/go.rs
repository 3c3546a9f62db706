//! Go: types, methods by receiver, and locals whose types are written.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{BaseForm, InnerTypeRelation, InnerTypeRelation::Many};
use crate::names::children;
use crate::outline::text;

pub(super) static SYNTAX: TypeSyntax = TypeSyntax {
    enter,
    leave,
    shape,
    add_leaves,
    unwraps: &[],
    has_scopes_of_types: false,
    constructs_by_name: false,
};

const NAMES: &[&str] = &["identifier"];

fn enter(walk: &mut TypeWalk, node: Node) {
    let name = |walk: &TypeWalk| walk.field(node, "name").map(str::to_owned).unwrap_or_default();
    let at = node.child_by_field_name("name").unwrap_or(node);
    match node.kind() {
        "type_spec" | "type_alias" => {
            let is_interface =
                node.child_by_field_name("type").is_some_and(|it| it.kind() == "interface_type");
            let name = name(walk);
            walk.open_type(node, &name, is_interface);
            generics(walk, node);
        }
        "method_declaration" => {
            let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
            let written = receiver.and_then(|it| it.child_by_field_name("type"));
            let name = name(walk);
            match written.and_then(|it| receiver_type(walk, it)) {
                Some(own) => walk.open_named(node, own),
                None => walk.open_nameless_type(node),
            }
            if let Some(arguments) = written.map(bare).and_then(|it| it.child_by_field_name("type_arguments"))
            {
                for parameter in children(arguments) {
                    let parameter = walk.text(parameter);
                    walk.generic(parameter);
                }
            }
            walk.open_function(node, &name, at);
            walk.set_returns(node, result(node));
        }
        "method_elem" | "function_declaration" => {
            let name = name(walk);
            walk.open_function(node, &name, at);
            generics(walk, node);
            walk.set_returns(node, result(node));
        }
        "type_elem" if node.parent().is_some_and(|it| it.kind() == "interface_type") => {
            if let [only] = children(node)[..] {
                let written = walk.written_type(only);
                walk.add_base(written, only, BaseForm::Extends);
            }
        }
        "block"
        | "if_statement"
        | "for_statement"
        | "func_literal"
        | "expression_case"
        | "type_case"
        | "communication_case"
        | "expression_switch_statement" => walk.open_block(node),
        "type_switch_statement" => {
            walk.open_block(node);
            if let Some(alias) = node.child_by_field_name("alias") {
                walk.bind_all(alias, NAMES);
            }
        }
        "range_clause" | "receive_statement" => {
            if let Some(left) = node.child_by_field_name("left") {
                walk.bind_all(left, NAMES);
            }
        }
        _ => {}
    }
}

/// Returns the node of a written type without its pointer: `T` of `*T`.
fn bare(written: Node) -> Node {
    let inner = if written.kind() == "pointer_type" { written.named_child(0) } else { None };
    inner.unwrap_or(written)
}

fn receiver_type<'s>(walk: &TypeWalk<'s>, written: Node) -> Option<&'s str> {
    let written = bare(written);
    let name = if written.kind() == "generic_type" { written.child_by_field_name("type")? } else { written };
    (name.kind() == "type_identifier").then(|| walk.text(name))
}

/// Returns the node of the written type of a function's first result; `None` without results.
fn result(node: Node) -> Option<Node> {
    let result = node.child_by_field_name("result")?;
    if result.kind() != "parameter_list" {
        return Some(result);
    }
    let first = result.named_child(0)?;
    first.child_by_field_name("type")
}

fn generics(walk: &mut TypeWalk, node: Node) {
    for parameter in node.child_by_field_name("type_parameters").into_iter().flat_map(children) {
        for name in names(parameter) {
            let name = walk.text(name);
            walk.generic(name);
        }
    }
}

fn names(node: Node) -> Vec<Node> {
    let mut cursor = node.walk();
    node.children_by_field_name("name", &mut cursor).filter(Node::is_named).take(64).collect()
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let is_one = node.kind() == "parameter_declaration";
            let link = field("type").filter(|_| is_one).and_then(|it| walk.link_type(it));
            for name in names(node) {
                let name = walk.text(name);
                walk.bind(name, link);
            }
        }
        "field_declaration" => {
            let Some(written) = field("type") else { return };
            let link = walk.link_type(written);
            let all = names(node);
            for name in &all {
                let text = walk.text(*name);
                walk.add_field(text, link, line(*name));
            }
            if all.is_empty() {
                let written_type = walk.written_type(written);
                walk.add_base(written_type, written, BaseForm::Embeds);
                let name = walk.text(written).rsplit(['.', '*']).next().unwrap_or_default();
                let name = name.split('[').next().unwrap_or_default();
                walk.add_field(name, link, line(written));
            }
        }
        "var_spec" => {
            let all = names(node);
            let values = field("value").map(children).unwrap_or_default();
            for (at, name) in all.iter().enumerate() {
                let link = match field("type") {
                    Some(written) => walk.link_type(written),
                    None => value_at(walk, &values, at, all.len()),
                };
                let name = walk.text(*name);
                walk.bind(name, link);
            }
        }
        "short_var_declaration" => {
            let (left, right) = (field("left"), field("right"));
            let left = left.map(children).unwrap_or_default();
            let right = right.map(children).unwrap_or_default();
            for (at, name) in left.iter().enumerate().filter(|(_, it)| it.kind() == "identifier") {
                let link = value_at(walk, &right, at, left.len());
                let name = walk.text(*name);
                walk.bind(name, link);
            }
        }
        _ => {}
    }
}

/// Returns the link of the value that is assigned to the variable at index `at` of `names` variables. If one
/// call gives all values, only the first is known.
fn value_at(walk: &mut TypeWalk, values: &[Node], at: usize, names: usize) -> Option<u32> {
    let value = match values {
        [only] if names > 1 && at == 0 => only,
        _ if values.len() == names => values.get(at)?,
        _ => return None,
    };
    walk.value_link(*value)
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "selector_expression" => {
            field("operand").zip(field("field")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "call_expression" => field("function").and_then(|function| match function.kind() {
            "identifier" if matches!(text(function, source), "new" | "make" | "append") => None,
            "identifier" => Some(ExpressionForm::Invoke(None, function)),
            "selector_expression" => {
                let on = function.child_by_field_name("operand")?;
                Some(ExpressionForm::Invoke(Some(on), function.child_by_field_name("field")?))
            }
            _ => None,
        }),
        "composite_literal" | "type_assertion_expression" => field("type").map(ExpressionForm::New),
        "unary_expression" if text(node, source).starts_with(['&', '*']) => {
            field("operand").map(ExpressionForm::Same)
        }
        "parenthesized_expression" => node.named_child(0).map(ExpressionForm::Same),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "type_identifier" => types.leaf(types.text(node), nesting),
        "qualified_type" => {
            let path: String = types.text(node).split_whitespace().collect();
            types.leaf(path, nesting);
        }
        "pointer_type" | "parenthesized_type" => types.add_children(node, nesting),
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            field("element").into_iter().for_each(|it| types.add(it, Many));
        }
        "map_type" => {
            let parts = [field("key"), field("value")];
            parts.into_iter().flatten().for_each(|it| types.add(it, Many));
        }
        "generic_type" => field("type").into_iter().for_each(|it| types.add(it, nesting)),
        _ => {}
    }
}
