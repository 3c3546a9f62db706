//! The program `ard`: the architect–reviewer debate. The library's `cli` module implements it.

use std::process::ExitCode;

use stategraph::cli::Program;
use stategraph::workflows::ard::{Ard, ArdReview};

fn main() -> ExitCode {
    Program::Ard.main(vec![Box::new(Ard), Box::new(ArdReview)])
}
