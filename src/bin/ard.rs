//! `ard`: the architect–reviewer debate. All of it is in the library's `cli` module.

fn main() {}
