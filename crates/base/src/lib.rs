//! Small functions that several crates of [stategraph](https://docs.rs/stategraph) need and no crate of the registry provides.
//!
//! - [`regular`]: opens regular files only, and never waits for one.
//! - [`owner_only`]: files and folders that only their owner can read.
//! - [`cut`](fn@cut): the beginning of a long text, with a count of the rest.
//! - [`nearest`](fn@nearest): the known name that the user probably meant.
//! - [`quote_for_shell`]: a word with the quotes that a shell needs.
//! - [`is_deceptive`]: characters that hide text or change its order.
//! - [`is_loopback_host`]: hosts that are this machine.
//! - [`is_text_element`]: elements of HTML that style or arrange text.
//! - [`has_secret`]: rules that find keys and passwords in a text.
//! - [`hash_sources`]: the version of a crate for build scripts.

mod cut;
mod deceptive;
mod loopback;
mod markup;
mod nearest;
pub mod owner_only;
pub mod regular;
mod secrets;
mod shell;
mod sources;

pub use cut::{Cut, cut};
pub use deceptive::is_deceptive;
pub use loopback::is_loopback_host;
pub use markup::is_text_element;
pub use nearest::nearest;
pub use secrets::{has_secret, redact_secrets};
pub use shell::quote_for_shell;
pub use sources::hash_sources;
