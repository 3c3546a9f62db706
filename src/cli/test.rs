//! The command `test`: runs the test cases of graph files offline, and prints the differences of failed cases.

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
struct TestArgs {
    /// Graph files; the cases of `my.yaml` are in `my.test.yaml`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Run only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
}

pub(super) fn command() -> Command {
    TestArgs::augment_args(Command::new("test"))
        .about("Run the test cases of graph files, without a network")
        .after_help("Exit codes: 0 all cases passed, 1 some failed, 2 a file cannot be used")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = TestArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for file in &args.files {
        // The name of the test-case file is accepted too.
        let file = &graph_file::graph_of(file).unwrap_or_else(|| file.clone());
        let workflow = declared::load(file)?;
        let cases_path = graph_file::cases_of(file);
        let text = read_up_to(&cases_path, FILE_MAX, Links::Followed).map_err(|error| {
            Failure::new(
                format!("cannot read {}: {error}", cases_path.display()),
                "the cases of `my.yaml` are in `my.test.yaml` beside it; `graph new NAME` writes both",
            )
        })?;
        let cases = parse_cases(text, cases_path.display().to_string(), workflow.definition())?;
        let folder = tempfile::tempdir().map_err(no_folder)?;
        write_files(&cases.files, folder.path()).map_err(no_folder)?;
        let is_selected = |case: &&TestCase| args.case.as_ref().is_none_or(|part| case.name.contains(part));
        for case in cases.cases.iter().filter(is_selected) {
            let mismatches = run(&workflow, case, folder.path(), session)?;
            print_case(session, file, case, &mismatches);
            if mismatches.is_empty() { passed += 1 } else { failed += 1 }
        }
    }
    session.printer.progress(format_args!("{passed} passed, {failed} failed"));
    Ok(if failed == 0 { Exit::Done } else { Exit::NotAccepted })
}

/// Runs one test case with its files in `folder`, and returns the differences from what it expects; none if
/// it passed.
fn run(
    workflow: &Declared,
    case: &TestCase,
    folder: &Path,
    session: &Session,
) -> Result<Vec<Mismatch>, Failure> {
    let root = Root::open(folder).map_err(no_folder)?;
    let tools = session.catalogue.tools.make(&root, session.env.as_ref());
    block_on(async { Ok(run_case(workflow.definition(), case, tools).await) })
}

fn no_folder(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::new(error, "the cases need a temporary directory; check TMPDIR and its free space")
}

/// Prints the verdict on a test case, and its differences.
fn print_case(session: &Session, file: &Path, case: &TestCase, mismatches: &[Mismatch]) {
    let printer = &session.printer;
    let word = if mismatches.is_empty() { "ok" } else { "FAILED" };
    printer.data(format_args!("{word:<6} {}: {}", file.display(), case.name));
    for Mismatch { place, expected, actual } in mismatches {
        printer.data(format_args!("       {place}"));
        for (word, text) in [("expected", expected), ("actual", actual)] {
            printer.data(format_args!("         {word:<8} {}", text.replace('\n', "\n                  ")));
        }
    }
}
