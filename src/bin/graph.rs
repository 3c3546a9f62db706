//! `graph`: every workflow and graph file. All of it is in the library's `cli` module.

use std::process::ExitCode;

use stategraph::cli::Program;
use stategraph::workflows::catalogue;

fn main() -> ExitCode {
    Program::Graph.main(catalogue())
}
