//! C#: types, methods, fields, properties, and locals whose types are written.

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
    constructs_by_name: false,
};

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "namespace_declaration" | "file_scoped_namespace_declaration" => {
            let name: String = walk.field(node, "name").unwrap_or_default().split_whitespace().collect();
            let has_body = node.kind() == "namespace_declaration";
            walk.open_namespace(has_body.then_some(node), &name);
        }
        "class_declaration"
        | "interface_declaration"
        | "struct_declaration"
        | "record_declaration"
        | "enum_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default();
            let is_interface = node.kind() == "interface_declaration";
            walk.open_type(node, name, is_interface);
            generics(walk, node);
            let list = children(node).into_iter().find(|it| it.kind() == "base_list");
            for base in
                list.into_iter().flat_map(children).take(64).filter(|_| node.kind() != "enum_declaration")
            {
                let named = base.child_by_field_name("type").unwrap_or(base);
                let is_named_interface = is_named_interface(walk.text(named));
                let form = if is_named_interface && !is_interface {
                    BaseForm::Implements
                } else {
                    BaseForm::Extends
                };
                let written = walk.written_type(named);
                walk.add_base(written, base, form);
            }
        }
        "method_declaration" | "constructor_declaration" | "local_function_statement" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_function(node, name, node.child_by_field_name("name").unwrap_or(node));
            generics(walk, node);
            let returns = node.child_by_field_name("returns").or_else(|| node.child_by_field_name("type"));
            walk.set_returns(node, returns);
        }
        "block"
        | "for_statement"
        | "using_statement"
        | "catch_clause"
        | "switch_section"
        | "accessor_declaration" => walk.open_block(node),
        "foreach_statement" => {
            walk.open_block(node);
            let written = node.child_by_field_name("type").filter(|it| it.kind() != "implicit_type");
            let link = written.and_then(|it| walk.link_type(it));
            if let Some(left) = node.child_by_field_name("left") {
                walk.bind_all(left, &["identifier"]);
                if left.kind() == "identifier" {
                    let name = walk.text(left);
                    walk.bind(name, link);
                }
            }
        }
        "lambda_expression" | "anonymous_method_expression" => {
            walk.open_block(node);
            if let Some(parameters) = node.child_by_field_name("parameters") {
                walk.bind_all(parameters, &["identifier", "implicit_parameter"]);
            }
        }
        _ => {}
    }
}

/// Returns true if a type is called like an interface, by the convention of C#: `I` and a capital letter.
fn is_named_interface(written: &str) -> bool {
    let name = written.split('<').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

fn generics(walk: &mut TypeWalk, node: Node) {
    let list = node.child_by_field_name("type_parameters");
    let list = list.or_else(|| children(node).into_iter().find(|it| it.kind() == "type_parameter_list"));
    for parameter in list.into_iter().flat_map(children) {
        if let Some(name) = walk.field(parameter, "name") {
            walk.generic(name);
        }
    }
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    let written = || field("type").filter(|it| it.kind() != "implicit_type");
    match node.kind() {
        "parameter" => {
            let link = written().and_then(|it| walk.link_type(it));
            let name = walk.field(node, "name").unwrap_or_default();
            let around = node.parent().and_then(|list| list.parent()).map(|it| it.kind());
            if matches!(around, Some("record_declaration" | "class_declaration" | "struct_declaration")) {
                walk.add_field(name, link, line(node));
            } else if around != Some("lambda_expression") || link.is_some() {
                walk.bind(name, link);
            }
        }
        "property_declaration" => {
            let link = written().and_then(|it| walk.link_type(it));
            let is_explicit = children(node).iter().any(|it| it.kind() == "explicit_interface_specifier");
            let name = walk.field(node, "name").unwrap_or_default();
            let at = field("name").map_or(line(node), line);
            if is_explicit {
                return;
            }
            if is_static(walk, node) || is_computed(node) {
                walk.add_field_not_stored(name, link, at);
            } else {
                walk.add_field(name, link, at);
            }
        }
        "variable_declaration" => {
            let around = node.parent().filter(|it| it.kind() == "field_declaration");
            let is_static = around.is_some_and(|around| is_static(walk, around));
            for declarator in
                children(node).into_iter().filter(|it| it.kind() == "variable_declarator").take(64)
            {
                let value = children(declarator).last().copied().filter(|it| it.kind() != "identifier");
                let link = match (written(), value) {
                    (Some(written), _) => walk.link_type(written),
                    (None, Some(value)) => walk.value_link(value),
                    _ => None,
                };
                let name = walk.field(declarator, "name").unwrap_or_default();
                if is_static {
                    walk.add_field_not_stored(name, link, line(declarator));
                } else if around.is_some() {
                    walk.add_field(name, link, line(declarator));
                } else {
                    walk.bind(name, link);
                }
            }
        }
        "declaration_expression" | "declaration_pattern" | "recursive_pattern" | "catch_declaration" => {
            let link = written().filter(|it| walk.text(*it) != "var").and_then(|it| walk.link_type(it));
            if let Some(name) = walk.field(node, "name") {
                walk.bind(name, link);
            }
        }
        _ => {}
    }
}

fn is_static(walk: &TypeWalk, node: Node) -> bool {
    children(node).iter().any(|it| it.kind() == "modifier" && matches!(walk.text(*it), "static" | "const"))
}

/// Returns true for a property whose value is computed by code and not stored.
fn is_computed(node: Node) -> bool {
    let value = node.child_by_field_name("value").is_some_and(|it| it.kind() == "arrow_expression_clause");
    let accessors = node.child_by_field_name("accessors").map(children).unwrap_or_default();
    value || accessors.iter().any(|it| it.child_by_field_name("body").is_some())
}

/// Returns the name node of a name with type arguments: `List` of `List<int>`.
fn bare(name: Node) -> Node {
    if name.kind() == "generic_name" { name.named_child(0).unwrap_or(name) } else { name }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "this" => Some(ExpressionForm::Own),
        "base" => Some(ExpressionForm::Super),
        "generic_name" => node.named_child(0).map(|name| ExpressionForm::Name(text(name, source))),
        "member_access_expression" => {
            field("expression").zip(field("name")).map(|(on, name)| ExpressionForm::Member(on, bare(name)))
        }
        "invocation_expression" => field("function").and_then(|function| match function.kind() {
            "identifier" | "generic_name" => Some(ExpressionForm::Invoke(None, bare(function))),
            "member_access_expression" => {
                let on = function.child_by_field_name("expression")?;
                Some(ExpressionForm::Invoke(Some(on), bare(function.child_by_field_name("name")?)))
            }
            _ => None,
        }),
        "object_creation_expression" | "cast_expression" => field("type").map(ExpressionForm::New),
        "as_expression" => field("right").map(ExpressionForm::New),
        "parenthesized_expression" | "postfix_unary_expression" => {
            node.named_child(0).map(ExpressionForm::Same)
        }
        "await_expression" => node.named_child(0).map(ExpressionForm::Unwrap),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" => types.leaf(types.text(node), nesting),
        "qualified_name" => {
            let path: String = types.text(node).split_whitespace().collect();
            if !path.contains('<') {
                types.leaf(path, nesting);
            }
        }
        "nullable_type" | "ref_type" => field("type").into_iter().for_each(|it| types.add(it, nesting)),
        "array_type" => field("type").into_iter().for_each(|it| types.add(it, Many)),
        "tuple_type" => {
            for part in children(node) {
                part.child_by_field_name("type")
                    .into_iter()
                    .for_each(|it| types.add(it, nesting.at_least(Inside)));
            }
        }
        "generic_name" => {
            let Some(head) = node.named_child(0) else { return };
            let inner = match types.text(head) {
                "List"
                | "IList"
                | "IEnumerable"
                | "ICollection"
                | "IReadOnlyList"
                | "IReadOnlyCollection"
                | "Dictionary"
                | "IDictionary"
                | "IReadOnlyDictionary"
                | "HashSet"
                | "ISet"
                | "Queue"
                | "Stack"
                | "ConcurrentDictionary"
                | "ConcurrentQueue"
                | "ConcurrentBag"
                | "LinkedList"
                | "SortedDictionary"
                | "ImmutableArray"
                | "ImmutableList"
                | "ImmutableDictionary"
                | "Collection"
                | "ObservableCollection" => Many,
                "Task" | "ValueTask" => Maybe,
                "Lazy" | "WeakReference" | "AsyncLocal" | "ThreadLocal" | "Nullable" => Inside,
                _ => return types.add(head, nesting),
            };
            for list in children(node).into_iter().filter(|it| it.kind() == "type_argument_list") {
                types.add_children(list, nesting.at_least(inner));
            }
        }
        _ => {}
    }
}
