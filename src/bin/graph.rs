//! The program `graph`: all workflows and graph files. The library's `cli` module implements it.

use std::process::ExitCode;

use stategraph::cli::{Catalogue, Program, facts, mcp, replay};
use stategraph::workflows::catalogue;

fn main() -> ExitCode {
    let catalogue = Catalogue::new(catalogue()).with(facts::added()).with(replay::added()).with(mcp::added());
    Program::Graph.main(catalogue.tools(facts::code_tools()))
}
