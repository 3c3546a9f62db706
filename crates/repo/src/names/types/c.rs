//! C and C++: types, functions, and locals whose types are written.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{
    BaseForm, InnerTypeRelation, InnerTypeRelation::Inside, InnerTypeRelation::Many,
    InnerTypeRelation::Pointer,
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

const NAMES: &[&str] = &["identifier"];
/// Maximum nesting of declarators, such as pointers, that is followed.
const DECLARATORS: usize = 16;

fn enter(walk: &mut TypeWalk, node: Node) {
    match node.kind() {
        "namespace_definition" => {
            let name = walk.field(node, "name").unwrap_or_default().replace("::", ".");
            if name.is_empty() {
                walk.open_block(node);
            } else {
                walk.open_namespace(Some(node), &name);
            }
        }
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier"
            if node.child_by_field_name("body").is_some() =>
        {
            let name = node.child_by_field_name("name").filter(|it| it.kind() == "type_identifier");
            match name.map(|it| walk.text(it)) {
                Some(name) => walk.open_type(node, name, false),
                None => match alias(walk, node) {
                    Some(alias) => walk.open_type(node, alias, false),
                    None => walk.open_nameless_type(node),
                },
            }
            let clause = children(node).into_iter().find(|it| it.kind() == "base_class_clause");
            for base in
                clause.into_iter().flat_map(children).filter(|it| it.kind() != "access_specifier").take(64)
            {
                let written = walk.written_type(base);
                walk.add_base(written, base, BaseForm::Extends);
            }
        }
        "template_declaration" => {
            walk.open_block(node);
            for parameter in node.child_by_field_name("parameters").into_iter().flat_map(children) {
                let mut names = Vec::new();
                crate::names::visit(parameter, |it| {
                    if it.kind() == "type_identifier" {
                        names.push(it.byte_range());
                    }
                    true
                });
                for name in names {
                    let name = walk.source.get(name).unwrap_or_default();
                    walk.generic(name);
                }
            }
        }
        "function_definition" => match class_behind_macro(walk, node) {
            Some(name) => walk.open_type(node, name, false),
            None => function(walk, node),
        },
        "compound_statement" | "for_statement" | "if_statement" | "while_statement" | "catch_clause"
        | "lambda_expression" => walk.open_block(node),
        "for_range_loop" => {
            walk.open_block(node);
            let written =
                node.child_by_field_name("type").filter(|it| it.kind() != "placeholder_type_specifier");
            let link = written.and_then(|it| walk.link_type(it));
            if let Some(declarator) = node.child_by_field_name("declarator") {
                walk.bind_all(declarator, NAMES);
                if let Some(name) = name_of(declarator).filter(|it| it.kind() == "identifier") {
                    let name = walk.text(name);
                    walk.bind(name, link);
                }
            }
        }
        "declaration" | "field_declaration" => declared_functions(walk, node),
        _ => {}
    }
}

/// Returns the name that a `typedef` gives to a nameless type; `None` if the node is no such type.
fn alias<'s>(walk: &TypeWalk<'s>, node: Node) -> Option<&'s str> {
    let around = node.parent().filter(|it| it.kind() == "type_definition")?;
    let name = around.child_by_field_name("declarator").filter(|it| it.kind() == "type_identifier")?;
    Some(walk.text(name))
}

/// Returns the name of a class that the grammar parses as a function: `Name` of `class EXPORT Name { … }`.
/// `None` for real functions.
fn class_behind_macro<'s>(walk: &TypeWalk<'s>, node: Node) -> Option<&'s str> {
    let before = node.child_by_field_name("type")?;
    let is_class = matches!(before.kind(), "class_specifier" | "struct_specifier");
    let is_open = is_class && before.child_by_field_name("body").is_none();
    let word = walk.field(before, "name").filter(|_| is_open)?;
    let is_macro = word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let name = node.child_by_field_name("declarator").filter(|it| it.kind() == "identifier")?;
    is_macro.then(|| walk.text(name))
}

/// Records a function with a body and opens its scope. `A::f` belongs to the type `A`.
fn function(walk: &mut TypeWalk, node: Node) {
    let Some(name) = node.child_by_field_name("declarator").and_then(function_name) else {
        return walk.open_block(node);
    };
    let returns = node.child_by_field_name("type");
    let written = walk.text(name).split('<').next().unwrap_or_default();
    let own = written.rsplit_once("::");
    if let Some((own, _)) = own.filter(|_| name.kind() == "qualified_identifier") {
        walk.open_named(node, &own.replace("::", "."));
    }
    let last = own.map_or(written, |(_, last)| last).trim();
    walk.open_function(node, last, name);
    walk.set_returns(node, returns);
}

/// Records the functions that a declaration declares without a body, unless it is inside a function.
fn declared_functions(walk: &mut TypeWalk, node: Node) {
    if walk.is_in_function() {
        return;
    }
    let mut cursor = node.walk();
    let all: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).take(64).collect();
    for declarator in all {
        if let Some(name) = function_name(declarator) {
            let text = walk.text(name);
            walk.declare_function(text, name, node.child_by_field_name("type"));
        }
    }
}

/// Returns the name node of the function that a declarator declares; `None` for other declarators.
fn function_name(declarator: Node) -> Option<Node> {
    let mut at = declarator;
    for _ in 0..DECLARATORS {
        match at.kind() {
            "function_declarator" => {
                let name = at.child_by_field_name("declarator")?;
                let is_name = matches!(
                    name.kind(),
                    "identifier" | "field_identifier" | "qualified_identifier" | "operator_name"
                );
                return is_name.then_some(name);
            }
            "pointer_declarator" | "reference_declarator" | "attributed_declarator" => {
                at = at.child_by_field_name("declarator").or_else(|| at.named_child(0))?;
            }
            _ => return None,
        }
    }
    None
}

/// Returns the name node of the variable that a declarator declares; `None` for functions and arrays.
fn name_of(declarator: Node) -> Option<Node> {
    let mut at = declarator;
    for _ in 0..DECLARATORS {
        match at.kind() {
            "identifier" | "field_identifier" => return Some(at),
            "pointer_declarator" | "reference_declarator" | "init_declarator" => {
                at = at.child_by_field_name("declarator").or_else(|| children(at).last().copied())?;
            }
            _ => return None,
        }
    }
    None
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "parameter_declaration" | "optional_parameter_declaration" => {
            let link = field("type").and_then(|it| walk.link_type(it));
            let Some(declarator) = field("declarator") else { return };
            if is_in_signature(node) {
                bind(walk, declarator, link);
            }
        }
        "declaration" | "condition_clause" => {
            let mut cursor = node.walk();
            let all: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).take(64).collect();
            for declarator in all {
                let value = declarator.child_by_field_name("value");
                let link = match (field("type"), value) {
                    (Some(it), Some(value)) if it.kind() == "placeholder_type_specifier" => {
                        walk.value_link(value)
                    }
                    (Some(written), _) => walk.link_type(written),
                    _ => None,
                };
                if function_name(declarator).is_none() {
                    bind(walk, declarator, link);
                }
            }
        }
        "field_declaration" => {
            let mut cursor = node.walk();
            let all: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).take(64).collect();
            let Some(written) = field("type") else { return };
            let is_static = children(node)
                .iter()
                .any(|it| it.kind() == "storage_class_specifier" && walk.text(*it) == "static");
            for declarator in all {
                let is_array = declarator.kind() == "array_declarator";
                let inner = if is_array { declarator.child_by_field_name("declarator") } else { None };
                let Some(name) = name_of(inner.unwrap_or(declarator)) else { continue };
                let link = if is_array { walk.link_type_of_many(written) } else { walk.link_type(written) };
                let text = walk.text(name);
                // A pointer to a pointer may be one value or several.
                if is_static || walk.text(declarator).starts_with("**") {
                    walk.add_field_not_stored(text, link, line(name));
                } else {
                    walk.add_field(text, link, line(name));
                }
            }
        }
        _ => {}
    }
}

/// Returns true if the parameter belongs to a function with a body or to a lambda.
fn is_in_signature(parameter: Node) -> bool {
    let mut at = parameter.parent();
    for _ in 0..DECLARATORS {
        match at.map(|it| it.kind()) {
            Some("function_definition" | "lambda_expression") => return true,
            Some(kind) if kind.ends_with("declarator") || kind == "parameter_list" => {
                at = at.and_then(|it| it.parent());
            }
            _ => return false,
        }
    }
    false
}

fn bind(walk: &mut TypeWalk, declarator: Node, link: Option<u32>) {
    if let Some(name) = name_of(declarator) {
        let name = walk.text(name);
        walk.bind(name, link);
    } else {
        let target = declarator.child_by_field_name("declarator").unwrap_or(declarator);
        walk.bind_all(target, NAMES);
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "this" => Some(ExpressionForm::Own),
        "field_expression" => {
            field("argument").zip(field("field")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "qualified_identifier" => path(node, source).map(ExpressionForm::Path),
        "call_expression" => field("function").and_then(|function| match function.kind() {
            "identifier" => Some(ExpressionForm::Invoke(None, function)),
            "qualified_identifier" => path(function, source).map(ExpressionForm::InvokePath),
            "field_expression" => {
                let on = function.child_by_field_name("argument")?;
                let name = function.child_by_field_name("field")?;
                (name.kind() == "field_identifier").then_some(ExpressionForm::Invoke(Some(on), name))
            }
            _ => None,
        }),
        "new_expression" => field("type").map(ExpressionForm::New),
        "pointer_expression" => field("argument").map(ExpressionForm::Same),
        "parenthesized_expression" => node.named_child(0).map(ExpressionForm::Same),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn path<'s>(node: Node, source: &'s str) -> Option<Vec<&'s str>> {
    let written = text(node, source);
    let is_path = written.len() < 300 && !written.contains(['<', '(', '\n']);
    is_path.then(|| written.split("::").map(str::trim).filter(|part| !part.is_empty()).collect())
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "type_identifier" => types.leaf(types.text(node), nesting),
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" | "type_descriptor" => {
            let part = field("name").or_else(|| field("type"));
            part.into_iter().for_each(|it| types.add(it, nesting));
        }
        "qualified_identifier" => {
            let last = field("name").filter(|it| it.kind() == "template_type");
            if let Some(last) = last {
                types.add(last, nesting);
            } else if let Some(path) = path(node, types.source) {
                types.leaf(path.join("."), nesting);
            }
        }
        "template_type" => {
            let Some(head) = field("name") else { return };
            let inner = match types.text(head) {
                "vector" | "list" | "deque" | "map" | "unordered_map" | "set" | "unordered_set" | "array"
                | "multimap" | "queue" | "stack" => Many,
                "unique_ptr" | "shared_ptr" => Pointer,
                "optional" | "atomic" | "weak_ptr" => Inside,
                _ => return types.add(head, nesting),
            };
            field("arguments").into_iter().for_each(|it| types.add_children(it, nesting.at_least(inner)));
        }
        _ => {}
    }
}
