//! Go.

use super::super::docs::DocStyle;
use super::super::spec::{Spec, by_name_field};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    definitions: &[
        by_name_field("function_declaration", K::Function),
        by_name_field("method_declaration", K::Method),
        by_name_field("type_spec", K::Type),
        by_name_field("type_alias", K::Type),
        by_name_field("method_elem", K::Method),
        by_name_field("field_declaration", K::Field),
        by_name_field("const_spec", K::Variable),
        by_name_field("var_spec", K::Variable),
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
