//! Graph files: what is accepted, what is refused and how that reads.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod golden;
mod imports;
mod reading;
mod registry;
mod texts;
