//! Outlines: what a file defines and imports, without its bodies, in twelve languages, from code that may have errors in it
//! (CTX-49, 52, 57).
//!
//! Reading order: `language` and `symbol` (the shapes), `spec` and `languages` (a table each), `extract` (the one walk) with
//! `pending`, `names`, `signature`, `docs`, `visibility`, `exports` and `targets`, then `parse`, which puts them together, `calls`, `place`,
//! `render` and `statements`.

mod language;
mod mask;
mod symbol;

mod languages;
mod spec;

mod docs;
mod exports;
mod extract;
mod names;
mod pending;
mod signature;
mod targets;
mod visibility;

mod calls;
mod parse;
mod place;
mod render;
mod statements;

pub use calls::{CallSite, calls};
pub use language::Language;
pub use parse::outline;
pub(super) use parse::{documentation, grammar_fingerprint, outline_with, whole_lines};
pub use place::Mention;
pub(super) use place::{NameRoles, continues};
pub use signature::code_words;
pub use statements::{CodeStatement, CodeTree, StatementPart};
pub(super) use symbol::Spans;
pub use symbol::{FileOutline, Import, OutlineGaps, SymbolInfo, SymbolKind, Visibility, type_name};
pub(super) use targets::text;
