//! Java.

use super::super::docs::DocStyle;
use super::super::spec::{Spec, named};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    definitions: &[
        named("class_declaration", K::Class),
        named("interface_declaration", K::Interface),
        named("annotation_type_declaration", K::Interface),
        named("record_declaration", K::Class),
        named("enum_declaration", K::Enum),
        named("enum_constant", K::Variant),
        named("method_declaration", K::Method),
        named("constructor_declaration", K::Method),
        named("compact_constructor_declaration", K::Method),
        named("annotation_type_element_declaration", K::Method),
        named("variable_declarator", K::Field),
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
