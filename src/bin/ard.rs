//! `ard`: the architect–reviewer debate. All of it is in the library's `cli` module.

use std::process::ExitCode;

use stategraph::cli::Program;
use stategraph::workflows::ard::Ard;

fn main() -> ExitCode {
    Program::Ard.main(vec![Box::new(Ard)])
}
