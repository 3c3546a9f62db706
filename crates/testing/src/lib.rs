//! Tools for the tests of several crates: the number of property cases, a misbehaving server, expressions by a grammar, temporary folders,
//! a collector of spans, a reader of exported spans, a finder of circular imports.

mod cases;
pub mod fake_server;
mod folder;
pub mod grammar;
mod imports;
mod received;
mod watched;

pub use cases::cases;
pub use folder::{put, tree};
pub use imports::import_circle;
pub use received::{ReceivedSpan, spans_of, spans_of_lines};
pub use watched::install_collector;
