//! `test`: runs the cases beside a graph file, offline. A case that came out otherwise is shown with the difference.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::declared;
use super::exit::Exit;
use super::failure::Failure;
use super::graph_file;
use super::session::{Session, block_on};
use crate::definition::{FILE_MAX, TestCase};
use crate::kinds::cases::{Mismatch, parse_cases, run_case, write_files};
use crate::repo::Root;
use crate::workflows::Declared;
use stategraph_base::regular::{Links, read_up_to};

#[derive(Args)]
struct Test {
    /// Graph files; the cases of `my.yaml` stand in `my.test.yaml`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only the cases whose name holds this
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
}

pub(super) fn command() -> Command {
    Test::augment_args(Command::new("test"))
        .about("Run the cases beside graph files, without a network")
        .after_help("Exit codes: 0 all cases came out as expected, 1 some did not, 2 a file cannot be used")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Test::from_arg_matches(matches).expect("clap has checked what it describes");
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for file in &args.files {
        // `my.test.yaml` means what `my.yaml` means.
        let file = &graph_file::graph_of(file).unwrap_or_else(|| file.clone());
        let workflow = declared::of(file)?;
        let place = graph_file::cases_of(file);
        let text = read_up_to(&place, FILE_MAX, Links::Followed).map_err(|error| {
            Failure::new(
                format!("cannot read {}: {error}", place.display()),
                "the cases of `my.yaml` stand in `my.test.yaml` beside it; `graph new NAME` writes both",
            )
        })?;
        let cases = parse_cases(text, place.display().to_string(), workflow.definition())?;
        let folder = tempfile::tempdir().map_err(unusable)?;
        write_files(&cases.files, folder.path()).map_err(unusable)?;
        let wanted = |case: &&TestCase| args.case.as_ref().is_none_or(|part| case.name.contains(part));
        for case in cases.cases.iter().filter(wanted) {
            let problems = tried(&workflow, case, folder.path())?;
            show(session, file, case, &problems);
            if problems.is_empty() { passed += 1 } else { failed += 1 }
        }
    }
    session.printer.progress(format_args!("{passed} passed, {failed} failed"));
    Ok(if failed == 0 { Exit::Done } else { Exit::NotAccepted })
}

fn tried(workflow: &Declared, case: &TestCase, folder: &Path) -> Result<Vec<Mismatch>, Failure> {
    let root = Root::open(folder).map_err(unusable)?;
    block_on(async { Ok(run_case(workflow.definition(), case, &root).await) })
}

fn unusable(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::new(error, "the cases need a temporary folder of their own")
}

fn show(session: &Session, file: &Path, case: &TestCase, problems: &[Mismatch]) {
    let printer = &session.printer;
    let word = if problems.is_empty() { "ok" } else { "FAILED" };
    printer.data(format_args!("{word:<6} {}: {}", file.display(), case.name));
    for Mismatch { place, expected, actual } in problems {
        printer.data(format_args!("       {place}"));
        for (word, text) in [("expected", expected), ("actual", actual)] {
            printer.data(format_args!("         {word:<8} {}", text.replace('\n', "\n                  ")));
        }
    }
}
