//! The phased documentation agent: explores a code base under hard budgets, remembers what it finds, and writes documentation
//! from that memory alone.
//!
//! [`memory`] is what was found, [`writer`] turns it into documents.

pub mod memory;
pub mod writer;
