//! The command `check`: reports every defect of graph files and test-case files, each with its position.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::declared;
use super::exit::Exit;
use super::failure::{Failure, FailureCause};
use super::graph_file;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use crate::definition::{Definition, is_test_file};
use crate::engine::ThreadFit;
use crate::kinds::cases::parse_cases;
use crate::store::resolve;
use crate::workflows::Workflow;

#[derive(Args)]
struct CheckArgs {
    /// Graph files, or files of test cases (`my.test.yaml`)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Also report whether the graph file can continue this thread, without running it: a thread id or a prefix of it
    #[arg(long, value_name = "THREAD")]
    against: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    CheckArgs::augment_args(Command::new("check"))
        .about("Report every defect of graph files, with its position and a hint")
        .after_help("Exit codes: 0 no defects, 1 defects, or a thread that the graph cannot continue, 2 a file cannot be read")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = CheckArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let mut worst = Exit::Done;
    for file in &args.files {
        match check_file(session, file) {
            Ok(summary) => {
                session.printer.progress(format_args!("{}: no defects ({summary})", file.display()));
                if let Some(thread) = &args.against {
                    worst = worst.max(compare_with_thread(session, file, thread, &args.store));
                }
            }
            Err(failure) => {
                session.printer.failure(&failure);
                worst = worst.max(match &failure.cause {
                    FailureCause::Defects(defects) => {
                        session.printer.progress(defect_count(file, defects.list().len()));
                        Exit::NotAccepted
                    }
                    FailureCause::Error(_) => Exit::Error,
                });
            }
        }
    }
    worst
}

/// Checks if a graph file can continue a thread, prints the differences, and returns the exit code: done,
/// not accepted or error.
fn compare_with_thread(session: &Session, file: &Path, thread: &str, store: &StoreArgs) -> Exit {
    let compared = block_on(async {
        let mut setting = session.setting(store.open()?);
        let found = resolve(setting.store.as_ref(), thread).await?;
        let definition = graph_file::read(file)?;
        let host = match definition.state_name() {
            None => declared::load(file)?.viewer(&setting)?,
            Some(state) => {
                setting.graph = Some(file.to_owned());
                session.workflow(state)?.viewer(&setting)?
            }
        };
        Ok(host.fit(&found.thread).await?)
    });
    match compared {
        Ok(fit) => {
            print_fit(session, file, &fit);
            if fit.can_resume() { Exit::Done } else { Exit::NotAccepted }
        }
        Err(failure) => {
            session.printer.failure(&failure);
            Exit::Error
        }
    }
}

/// Prints the differences between a graph file and a thread that it is to continue, and the nodes that a
/// resume would run.
fn print_fit(session: &Session, file: &Path, fit: &ThreadFit) {
    let printer = &session.printer;
    for misfit in &fit.findings {
        let weight = if misfit.is_refused() { "error" } else { "note" };
        printer.say(format_args!("{weight}: {misfit}"));
    }
    let thread = &fit.checkpoint.thread;
    let next = match (fit.next.as_slice(), fit.questions) {
        _ if !fit.can_resume() => format!("{} would refuse thread {thread}", file.display()),
        ([], _) => format!("thread {thread} is done: nothing would run"),
        (next, 0) => format!("thread {thread} would continue with `{}`", next.join("`, `")),
        (next, asked) => {
            let asked = count_of(asked, "open question");
            format!("thread {thread} would continue with `{}` ({asked})", next.join("`, `"))
        }
    };
    printer.progress(format_args!("{next}"));
    if !fit.can_resume() {
        printer.say(format_args!(
            "hint: restore the old names of nodes and channels, resume with the file that the thread began with, or start a new thread"
        ));
    }
}

/// Checks a graph file, or a test-case file against its graph. Returns a short summary, such as `3 nodes, 4
/// edges`; defects are an error.
fn check_file(session: &Session, file: &Path) -> Result<String, Failure> {
    let text = graph_file::read_bytes(file)?;
    if graph_file::graph_of(file).is_some() || is_test_file(&text) {
        let Some(graph) = graph_file::graph_of(file) else {
            return Err(Failure::new(
                format!("{} holds test cases, but its name does not end in `.test.yaml`", file.display()),
                "name it `my.test.yaml` to test `my.yaml` in the same directory",
            ));
        };
        let graph = graph_file::read(&graph)?;
        let cases = parse_cases(text, file.display().to_string(), &graph)?;
        return Ok(count_of(cases.cases.len(), "case"));
    }
    let definition = Definition::parse(text, file.display().to_string())?;
    let graph = graph_file::topology(session, &definition)?;
    let (nodes, edges) = (count_of(graph.nodes.len(), "node"), count_of(graph.edges.len(), "edge"));
    Ok(format!("{nodes}, {edges}"))
}

fn count_of(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn defect_count(file: &Path, count: usize) -> String {
    format!("{}: {}", file.display(), count_of(count, "defect"))
}
