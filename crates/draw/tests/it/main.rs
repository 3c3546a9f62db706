//! Drawings of graphs: what they say, how they look, that they are well-formed whatever the names, and that the real programs read
//! them.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod kit;

mod nested;
mod picture;
mod png;
mod real;
mod run_path;
mod text;
