//! A table for each language; see spec.rs for what its columns mean.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;
mod rust;
mod typescript;

use super::language::Language;
use super::spec::Spec;

/// Returns the table of a language: which syntax nodes are definitions, comments, imports and so on.
pub(super) fn spec(language: Language) -> &'static Spec {
    match language {
        Language::Rust => &rust::SPEC,
        Language::Python => &python::SPEC,
        Language::JavaScript => &javascript::SPEC,
        Language::TypeScript => &typescript::TYPESCRIPT,
        Language::Tsx => &typescript::TSX,
        Language::Go => &go::SPEC,
        Language::Java => &java::SPEC,
        Language::C => &c::SPEC,
        Language::Cpp => &cpp::SPEC,
        Language::CSharp => &csharp::SPEC,
        Language::Ruby => &ruby::SPEC,
        Language::Php => &php::SPEC,
        Language::Bash => &bash::SPEC,
    }
}
