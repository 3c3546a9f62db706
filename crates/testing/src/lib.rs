//! Tools for the tests of several crates: the number of property cases, a misbehaving server, expressions by a grammar, temporary folders,
//! a collector of spans.

mod cases;
pub mod fake_server;
mod folder;
pub mod grammar;
mod watched;

pub use cases::cases;
pub use folder::{put, tree};
pub use watched::watched;
