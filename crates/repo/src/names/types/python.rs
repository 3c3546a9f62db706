//! Python: classes, functions, and locals and attributes whose types are annotated or constructed.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{
    BaseForm, InnerTypeRelation, InnerTypeRelation::Inside, InnerTypeRelation::Many, InnerTypeRelation::Maybe,
};
use crate::names::children;
use crate::outline::text;

pub(super) static SYNTAX: TypeSyntax = TypeSyntax {
    enter,
    leave,
    shape,
    add_leaves,
    unwraps: &[],
    has_scopes_of_types: true,
    constructs_by_name: true,
};

const NAMES: &[&str] = &["identifier"];

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "class_definition" => {
            let name = walk.field(node, "name").unwrap_or_default();
            let bases = node.child_by_field_name("superclasses").map(children).unwrap_or_default();
            let is_protocol = bases.iter().any(|it| walk.text(*it).ends_with("Protocol"));
            walk.open_type(node, name, is_protocol);
            for base in bases.into_iter().filter(|it| it.kind() != "keyword_argument").take(64) {
                let written = walk.written_type(base);
                walk.add_base(written, base, BaseForm::Extends);
            }
        }
        "function_definition" => function(walk, node),
        "lambda" => {
            walk.open_block(node);
            if let Some(parameters) = node.child_by_field_name("parameters") {
                walk.bind_all(parameters, NAMES);
            }
        }
        "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            walk.open_block(node);
            for clause in children(node).into_iter().filter(|it| it.kind() == "for_in_clause") {
                if let Some(left) = clause.child_by_field_name("left") {
                    walk.bind_all(left, NAMES);
                }
            }
        }
        "for_statement" => {
            if let Some(left) = node.child_by_field_name("left") {
                unknown(walk, left);
            }
        }
        "as_pattern_target" => unknown(walk, node),
        _ => {}
    }
}

/// Marks all names in an assignment target as local names of unknown type.
fn unknown(walk: &mut TypeWalk, target: Node) {
    walk.bind_all(target, NAMES);
}

fn function(walk: &mut TypeWalk, node: Node) {
    let name = walk.field(node, "name").unwrap_or_default();
    let is_method = walk.is_in_type();
    walk.open_function(node, name, node.child_by_field_name("name").unwrap_or(node));
    walk.set_returns(node, node.child_by_field_name("return_type"));
    let decorated = node.parent().filter(|it| it.kind() == "decorated_definition");
    let is_static = decorated
        .is_some_and(|it| children(it).iter().any(|it| walk.text(*it).trim_start() == "@staticmethod"));
    let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    for (at, parameter) in parameters.into_iter().enumerate() {
        match parameter.kind() {
            "identifier" if at == 0 && is_method && !is_static => {
                let (name, own) = (walk.text(parameter), walk.own());
                walk.bind(name, Some(own));
            }
            "identifier" | "default_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                let name = parameter.child_by_field_name("name").unwrap_or(parameter);
                walk.bind_all(name, NAMES);
            }
            _ => {}
        }
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "typed_parameter" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            if let Some(name) = node.named_child(0) {
                // `*args: T` is a tuple of them.
                let link = link.filter(|_| name.kind() == "identifier");
                let name = walk.text(name).trim_start_matches('*');
                walk.bind(name, link);
            }
        }
        "typed_default_parameter" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            let name = walk.field(node, "name").unwrap_or_default();
            walk.bind(name, link);
        }
        "assignment" => bind_assignment(walk, node),
        "named_expression" => {
            let link = field("value").and_then(|it| walk.value_link(it));
            let name = walk.field(node, "name").unwrap_or_default();
            walk.assign(name, link);
        }
        _ => {}
    }
}

fn bind_assignment(walk: &mut TypeWalk, node: Node) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let (written, right) = (node.child_by_field_name("type"), node.child_by_field_name("right"));
    let link = match (written, right) {
        (Some(written), _) => walk.link_type(written),
        (None, Some(value)) => walk.value_link(value),
        _ => None,
    };
    match left.kind() {
        "identifier" if walk.is_in_type() => {
            let name = walk.text(left);
            if written.is_some_and(|it| walk.text(it).contains("ClassVar")) {
                walk.add_field_not_stored(name, link, line(left));
            } else if written.is_some() {
                walk.add_field(name, link, line(left));
            }
        }
        "identifier" => {
            let name = walk.text(left);
            if written.is_some() {
                walk.bind(name, link);
            } else {
                walk.assign(name, link);
            }
        }
        "attribute" => {
            let parts = left.child_by_field_name("object").zip(left.child_by_field_name("attribute"));
            let Some((on, name)) = parts else { return };
            if right.is_some_and(|it| it.kind() == "none") && written.is_none() || !walk.is_own(on) {
                return;
            }
            let (text, at) = (walk.text(name), line(name));
            if written.is_some() {
                walk.add_field(text, link, at);
            } else {
                walk.assign_field(text, link, at);
            }
        }
        _ => unknown(walk, left),
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "attribute" => {
            field("object").zip(field("attribute")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "call" => field("function").and_then(|function| match function.kind() {
            "identifier" if text(function, source) == "super" => Some(ExpressionForm::Super),
            "identifier" => Some(ExpressionForm::Invoke(None, function)),
            "attribute" => {
                let on = function.child_by_field_name("object")?;
                Some(ExpressionForm::Invoke(Some(on), function.child_by_field_name("attribute")?))
            }
            _ => None,
        }),
        "parenthesized_expression" => node.named_child(0).map(ExpressionForm::Same),
        "await" => node.named_child(0).map(ExpressionForm::Unwrap),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    match node.kind() {
        "type" | "union_type" | "parenthesized_expression" => types.add_children(node, nesting),
        "binary_operator" if types.text(node).contains('|') => types.add_children(node, nesting),
        "identifier" => types.leaf(types.text(node), nesting),
        "attribute" | "member_type" => add_dotted(types, types.text(node), nesting),
        // A type that is defined later is written as a string.
        "string" => add_dotted(types, types.text(node).trim_matches(['"', '\'']), nesting),
        "generic_type" | "subscript" => {
            let Some(head) = node.child_by_field_name("value").or_else(|| node.named_child(0)) else {
                return;
            };
            let arguments: Vec<Node> = match node.kind() {
                "subscript" => children(node).into_iter().skip(1).collect(),
                _ => children(node).into_iter().skip(1).flat_map(children).collect(),
            };
            generic(types, head, arguments, nesting);
        }
        "none" => {}
        _ => types.leaf("", nesting),
    }
}

fn generic(types: &mut WrittenTypes, head: Node, arguments: Vec<Node>, nesting: InnerTypeRelation) {
    let inner = match types.text(head).rsplit('.').next().unwrap_or_default() {
        "Optional" | "Annotated" | "Final" | "ClassVar" | "Union" => nesting,
        "Awaitable" | "Coroutine" => Maybe,
        "List" | "list" | "Dict" | "dict" | "Set" | "set" | "Sequence" | "Iterable" | "Mapping"
        | "FrozenSet" | "frozenset" | "Deque" | "deque" | "DefaultDict" | "defaultdict" | "OrderedDict"
        | "MutableMapping" | "MutableSequence" | "Collection" => Many,
        "Tuple" | "tuple" => Inside,
        "Callable" | "Type" | "type" | "Literal" | "Iterator" | "AsyncIterator" | "Generator" => {
            return types.leaf("", nesting);
        }
        _ => return types.add(head, nesting),
    };
    let is_first_only = types.text(head).ends_with("Annotated");
    for argument in arguments.into_iter().take(if is_first_only { 1 } else { 8 }) {
        types.add(argument, nesting.at_least(inner));
    }
}

fn add_dotted(types: &mut WrittenTypes, path: &str, nesting: InnerTypeRelation) {
    let is_path = path.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    types.leaf(if is_path { path } else { "" }, nesting);
}
