//! Ruby.

use super::super::docs::DocStyle;
use super::super::spec::{Names, Spec, by_name_field, rule};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    definitions: &[
        by_name_field("module", K::Module),
        by_name_field("class", K::Class),
        by_name_field("method", K::Method),
        by_name_field("singleton_method", K::Method),
        by_name_field("alias", K::Method),
        rule("assignment", K::Variable, Names::Constants),
    ],
    wrappers: &[],
    comments: &["comment"],
    strings: &["string", "heredoc_body", "simple_symbol", "bare_string"],
    interpolations: &["interpolation"],
    decorators: &[],
    imports: &["call"],
    targets: targets::ruby,
    access: &["identifier"],
    callables: &["lambda"],
    classes: &[],
    closed: &["method_parameters", "string"],
    bodies: &["body"],
    docs: DocStyle::Any,
    visibility: visibility::ruby,
    identifier: &['?', '!'],
};
