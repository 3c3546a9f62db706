//! Our tools for other programs: a catalogue of tools, served over a pair of streams. Knows no command line; the program decides which
//! tools are in the catalogue.
//!
//! Reading order: `catalogue` (the tools), `session` (one client), `result` (outputs as the protocol has them).

mod catalogue;
mod result;
mod session;

pub use catalogue::{ServedCall, ServedTool, ServedTools, ToolAccess};
pub use session::{ServeError, serve};
