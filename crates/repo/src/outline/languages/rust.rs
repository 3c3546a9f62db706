//! Rust.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, named, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    definitions: &[
        named("mod_item", K::Module),
        named("struct_item", K::Struct),
        named("union_item", K::Union),
        named("enum_item", K::Enum),
        named("enum_variant", K::Variant),
        named("field_declaration", K::Field),
        named("trait_item", K::Trait),
        rule("impl_item", K::Impl, Names::Field("type")),
        named("type_item", K::Type),
        named("associated_type", K::Type),
        named("function_item", K::Function),
        named("function_signature_item", K::Function),
        named("macro_definition", K::Macro),
        named("const_item", K::Variable),
        named("static_item", K::Variable),
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
