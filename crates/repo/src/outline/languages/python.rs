//! Python.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    definitions: &[
        by_name_field("class_definition", K::Class),
        by_name_field("function_definition", K::Function),
        rule("assignment", K::Variable, Names::Left),
        rule("type_alias_statement", K::Type, Names::Field("left")),
    ],
    wrappers: &["decorated_definition", "expression_statement"],
    comments: &["comment"],
    strings: &["string"],
    interpolations: &["interpolation"],
    decorators: &["decorator"],
    imports: &["import_statement", "import_from_statement", "future_import_statement"],
    targets: targets::python,
    access: &[],
    callables: &["lambda"],
    classes: &[],
    closed: &["parameters", "argument_list", "string", "dictionary", "list", "call"],
    bodies: &["body"],
    docs: DocStyle::Docstring,
    visibility: visibility::python,
    identifier: &[],
};
