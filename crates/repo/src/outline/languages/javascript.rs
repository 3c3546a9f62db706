//! JavaScript, with JSX.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Rule, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

/// The rules that JavaScript and TypeScript share.
pub(super) const SHARED: [Rule; 8] = [
    by_name_field("class_declaration", K::Class),
    by_name_field("function_declaration", K::Function),
    by_name_field("generator_function_declaration", K::Function),
    by_name_field("method_definition", K::Method),
    by_name_field("variable_declarator", K::Variable),
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
