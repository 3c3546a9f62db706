//! What the tests of several crates share: how many cases a property has, an endpoint that misbehaves, expressions by grammar, a collector of
//! spans.

mod cases;
pub mod fake_server;
mod folder;
pub mod grammar;
mod watched;

pub use cases::cases;
pub use folder::{put, tree};
pub use watched::watched;
