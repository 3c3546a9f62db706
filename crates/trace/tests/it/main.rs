//! Tests of the spans and of their export, without a program around them.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod exported;
mod settings;
