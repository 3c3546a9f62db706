//! The program `graph`: all workflows and graph files. The library's `cli` module implements it.

use std::process::ExitCode;

use stategraph::cli::{Catalogue, Program, facts};
use stategraph::workflows::catalogue;

fn main() -> ExitCode {
    Program::Graph.main(Catalogue::new(catalogue()).with(facts::added()).tools(facts::code_tools()))
}
