//! Small things that several crates of [stategraph](https://docs.rs/stategraph) need and no crate of the registry gives.
//!
//! - [`regular`]: opens regular files only, and never waits for one.
//! - [`owner_only`]: files and folders that only their owner can read.
//! - [`cut`](fn@cut): the beginning of a long text, with a count of the rest.
//! - [`nearest`]: the known name that was probably meant.
//! - [`quoted`]: a word as a shell takes it.

mod cut;
mod nearest;
pub mod owner_only;
pub mod regular;
mod shell;

pub use cut::{Cut, cut};
pub use nearest::nearest;
pub use shell::quoted;
