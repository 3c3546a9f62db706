//! `check`: everything that is wrong with graph files, each with its place.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::What;
use super::graph_file;
use super::session::Session;

#[derive(Args)]
struct Check {
    /// Graph files
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
        let checked =
            graph_file::read(file).and_then(|definition| graph_file::topology(session, &definition));
        match checked {
            Ok(graph) => session.printer.progress(format_args!(
                "{}: no defects ({} nodes, {} edges)",
                file.display(),
                graph.nodes.len(),
                graph.edges.len()
            )),
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

fn summary(file: &std::path::Path, count: usize) -> String {
    format!("{}: {count} defect{}", file.display(), if count == 1 { "" } else { "s" })
}
