//! JavaScript, with JSX.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Rule, Spec, named, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

/// What TypeScript has too.
pub(super) const SHARED: [Rule; 8] = [
    named("class_declaration", K::Class),
    named("function_declaration", K::Function),
    named("generator_function_declaration", K::Function),
    named("method_definition", K::Method),
    named("variable_declarator", K::Variable),
    rule("field_definition", K::Field, Names::Field("property")),
    rule("pair", K::Field, Names::Field("key")),
    rule("assignment_expression", K::Variable, Names::Functions),
];

pub(super) const WRAPPERS: &[&str] =
    &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"];
pub(super) const CALLABLES: &[&str] = &["arrow_function", "function_expression", "generator_function"];

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    definitions: &SHARED,
    wrappers: WRAPPERS,
    comments: &["comment", "html_comment"],
    strings: &["string", "template_string"],
    interpolations: &["template_substitution"],
    decorators: &["decorator"],
    imports: &["import_statement", "call_expression"],
    targets: targets::script,
    access: &[],
    callables: CALLABLES,
    classes: &["class"],
    closed: &["formal_parameters", "string", "regex"],
    bodies: &["body"],
    docs: DocStyle::Marked(&["/**"]),
    visibility: visibility::script,
    identifier: &['$'],
};
