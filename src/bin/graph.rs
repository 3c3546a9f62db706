//! `graph`: every workflow and graph file. All of it is in the library's `cli` module.

fn main() {}
