//! Bash and its relatives.

use super::super::docs::DocStyle;
use super::super::spec::{Spec, by_name_field};
use super::super::symbol::SymbolKind as K;
use super::super::{targets, visibility};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    definitions: &[
        by_name_field("function_definition", K::Function),
        by_name_field("variable_assignment", K::Variable),
    ],
    wrappers: &["declaration_command"],
    comments: &["comment"],
    strings: &["string", "raw_string", "heredoc_body", "ansi_c_string"],
    interpolations: &["command_substitution", "expansion", "simple_expansion"],
    decorators: &[],
    imports: &["command"],
    targets: targets::bash,
    access: &[],
    callables: &[],
    classes: &[],
    closed: &["string", "raw_string", "heredoc_body"],
    bodies: &["body"],
    docs: DocStyle::Any,
    visibility: visibility::bash,
    identifier: &[],
};
