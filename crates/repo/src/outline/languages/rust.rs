//! Rust.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    definitions: &[
        by_name_field("mod_item", K::Module),
        by_name_field("struct_item", K::Struct),
        by_name_field("union_item", K::Union),
        by_name_field("enum_item", K::Enum),
        by_name_field("enum_variant", K::Variant),
        by_name_field("field_declaration", K::Field),
        by_name_field("trait_item", K::Trait),
        rule("impl_item", K::Impl, Names::Field("type")),
        by_name_field("type_item", K::Type),
        by_name_field("associated_type", K::Type),
        by_name_field("function_item", K::Function),
        by_name_field("function_signature_item", K::Function),
        by_name_field("macro_definition", K::Macro),
        by_name_field("const_item", K::Variable),
        by_name_field("static_item", K::Variable),
    ],
    wrappers: &[],
    comments: &["line_comment", "block_comment"],
    strings: &["string_literal", "raw_string_literal", "char_literal"],
    interpolations: &[],
    decorators: &["attribute_item"],
    imports: &["use_declaration", "extern_crate_declaration"],
    targets: targets::rust,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["token_tree", "parameters", "type_arguments", "string_literal", "macro_invocation"],
    bodies: &["body"],
    docs: DocStyle::Marked(&["///", "/**"]),
    visibility: visibility::rust,
    identifier: &[],
};
