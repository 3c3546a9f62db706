//! Java: types, methods, fields, and locals whose types are written.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{BaseForm, InnerTypeRelation, InnerTypeRelation::Inside, InnerTypeRelation::Many};
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

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "package_declaration" => {
            let name = children(node).into_iter().find(|child| child.kind().ends_with("identifier"));
            let name: String = name.map(|it| walk.text(it)).unwrap_or_default().split_whitespace().collect();
            walk.open_namespace(None, &name);
        }
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default();
            let is_interface = node.kind() == "interface_declaration";
            walk.open_type(node, name, is_interface);
            generics(walk, node);
            bases(walk, node);
        }
        "class_body" if node.parent().is_some_and(|it| it.kind() == "object_creation_expression") => {
            walk.open_nameless_type(node);
        }
        "enum_constant" => walk.open_nameless_type(node),
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_function(node, name, node.child_by_field_name("name").unwrap_or(node));
            generics(walk, node);
            walk.set_returns(node, node.child_by_field_name("type"));
        }
        "block"
        | "for_statement"
        | "catch_clause"
        | "switch_block_statement_group"
        | "switch_rule"
        | "try_with_resources_statement" => walk.open_block(node),
        "enhanced_for_statement" => {
            walk.open_block(node);
            declare(walk, node, node.child_by_field_name("type"));
        }
        "lambda_expression" => {
            walk.open_block(node);
            if let Some(parameters) = node.child_by_field_name("parameters") {
                walk.bind_all(parameters, &["identifier"]);
            }
        }
        _ => {}
    }
}

fn generics(walk: &mut TypeWalk, node: Node) {
    let list = node.child_by_field_name("type_parameters");
    let list = list.or_else(|| children(node).into_iter().find(|it| it.kind() == "type_parameters"));
    for parameter in list.into_iter().flat_map(children) {
        if let Some(name) = children(parameter).into_iter().find(|it| it.kind().ends_with("identifier")) {
            let name = walk.text(name);
            walk.generic(name);
        }
    }
}

fn bases(walk: &mut TypeWalk, node: Node) {
    for clause in children(node) {
        let form = match clause.kind() {
            "superclass" | "extends_interfaces" => BaseForm::Extends,
            "super_interfaces" => BaseForm::Implements,
            _ => continue,
        };
        let list = children(clause);
        let types =
            list.into_iter().flat_map(|it| if it.kind() == "type_list" { children(it) } else { vec![it] });
        for base in types.take(64) {
            let written = walk.written_type(base);
            walk.add_base(written, base, form);
        }
    }
}

fn declare(walk: &mut TypeWalk, node: Node, written: Option<Node>) {
    let is_inferred = written.is_some_and(|it| walk.text(it) == "var");
    let link = written.filter(|_| !is_inferred).and_then(|it| walk.link_type(it));
    if let Some(name) = walk.field(node, "name") {
        walk.bind(name, link);
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "formal_parameter" => {
            if node
                .parent()
                .and_then(|list| list.parent())
                .is_some_and(|it| it.kind() == "record_declaration")
            {
                let link = field("type").and_then(|it| walk.link_type(it));
                let name = walk.field(node, "name").unwrap_or_default();
                walk.add_field(name, link, line(node));
            } else {
                declare(walk, node, field("type"));
            }
        }
        "resource" => declare(walk, node, field("type")),
        "catch_formal_parameter" => {
            if let Some(name) = walk.field(node, "name") {
                walk.bind(name, None);
            }
        }
        "instanceof_expression" => {
            let (written, name) = (field("right"), walk.field(node, "name"));
            if let (Some(written), Some(name)) = (written, name) {
                let link = walk.link_type(written);
                walk.bind(name, link);
            }
        }
        "type_pattern" => walk.bind_all(node, &["identifier"]),
        "local_variable_declaration" | "field_declaration" | "constant_declaration" => {
            let Some(written) = field("type") else { return };
            let is_local = node.kind() == "local_variable_declaration";
            let is_inferred = walk.text(written) == "var";
            let modifiers = children(node).into_iter().find(|it| it.kind() == "modifiers");
            let is_static = node.kind() == "constant_declaration"
                || modifiers.is_some_and(|it| walk.text(it).split_whitespace().any(|word| word == "static"));
            let mut cursor = node.walk();
            let all: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).take(64).collect();
            for declarator in all {
                let is_array = declarator.child_by_field_name("dimensions").is_some();
                let value = declarator.child_by_field_name("value");
                let link = match value {
                    Some(value) if is_inferred => walk.value_link(value),
                    _ if is_array => None,
                    _ => walk.link_type(written),
                };
                let name = walk.field(declarator, "name").unwrap_or_default();
                if is_local {
                    walk.bind(name, link);
                } else if is_static {
                    walk.add_field_not_stored(name, link, line(declarator));
                } else {
                    walk.add_field(name, link, line(declarator));
                }
            }
        }
        _ => {}
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "this" => Some(ExpressionForm::Own),
        "super" => Some(ExpressionForm::Super),
        "field_access" => {
            field("object").zip(field("field")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "method_invocation" => field("name").map(|name| ExpressionForm::Invoke(field("object"), name)),
        // An anonymous class may override anything.
        "object_creation_expression" if children(node).iter().any(|it| it.kind() == "class_body") => None,
        "object_creation_expression" | "cast_expression" => field("type").map(ExpressionForm::New),
        "parenthesized_expression" => node.named_child(0).map(ExpressionForm::Same),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    match node.kind() {
        "type_identifier" => types.leaf(types.text(node), nesting),
        "scoped_type_identifier" => {
            let written = types.text(node);
            if !written.contains(['<', '@']) {
                let path: String = written.split_whitespace().collect();
                types.leaf(path, nesting);
            }
        }
        "annotated_type" => {
            children(node).last().into_iter().for_each(|it| types.add(*it, nesting));
        }
        "array_type" => {
            node.child_by_field_name("element").into_iter().for_each(|it| types.add(it, Many));
        }
        "generic_type" => {
            let parts = children(node);
            let Some((head, rest)) = parts.split_first() else { return };
            let inner = match types.text(*head).rsplit('.').next().unwrap_or_default() {
                "List"
                | "Set"
                | "Map"
                | "Collection"
                | "Iterable"
                | "ArrayList"
                | "LinkedList"
                | "HashMap"
                | "TreeMap"
                | "LinkedHashMap"
                | "HashSet"
                | "TreeSet"
                | "LinkedHashSet"
                | "Deque"
                | "Queue"
                | "ConcurrentHashMap"
                | "ConcurrentMap"
                | "SortedMap"
                | "SortedSet"
                | "NavigableMap"
                | "ArrayDeque"
                | "EnumMap"
                | "EnumSet"
                | "CopyOnWriteArrayList"
                | "BlockingQueue"
                | "PriorityQueue"
                | "Vector"
                | "Stack"
                | "ImmutableList"
                | "ImmutableMap"
                | "ImmutableSet" => Many,
                "Optional" | "AtomicReference" | "WeakReference" | "SoftReference" => Inside,
                _ => return types.add(*head, nesting),
            };
            for list in rest.iter().filter(|it| it.kind() == "type_arguments") {
                types.add_children(*list, nesting.at_least(inner));
            }
        }
        "wildcard" => types.add_children(node, nesting),
        _ => {}
    }
}
