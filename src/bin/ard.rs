//! The program `ard`: the architect–reviewer debate. The library's `cli` module implements it.

use std::process::ExitCode;

use stategraph::cli::{Catalogue, Program};
use stategraph::workflows::ard::{Ard, ArdReview};

fn main() -> ExitCode {
    Program::Ard.main(Catalogue::new(vec![Box::new(Ard), Box::new(ArdReview)]))
}
