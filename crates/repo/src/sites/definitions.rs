//! The names of definitions.

use tree_sitter::Node;

use super::{NAME, beginning};
use crate::outline::{Language, text};

/// Kinds of nodes that are definitions with their name in the field `name`.
const NAMED: &[&str] = &[
    "function_item",
    "function_signature_item",
    "struct_item",
    "enum_item",
    "enum_variant",
    "union_item",
    "trait_item",
    "mod_item",
    "const_item",
    "static_item",
    "class_definition",
    "function_definition",
    "class_declaration",
    "abstract_class_declaration",
    "function_declaration",
    "generator_function_declaration",
    "method_definition",
    "interface_declaration",
    "enum_declaration",
    "internal_module",
    "record_declaration",
    "annotation_type_declaration",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "struct_declaration",
    "local_function_statement",
    "property_declaration",
    "namespace_declaration",
    "namespace_definition",
    "class_specifier",
    "struct_specifier",
    "trait_declaration",
    "module",
    "class",
    "method",
    "singleton_method",
];

/// Kinds of values that make a variable a definition.
const CALLABLES: &[&str] = &["arrow_function", "function_expression", "generator_function", "class"];

/// Returns the name of a definition that can have sites inside it; `None` if the node is none. A method of Go
/// has its type before it: `Store.load`.
pub(super) fn definition(language: Language, node: Node, source: &str) -> Option<String> {
    let kind = node.kind();
    let field = |name: &str| node.child_by_field_name(name);
    let named = |part: Node| bare(part, source);
    match kind {
        "impl_item" => return named(field("type")?),
        "type_spec" if language == Language::Go => return named(field("name")?),
        "method_declaration" if language == Language::Go => {
            let receiver = text(field("receiver")?, source);
            let of_type = receiver.trim_matches(['(', ')']).split_whitespace().last()?;
            let of_type = of_type.trim_start_matches('*').split('[').next().unwrap_or_default();
            return Some(format!("{of_type}.{}", named(field("name")?)?));
        }
        "function_definition" if matches!(language, Language::C | Language::Cpp) => {
            return read_declared_name(node, source);
        }
        "variable_declarator" | "public_field_definition" | "field_definition" => {
            let value = field("value")?;
            let is_callable = CALLABLES.contains(&value.kind());
            return is_callable.then(|| named(field("name").or_else(|| field("property"))?)).flatten();
        }
        _ => {}
    }
    // A module of Python is the whole file, and a type without its body is only named.
    let is_body = match kind {
        "module" => matches!(language, Language::Ruby | Language::TypeScript | Language::Tsx),
        "class_specifier" | "struct_specifier" | "namespace_definition" => field("body").is_some(),
        _ => true,
    };
    (is_body && NAMED.contains(&kind)).then(|| named(field("name")?)).flatten()
}

/// Returns the name of the definition, field or parameter to which an attribute at this node belongs.
pub(super) fn target(language: Language, node: Node, source: &str) -> Option<String> {
    if let Some(name) = definition(language, node, source) {
        return Some(name);
    }
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "export_statement" | "decorated_definition" => {
            let inner = field("declaration").or_else(|| field("definition"))?;
            definition(language, inner, source)
        }
        "field_declaration" | "constant_declaration" if field("declarator").is_some() => {
            bare(field("declarator")?.child_by_field_name("name")?, source)
        }
        "field_declaration" | "property_declaration" | "const_declaration" => {
            bare(field("name").or_else(|| first_declared(node))?, source)
        }
        "required_parameter" | "optional_parameter" => bare(field("pattern")?, source),
        _ => bare(field("name").or_else(|| field("property"))?, source),
    }
}

/// Returns the name node of the first variable or constant in a declaration of C# or PHP.
fn first_declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let declared = node.named_children(&mut cursor).find_map(|child| match child.kind() {
        "variable_declaration" => {
            let mut cursor = child.walk();
            child.named_children(&mut cursor).last()
        }
        "property_element" | "const_element" => Some(child),
        _ => None,
    })?;
    declared.child_by_field_name("name").or_else(|| declared.named_child(0))
}

/// Returns the name of a C or C++ function, with `.` for `::`.
fn read_declared_name(node: Node, source: &str) -> Option<String> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..8 {
        match at.child_by_field_name("declarator").or_else(|| inner_reference(at)) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    bare(at, source).map(|name| name.replace("::", "."))
}

/// Returns the declarator inside a reference or brackets of C++, which has no field name in the grammar.
fn inner_reference(node: Node<'_>) -> Option<Node<'_>> {
    let is_wrapper = matches!(node.kind(), "reference_declarator" | "parenthesized_declarator");
    is_wrapper.then(|| node.named_child(0)).flatten()
}

/// Returns the text of a name node without quotes, type arguments and pointer signs; `None` if it is empty or
/// spans lines.
fn bare(node: Node, source: &str) -> Option<String> {
    let whole = beginning(text(node, source), NAME);
    let name = whole.split('<').next().unwrap_or_default().trim().trim_matches(['"', '\'', '&', '*', '$']);
    (!name.is_empty() && !name.contains('\n')).then(|| name.to_owned())
}
