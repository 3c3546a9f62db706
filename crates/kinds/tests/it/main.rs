//! Graph files: accepted files, refused files with their messages; the reader never panics or hangs.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod arbitrary;
mod examples;
mod expressions;
mod failing;
mod foreign;
mod golden;
mod hints;
mod inline;
mod inside;
mod kinds;
mod limits;
mod manual;
mod mapping;
#[path = "../../../files/tests/it/registry.rs"]
mod registry;
mod requests;
mod routing;
mod talking;
#[path = "../../../files/tests/it/texts.rs"]
mod texts;
mod tools;

/// Makes the root of the repository the working folder, from which the files of these tests name others.
pub(crate) fn at_the_root() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("it is there");
}

pub(crate) use registry::registry;
