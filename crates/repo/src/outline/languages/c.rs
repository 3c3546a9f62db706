//! C.

use super::super::docs::DocStyle;
use super::super::spec::{Body, Names, Rule, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

/// Makes a rule for a node that defines a type only if it has a body; without one it is a use of the type.
pub(super) const fn with_body(node: &'static str, kind: K) -> Rule {
    Rule { node, kind, names: Names::Field("name"), body: Body::Required }
}

/// The rules that C and C++ share.
pub(super) const SHARED: [Rule; 10] = [
    rule("function_definition", K::Function, Names::Declarators),
    rule("declaration", K::Variable, Names::Declarators),
    rule("field_declaration", K::Field, Names::Declarators),
    rule("type_definition", K::Type, Names::Declarators),
    with_body("struct_specifier", K::Struct),
    with_body("union_specifier", K::Union),
    with_body("enum_specifier", K::Enum),
    by_name_field("enumerator", K::Variant),
    by_name_field("preproc_def", K::Macro),
    by_name_field("preproc_function_def", K::Macro),
];

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    definitions: &SHARED,
    wrappers: &[],
    comments: &["comment"],
    strings: &["string_literal", "char_literal", "system_lib_string"],
    interpolations: &[],
    decorators: &["attribute_declaration", "attribute_specifier"],
    imports: &["preproc_include"],
    targets: targets::c,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["parameter_list", "initializer_list", "string_literal", "argument_list"],
    bodies: &["body"],
    docs: DocStyle::Any,
    visibility: visibility::c,
    identifier: &[],
};
