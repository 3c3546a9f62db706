//! TypeScript, with and without JSX.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Rule, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};
use super::javascript::{CALLABLES, SHARED, WRAPPERS};

const AROUND: &[&str] = &[WRAPPERS[0], WRAPPERS[1], WRAPPERS[2], WRAPPERS[3], "ambient_declaration"];

const fn spec(grammar: fn() -> tree_sitter::Language) -> Spec {
    Spec {
        grammar,
        definitions: DEFINITIONS,
        wrappers: AROUND,
        comments: &["comment"],
        strings: &["string", "template_string", "template_literal_type"],
        interpolations: &["template_substitution"],
        decorators: &["decorator"],
        imports: &["import_statement", "call_expression"],
        targets: targets::script,
        access: &[],
        callables: CALLABLES,
        classes: &["class"],
        // The result of a function type and of a lookup are types of their own.
        closed: &["formal_parameters", "string", "regex", "type_arguments", "function_type", "lookup_type"],
        bodies: &["body"],
        docs: DocStyle::Marked(&["/**"]),
        visibility: visibility::script,
        identifier: &['$'],
    }
}

pub(super) static TYPESCRIPT: Spec = spec(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into());
pub(super) static TSX: Spec = spec(|| tree_sitter_typescript::LANGUAGE_TSX.into());

const DEFINITIONS: &[Rule] = &{
    let [class, function, generator, method, variable, _, pair, assignment] = SHARED;
    [
        class,
        function,
        generator,
        method,
        variable,
        pair,
        assignment,
        by_name_field("abstract_class_declaration", K::Class),
        by_name_field("interface_declaration", K::Interface),
        by_name_field("type_alias_declaration", K::Type),
        by_name_field("enum_declaration", K::Enum),
        by_name_field("enum_assignment", K::Variant),
        rule("enum_body", K::Variant, Names::Each("name")),
        by_name_field("internal_module", K::Namespace),
        by_name_field("module", K::Module),
        by_name_field("function_signature", K::Function),
        by_name_field("method_signature", K::Method),
        by_name_field("abstract_method_signature", K::Method),
        by_name_field("property_signature", K::Field),
        by_name_field("public_field_definition", K::Field),
    ]
};
