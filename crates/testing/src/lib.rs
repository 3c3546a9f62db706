//! What the tests of several crates share: how many cases a property has, an endpoint that misbehaves, expressions by grammar, a collector of
//! spans, a finder of circles of imports.

mod cases;
pub mod fake_server;
mod folder;
pub mod grammar;
mod imports;
mod watched;

pub use cases::cases;
pub use folder::{put, tree};
pub use imports::import_circle;
pub use watched::watched;
