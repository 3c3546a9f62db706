//! Go.

use super::super::docs::DocStyle;
use super::super::spec::{Spec, named};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    definitions: &[
        named("function_declaration", K::Function),
        named("method_declaration", K::Method),
        named("type_spec", K::Type),
        named("type_alias", K::Type),
        named("method_elem", K::Method),
        named("field_declaration", K::Field),
        named("const_spec", K::Variable),
        named("var_spec", K::Variable),
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"],
    comments: &["comment"],
    strings: &["interpreted_string_literal", "raw_string_literal", "rune_literal"],
    interpolations: &[],
    decorators: &[],
    imports: &["import_spec"],
    targets: targets::go,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["parameter_list", "interpreted_string_literal", "raw_string_literal"],
    bodies: &["body"],
    docs: DocStyle::Any,
    visibility: visibility::go,
    identifier: &[],
};
