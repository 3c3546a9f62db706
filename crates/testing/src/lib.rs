//! What the tests of several crates share: how many cases a property has, an endpoint that misbehaves, expressions by grammar, a collector of
//! spans.

mod cases;
mod folder;
pub mod fake_server;
pub mod grammar;
mod watched;

pub use cases::cases;
pub use folder::{put, tree};
pub use watched::watched;
