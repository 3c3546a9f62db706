//! `check`: everything that is wrong with graph files and files of cases, each with its place.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::{Failure, What};
use super::graph_file;
use super::session::Session;
use crate::definition::{Definition, holds_cases};
use crate::kinds::trial::cases;

#[derive(Args)]
struct Check {
    /// Graph files, and files of cases (`my.test.yaml`)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn command() -> Command {
    Check::augment_args(Command::new("check"))
        .about("Show every defect of graph files, with place and hint")
        .after_help("Exit codes: 0 no defects, 1 defects, 2 a file cannot be read")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = Check::from_arg_matches(matches).expect("clap has checked what it describes");
    let mut worst = Exit::Done;
    for file in &args.files {
        match checked(session, file) {
            Ok(what) => session.printer.progress(format_args!("{}: no defects ({what})", file.display())),
            Err(failure) => {
                session.printer.failure(&failure);
                worst = worst.max(match &failure.what {
                    What::Defects(defects) => {
                        session.printer.progress(summary(file, defects.list().len()));
                        Exit::NotAccepted
                    }
                    What::Error(_) => Exit::Error,
                });
            }
        }
    }
    worst
}

/// Checks a graph file, or a file of cases against its graph. Returns what is in it, in a few words.
fn checked(session: &Session, file: &Path) -> Result<String, Failure> {
    let text = graph_file::bytes(file)?;
    if graph_file::graph_of(file).is_some() || holds_cases(&text) {
        let Some(graph) = graph_file::graph_of(file) else {
            return Err(Failure::new(
                format!("{} holds cases, and its name does not say of which graph", file.display()),
                "the cases of `my.yaml` stand in `my.test.yaml` beside it",
            ));
        };
        let graph = graph_file::read(&graph)?;
        let cases = cases(text, file.display().to_string(), &graph)?;
        return Ok(counted(cases.cases.len(), "case"));
    }
    let definition = Definition::parse(text, file.display().to_string())?;
    let graph = graph_file::topology(session, &definition)?;
    Ok(format!("{} nodes, {} edges", graph.nodes.len(), graph.edges.len()))
}

fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn summary(file: &Path, count: usize) -> String {
    format!("{}: {}", file.display(), counted(count, "defect"))
}
