//! The command `continue`: runs the graph of a thread again from its start, with the state of the thread
//! and new input. `resume.rs` instead continues a thread at the point where it stopped.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::Catalogue;
use super::arguments::{add_arguments, read_given};
use super::declared;
use super::exit::{EXIT_CODES, Exit};
use super::failure::Failure;
use super::options::{CommonRunArgs, StoreArgs};
use super::run::{RunArgs, continue_thread};
use super::session::{Session, block_on};
use super::store::{ThreadOwner, ThreadTarget};
use crate::store::resolve;
use crate::workflows::{Argument, ArgumentKind, Declared, Workflow};

/// Options of `continue` besides the inputs of the graph.
#[derive(Args)]
struct ContinueArgs {
    /// Run even if the thread waits for an answer; its question is dropped
    #[arg(long, help_heading = "Run options")]
    restart: bool,
    #[command(flatten)]
    common: CommonRunArgs,
}

/// The thread that the command line of `continue` names, with its graph, found before clap parses the line,
/// because the inputs of the graph are options of the command.
pub(super) struct NamedThread {
    /// The id as the user typed it.
    typed: String,
    graph: ThreadGraph,
}

/// The graph that a [`NamedThread`] runs.
enum ThreadGraph {
    /// A workflow of the catalogue, by name.
    Workflow(String),
    /// A graph file.
    File(Box<Declared>),
}

impl NamedThread {
    /// Finds the thread of the command line `graph continue THREAD …`, and its graph. Returns `None` for
    /// other commands, and if the thread or its graph cannot be read; the command reports that error when
    /// it runs.
    pub(super) fn find_in(arguments: &[OsString]) -> Option<Self> {
        let typed = typed_thread(arguments)?;
        let store = StoreArgs::find_in(arguments).open().ok()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let graph = runtime.block_on(async {
            let found = resolve(store.as_ref(), typed).await.ok()?;
            let lineage = store.load(&found.thread, found.seq).await.ok()??;
            let origin =
                lineage.chain.first().and_then(|first| first.snapshot.as_deref()).and_then(Declared::origin);
            Some(match origin {
                Some(origin) => ThreadGraph::File(Box::new(declared::load(origin.file.as_ref()).ok()?)),
                None => ThreadGraph::Workflow(lineage.tip().name.as_ref().to_owned()),
            })
        })?;
        Some(Self { typed: typed.to_owned(), graph })
    }

    /// Returns the workflow that runs the thread; `None` if the catalogue does not have it.
    fn workflow<'a>(&'a self, catalogue: &'a Catalogue) -> Option<&'a dyn Workflow> {
        match &self.graph {
            ThreadGraph::File(workflow) => Some(workflow.as_ref()),
            ThreadGraph::Workflow(name) => {
                catalogue.iter().find(|workflow| workflow.name() == name).map(AsRef::as_ref)
            }
        }
    }

    /// Returns the hidden clap subcommand that is named like the thread and has the inputs of its graph as
    /// options; `None` if its workflow is unknown.
    fn command(&self, catalogue: &Catalogue) -> Option<Command> {
        let workflow = self.workflow(catalogue)?;
        let arguments: Vec<Argument<'_>> = workflow.arguments().into_iter().map(optional).collect();
        let command = add_arguments(Command::new(self.typed.clone()), &arguments);
        let about = format!("Run `{}` again on the state of this thread, with new input", workflow.name());
        let answer = Arg::new(ANSWER).long(ANSWER).value_name("JSON").hide(true);
        let command = ContinueArgs::augment_args(command).arg(answer);
        Some(command.about(about).after_help(EXIT_CODES).hide(true))
    }
}

/// Returns an input argument made optional, without a default: an input that is not given keeps the value
/// that it has in the thread.
fn optional(argument: Argument<'_>) -> Argument<'_> {
    match argument.kind {
        ArgumentKind::Input { value, .. } => {
            Argument { kind: ArgumentKind::Input { value, default: Some(&Value::Null) }, ..argument }
        }
        _ => argument,
    }
}

/// Name of an option of `resume` that users type here by mistake; it is accepted so that the error can
/// explain that.
const ANSWER: &str = "answer";

/// Returns the word behind the command `continue`, which is the thread; `None` for other commands.
fn typed_thread(arguments: &[OsString]) -> Option<&str> {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let mut words = words.filter(|word| !word.starts_with('-'));
    words.next().filter(|command| *command == "continue").and_then(|_| words.next())
}

/// Returns the clap definition of the command. `named` adds a subcommand with the inputs of the thread's
/// graph.
pub(super) fn command(catalogue: &Catalogue, named: Option<&NamedThread>) -> Command {
    Command::new("continue")
        .about("Run a graph again on the state of a thread, with new input")
        .override_usage("graph continue <THREAD> [INPUTS] [OPTIONS]")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand_value_name("THREAD")
        .after_help(
            "The run begins at the start of the graph. Inputs pass through the reducers of their channels; the other channels keep their \
             values. `graph continue THREAD --help` lists the inputs. For a graph file it is `graph run FILE --thread THREAD`.\n\n\
             `graph resume THREAD` takes no input: it goes on where the thread stands, and takes answers to its questions.",
        )
        // The error for an unknown thread is that of the other commands.
        .allow_external_subcommands(true)
        .subcommands(named.and_then(|named| named.command(catalogue)))
}

pub(super) fn execute(
    matches: &ArgMatches,
    session: &Session,
    named: Option<&NamedThread>,
) -> Result<Exit, Failure> {
    let (typed, own) = matches.subcommand().expect("clap requires a thread");
    let is_known =
        named.is_some_and(|named| named.typed == typed && named.workflow(&session.catalogue).is_some());
    if !is_known {
        return Err(block_on(find_error(session, typed, own)).unwrap_or_else(|failure| failure));
    }
    if own.get_one::<String>(ANSWER).is_some() {
        return Err(Failure::new(
            "`continue` begins again with new input and takes no answer",
            format!("to answer: `graph resume {typed} --answer JSON`"),
        ));
    }
    let ContinueArgs { restart, common } =
        ContinueArgs::from_arg_matches(own).expect("clap has validated these arguments");
    let setting = common.setting(session)?;
    session.block_on(async {
        let target = ThreadTarget::find(session, setting.store.as_ref(), typed).await?;
        if target.seq.is_some() {
            return Err(Failure::new(
                format!("`{typed}` is a checkpoint, and new input goes to the newest state of a thread"),
                format!("go back to it first: `graph fork {typed}`"),
            ));
        }
        let workflow = target.owner.workflow();
        let given = session.with_stdin(read_given(&workflow.arguments(), own));
        let args = RunArgs { thread: Some(target.thread.clone()), restart, common: common.clone() };
        let ended = continue_thread(session, workflow, &target.thread, &args, &given, &setting).await?;
        ended.ok_or_else(|| {
            let name = workflow.name();
            Failure::new(
                format!("`{name}` takes no new input on a thread that exists"),
                format!("to go on where it stands: `graph resume {typed}`; a new run: `graph run {name} …`"),
            )
        })
    })
}

/// Returns the error for a thread whose inputs could not be read: a damaged store, an invalid graph file,
/// or a wrong order of words.
async fn find_error(session: &Session, typed: &str, own: &ArgMatches) -> Result<Failure, Failure> {
    let words: Vec<OsString> = own.get_many("").into_iter().flatten().cloned().collect();
    let store = StoreArgs::find_in(&words).open()?;
    let target = ThreadTarget::find(session, store.as_ref(), typed).await?;
    if let ThreadOwner::Declared(workflow) = &target.owner {
        crate::kinds::graph(workflow.definition())?;
    }
    let hint = "type the thread right after `graph continue`, before its inputs";
    Ok(Failure::new(format!("the inputs of thread `{}` were not read", target.thread), hint))
}
