//! `check`: everything that is wrong with graph files and files of cases, each with its place.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::declared;
use super::exit::Exit;
use super::failure::{Failure, What};
use super::graph_file;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use crate::definition::{Definition, is_test_file};
use crate::engine::ThreadFit;
use crate::kinds::cases::parse_cases;
use crate::store::resolve;
use crate::workflows::Workflow;

#[derive(Args)]
struct Check {
    /// Graph files, and files of cases (`my.test.yaml`)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Also show what the graph file would make of this thread, without running it: a thread, or the beginning of its id
    #[arg(long, value_name = "THREAD")]
    against: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    Check::augment_args(Command::new("check"))
        .about("Show every defect of graph files, with place and hint")
        .after_help("Exit codes: 0 no defects, 1 defects or a thread that the graph would refuse, 2 a file cannot be read")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = Check::from_arg_matches(matches).expect("clap has checked what it describes");
    let mut worst = Exit::Done;
    for file in &args.files {
        match checked(session, file) {
            Ok(what) => {
                session.printer.progress(format_args!("{}: no defects ({what})", file.display()));
                if let Some(thread) = &args.against {
                    worst = worst.max(against(session, file, thread, &args.store));
                }
            }
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

/// Shows what a graph file would make of a thread.
fn against(session: &Session, file: &Path, thread: &str, store: &StoreArgs) -> Exit {
    let compared = block_on(async {
        let mut setting = session.setting(store.open()?);
        let found = resolve(setting.store.as_ref(), thread).await?;
        let definition = graph_file::read(file)?;
        let host = match definition.state_name() {
            None => declared::of(file)?.viewer(&setting)?,
            Some(state) => {
                setting.graph = Some(file.to_owned());
                session.workflow(state)?.viewer(&setting)?
            }
        };
        Ok(host.fit(&found.thread).await?)
    });
    match compared {
        Ok(fit) => {
            tell(session, file, &fit);
            if fit.can_resume() { Exit::Done } else { Exit::NotAccepted }
        }
        Err(failure) => {
            session.printer.failure(&failure);
            Exit::Error
        }
    }
}

/// Says how a graph file and a thread fit: what differs, and what a resume would do.
fn tell(session: &Session, file: &Path, fit: &ThreadFit) {
    let printer = &session.printer;
    for misfit in &fit.findings {
        let weight = if misfit.is_refused() { "error" } else { "note" };
        printer.say(format_args!("{weight}: {misfit}"));
    }
    let thread = &fit.checkpoint.thread;
    let next = match (fit.next.as_slice(), fit.questions) {
        _ if !fit.can_resume() => format!("{} would refuse thread {thread}", file.display()),
        ([], _) => format!("thread {thread} is done: nothing would run"),
        (next, 0) => format!("thread {thread} would go on with `{}`", next.join("`, `")),
        (next, asked) => {
            let asked = counted(asked, "open question");
            format!("thread {thread} would go on with `{}` ({asked})", next.join("`, `"))
        }
    };
    printer.progress(format_args!("{next}"));
    if !fit.can_resume() {
        printer.say(format_args!(
            "hint: name nodes and channels as they were, continue with the file that the thread began with, or run the graph anew"
        ));
    }
}

/// Checks a graph file, or a file of cases against its graph. Returns what is in it, in a few words.
fn checked(session: &Session, file: &Path) -> Result<String, Failure> {
    let text = graph_file::bytes(file)?;
    if graph_file::graph_of(file).is_some() || is_test_file(&text) {
        let Some(graph) = graph_file::graph_of(file) else {
            return Err(Failure::new(
                format!("{} holds cases, and its name does not say of which graph", file.display()),
                "the cases of `my.yaml` stand in `my.test.yaml` beside it",
            ));
        };
        let graph = graph_file::read(&graph)?;
        let cases = parse_cases(text, file.display().to_string(), &graph)?;
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
