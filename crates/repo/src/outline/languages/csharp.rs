//! C#.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    definitions: &[
        by_name_field("namespace_declaration", K::Namespace),
        by_name_field("file_scoped_namespace_declaration", K::Namespace),
        by_name_field("class_declaration", K::Class),
        by_name_field("struct_declaration", K::Struct),
        by_name_field("record_declaration", K::Class),
        by_name_field("interface_declaration", K::Interface),
        by_name_field("enum_declaration", K::Enum),
        by_name_field("enum_member_declaration", K::Variant),
        by_name_field("delegate_declaration", K::Type),
        by_name_field("method_declaration", K::Method),
        by_name_field("constructor_declaration", K::Method),
        by_name_field("destructor_declaration", K::Method),
        by_name_field("local_function_statement", K::Function),
        rule("operator_declaration", K::Method, Names::Field("operator")),
        by_name_field("property_declaration", K::Field),
        by_name_field("event_declaration", K::Field),
        by_name_field("variable_declarator", K::Variable),
    ],
    wrappers: &["field_declaration", "event_field_declaration", "variable_declaration"],
    comments: &["comment"],
    strings: &[
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "character_literal",
        "interpolated_string_expression",
    ],
    interpolations: &["interpolation"],
    decorators: &["attribute_list"],
    imports: &["using_directive"],
    targets: targets::csharp,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["parameter_list", "argument_list", "string_literal"],
    bodies: &["body", "accessors"],
    docs: DocStyle::Marked(&["///", "/**"]),
    visibility: visibility::csharp,
    identifier: &[],
};
