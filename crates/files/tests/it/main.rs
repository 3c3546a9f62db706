//! Graph files: accepted files, refused files with their messages.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod golden;
mod imports;
mod reading;
mod registry;
mod texts;
