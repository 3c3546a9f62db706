//! C#.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, named, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    definitions: &[
        named("namespace_declaration", K::Namespace),
        named("file_scoped_namespace_declaration", K::Namespace),
        named("class_declaration", K::Class),
        named("struct_declaration", K::Struct),
        named("record_declaration", K::Class),
        named("interface_declaration", K::Interface),
        named("enum_declaration", K::Enum),
        named("enum_member_declaration", K::Variant),
        named("delegate_declaration", K::Type),
        named("method_declaration", K::Method),
        named("constructor_declaration", K::Method),
        named("destructor_declaration", K::Method),
        named("local_function_statement", K::Function),
        rule("operator_declaration", K::Method, Names::Field("operator")),
        named("property_declaration", K::Field),
        named("event_declaration", K::Field),
        named("variable_declarator", K::Variable),
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
