//! PHP.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    definitions: &[
        by_name_field("namespace_definition", K::Namespace),
        by_name_field("class_declaration", K::Class),
        by_name_field("interface_declaration", K::Interface),
        by_name_field("trait_declaration", K::Trait),
        by_name_field("enum_declaration", K::Enum),
        by_name_field("enum_case", K::Variant),
        by_name_field("function_definition", K::Function),
        by_name_field("method_declaration", K::Method),
        by_name_field("property_element", K::Field),
        rule("const_element", K::Variable, Names::Kind("name")),
        rule("assignment_expression", K::Variable, Names::Left),
        rule("function_call_expression", K::Variable, Names::Called("define")),
    ],
    wrappers: &["property_declaration", "const_declaration", "expression_statement"],
    comments: &["comment"],
    strings: &["string", "encapsed_string", "heredoc_body", "nowdoc_body"],
    interpolations: &["variable_name", "dynamic_variable_name"],
    decorators: &["attribute_list"],
    imports: &[
        "namespace_use_declaration",
        "require_expression",
        "require_once_expression",
        "include_expression",
        "include_once_expression",
    ],
    targets: targets::php,
    access: &[],
    callables: &["anonymous_function", "arrow_function"],
    classes: &[],
    closed: &["string", "encapsed_string", "array_creation_expression"],
    bodies: &["body"],
    docs: DocStyle::Marked(&["/**"]),
    visibility: visibility::php,
    identifier: &[],
};
