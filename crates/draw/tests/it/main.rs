//! Drawings of graphs: what they say, how they look, that they are well-formed whatever the names, and that the real programs read
//! them.

mod kit;

mod nested;
mod picture;
mod png;
mod real;
mod run_path;
mod text;
