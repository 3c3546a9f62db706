//! Expressions and templates of graph files: Jinja through minijinja, bounded in steps, time and memory. They see
//! only the names that they are given: no file, no environment variable, no clock.
//!
//! Reading order: `evaluate` (compiled expressions and templates), `scope` (names and their values), `names` and `read` (from a
//! file), `words` (positions of words), `analysis` (names and refused constructs), `paths` and `fields` (fields of known types), `rewrite` (the text that minijinja
//! compiles), `bounded` (its filters and operators), `measure` (sizes of values).

mod evaluate;
mod operand;
mod paths;
mod scope;

mod analysis;
mod bounded;
mod error;
mod fields;
mod fold;
mod json_schema;
mod measure;
mod missing;
mod names;
mod nulls;
mod read;
mod rewrite;
mod words;

pub(crate) use analysis::Reads;
pub use analysis::SECRETS;
pub use bounded::{FILTERS, FUEL, MADE_MAX, SEEN_MAX};
pub use error::ExpressionError;
pub use evaluate::{Expression, TEXT_MAX, Template};
pub(crate) use fold::{VALUE, WRITE};
pub(crate) use names::DeclaredNames;
pub use operand::Operand;
pub use scope::EvalScope;
