//! Java.

use super::super::docs::DocStyle;
use super::super::spec::{Spec, by_name_field};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    definitions: &[
        by_name_field("class_declaration", K::Class),
        by_name_field("interface_declaration", K::Interface),
        by_name_field("annotation_type_declaration", K::Interface),
        by_name_field("record_declaration", K::Class),
        by_name_field("enum_declaration", K::Enum),
        by_name_field("enum_constant", K::Variant),
        by_name_field("method_declaration", K::Method),
        by_name_field("constructor_declaration", K::Method),
        by_name_field("compact_constructor_declaration", K::Method),
        by_name_field("annotation_type_element_declaration", K::Method),
        by_name_field("variable_declarator", K::Field),
    ],
    wrappers: &["field_declaration", "constant_declaration"],
    comments: &["line_comment", "block_comment"],
    strings: &["string_literal", "character_literal"],
    interpolations: &["string_interpolation"],
    decorators: &["annotation", "marker_annotation"],
    imports: &["import_declaration"],
    targets: targets::java,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["formal_parameters", "argument_list", "modifiers", "string_literal"],
    bodies: &["body"],
    docs: DocStyle::Marked(&["/**"]),
    visibility: visibility::java,
    identifier: &['$'],
};
