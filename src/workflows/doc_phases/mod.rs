//! The phased documentation agent: explores a code base in four phases under hard budgets, keeps what it finds in memory, and
//! writes documentation from memory alone.

pub mod phase;
