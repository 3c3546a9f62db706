//! TypeScript, with and without JSX.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Rule, Spec, named, rule};
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
        closed: &["formal_parameters", "string", "regex", "type_arguments"],
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
        named("abstract_class_declaration", K::Class),
        named("interface_declaration", K::Interface),
        named("type_alias_declaration", K::Type),
        named("enum_declaration", K::Enum),
        named("enum_assignment", K::Variant),
        rule("enum_body", K::Variant, Names::Each("name")),
        named("internal_module", K::Namespace),
        named("module", K::Module),
        named("function_signature", K::Function),
        named("method_signature", K::Method),
        named("abstract_method_signature", K::Method),
        named("property_signature", K::Field),
        named("public_field_definition", K::Field),
    ]
};
