//! The phased documentation agent: explores a code base in four phases under hard budgets, keeps what it finds in memory, and
//! writes documentation from memory alone.
//!
//! [`memory`] is what was found, [`writer`] turns it into documents, [`rules`] explore without a model.

pub mod memory;
pub mod phase;
pub mod rules;
pub mod tools;
pub mod writer;
