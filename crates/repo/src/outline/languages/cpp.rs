//! C++.

use super::super::docs::DocStyle;
use super::super::spec::{Rule, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};
use super::c::{SHARED, with_body};

const DEFINITIONS: &[Rule] = &{
    let [function, declaration, field, typedef, structure, union, enumeration, variant, constant, macro_] =
        SHARED;
    [
        function,
        declaration,
        field,
        typedef,
        structure,
        union,
        enumeration,
        variant,
        constant,
        macro_,
        with_body("class_specifier", K::Class),
        by_name_field("namespace_definition", K::Namespace),
        by_name_field("alias_declaration", K::Type),
        by_name_field("concept_definition", K::Type),
        rule("namespace_alias_definition", K::Namespace, super::super::spec::Names::Field("name")),
    ]
};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    definitions: DEFINITIONS,
    wrappers: &["template_declaration"],
    comments: &["comment"],
    strings: &["string_literal", "raw_string_literal", "char_literal", "system_lib_string"],
    interpolations: &[],
    decorators: &["attribute_declaration", "attribute_specifier"],
    imports: &["preproc_include"],
    targets: targets::c,
    access: &["access_specifier"],
    callables: &["lambda_expression"],
    classes: &[],
    closed: &[
        "parameter_list",
        "initializer_list",
        "string_literal",
        "template_parameter_list",
        "friend_declaration",
    ],
    bodies: &["body"],
    docs: DocStyle::Any,
    visibility: visibility::cpp,
    identifier: &[],
};
