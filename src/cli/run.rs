//! `run`: a new run of a workflow, or one that continues the thread which the user named.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Program;
use super::arguments::{given, with_arguments};
use super::declared::{self, Named};
use super::exit::{EXIT_CODES, Exit};
use super::failure::Failure;
use super::follow::Follow;
use super::graph_file;
use super::next_command::Continuation;
use super::options::RunArgs;
use super::resume::SAID_AGAIN;
use super::session::{Session, block_on};
use crate::engine::{
    CheckpointStore, HistoryEntry, HistoryQuery, HostStart, Question, RunError, StoreError, ThreadId,
    open_questions,
};
use crate::llm::Tape;
use crate::workflows::{Argument, ArgumentKind, Begin, Continued, Given, Prepared, Setting, Workflow};

#[derive(Args)]
struct Run {
    /// The thread's id; of a graph file, one that exists is continued with the new input [default: made from the input, so that the same input gives the same bytes; of doc-phases with the time]
    #[arg(long, value_name = "ID", help_heading = "Run options")]
    thread: Option<ThreadId>,
    /// With --thread: start over also when the thread waits for an answer; its question is dropped
    #[arg(long, requires = "thread", help_heading = "Run options")]
    restart: bool,
    #[command(flatten)]
    shared: RunArgs,
}

/// `graph run <workflow>`: one sub-command a workflow, or `ard run`, where it is fixed.
pub(super) fn command(
    program: Program,
    catalogue: &[Box<dyn Workflow>],
    declared: Option<&Named>,
) -> Command {
    let of = |name: &str, workflow: &dyn Workflow| {
        let command = with_arguments(Command::new(name.to_owned()), &workflow.arguments());
        Run::augment_args(command).about(workflow.about().to_owned()).after_help(EXIT_CODES)
    };
    match program.only() {
        Some(only) => {
            let workflow = catalogue.iter().find(|workflow| workflow.name() == only);
            let workflow = workflow.expect("a program's own workflow is in the catalogue");
            of("run", workflow.as_ref())
        }
        None => Command::new("run")
            .about("Run a workflow or a graph file")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand_value_name("WORKFLOW|FILE")
            .subcommand_help_heading("Workflows")
            .after_help("`graph run WORKFLOW --help` lists what a workflow takes, `graph run FILE --help` the inputs of a graph file")
            // An unknown workflow is told by `Session::workflow`, which knows what is near.
            .allow_external_subcommands(true)
            .subcommands(catalogue.iter().map(|workflow| of(workflow.name(), workflow.as_ref())))
            .subcommands(declared.map(|named| of(&named.path, &named.workflow).hide(true))),
    }
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let (name, matches) = match session.program.only() {
        Some(only) => (only, matches),
        None => matches.subcommand().expect("clap asks for a workflow"),
    };
    let workflow: &dyn Workflow = match &session.declared {
        Some(named) if named.path == name => &named.workflow,
        _ if graph_file::looks_like_one(Path::new(name)) => {
            // It could not be read before; say why.
            declared::of(Path::new(name))?;
            return Err(Failure::new(format!("`{name}` was not read"), "type it right after `graph run`"));
        }
        _ => session.workflow(name)?,
    };
    let args = Run::from_arg_matches(matches).expect("clap has checked what it describes");
    let given = session.with_stdin(given(&workflow.arguments(), matches));
    let setting = args.shared.setting(session)?;
    block_on(async {
        if let Some(exit) = on_thread(session, workflow, &args, &given, &setting).await? {
            return Ok(exit);
        }
        let prepared = workflow.prepare(&given, &setting)?;
        let id = recorded(args.thread.as_ref().unwrap_or(&prepared.thread), &setting.tape)?;
        let prepared = if args.thread.is_none() { Prepared { thread: id, ..prepared } } else { prepared };
        start(session, workflow, &args, &given, prepared, setting.store.as_ref()).await
    })
}

/// Continues the thread that the user named with the new input; refuses where that would drop a question. None where there is no such
/// thread, or where the workflow starts over on one.
async fn on_thread(
    session: &Session,
    workflow: &dyn Workflow,
    args: &Run,
    given: &Given,
    setting: &Setting,
) -> Result<Option<Exit>, Failure> {
    let Some(thread) = &args.thread else { return Ok(None) };
    let Some(newest) = newest(setting.store.as_ref(), thread).await? else { return Ok(None) };
    let follow =
        || Follow::new(session, workflow, args.shared.output(), continuation(session, workflow, args, given));
    if !(args.restart || open_questions(&newest.tasks).is_empty()) {
        let open = workflow.viewer(setting)?.state(thread, None).await?.questions;
        let open: Vec<Question> = open.into_iter().map(Question::from).collect();
        session.printer.say(format_args!("nothing was run: that would drop a question of thread {thread}"));
        follow()?.waiting(&open, &continuation(session, workflow, args, given).resume(thread));
        session.printer.say("with `--restart` it starts over, and the question is dropped");
        return Ok(Some(Exit::Waiting));
    }
    let Some(Continued { host, update }) = workflow.continued(given, setting)? else { return Ok(None) };
    recorded(thread, &setting.tape)?;
    let request = args.shared.request(HostStart::Continue { thread: thread.clone(), update });
    let follow = follow()?;
    let followed = follow.run(host.as_ref(), request, None).await?;
    follow.end(followed).map(Some)
}

/// What the user types to go on.
fn continuation(session: &Session, workflow: &dyn Workflow, args: &Run, given: &Given) -> Continuation {
    Continuation::new(session.program, &args.shared, given.path("config").as_deref())
        .writing_to(typed_output(workflow, given).as_deref())
        .saying(given, &SAID_AGAIN)
}

async fn start(
    session: &Session,
    workflow: &dyn Workflow,
    args: &Run,
    given: &Given,
    prepared: Prepared,
    store: &dyn CheckpointStore,
) -> Result<Exit, Failure> {
    let next = continuation(session, workflow, args, given);
    let Prepared { host, state, thread: derived, begin, notes } = prepared;
    notes.iter().for_each(|note| session.printer.progress(note));
    if begin == Begin::WhereItStands && newest(store, &derived).await?.is_some() {
        let follow = Follow::new(session, workflow, args.shared.output(), next)?;
        let request = args.shared.request(HostStart::Resume { thread: derived, at: None });
        let followed = follow.run(host.as_ref(), request, None).await?;
        return follow.end(followed);
    }
    if args.thread.is_none() {
        tell_unfinished(session, store, &derived, &next).await?;
    }
    let thread = args.thread.clone().unwrap_or(derived);
    let follow = Follow::new(session, workflow, args.shared.output(), next)?;
    let request =
        |thread| args.shared.request(HostStart::Input { state: state.clone(), thread: Some(thread) });
    let mut followed = follow.run(host.as_ref(), request(thread), None).await?;
    if let (Some(RunError::Store(StoreError::Busy { holder, .. })), None) = (followed.error(), &args.thread) {
        session.printer.progress(format_args!(
            "the same input is being run by {holder}; this run gets a thread of its own"
        ));
        followed = follow.run(host.as_ref(), request(ThreadId::random()), None).await?;
    }
    follow.end(followed)
}

/// The file that the user named for the result. It is said again on a resume, because a path in a checkpoint is only found there.
fn typed_output(workflow: &dyn Workflow, given: &Given) -> Option<PathBuf> {
    let is_option = |argument: &Argument<'_>| {
        argument.name == "output" && matches!(argument.kind, ArgumentKind::Option(_))
    };
    workflow.arguments().iter().any(is_option).then(|| given.path("output"))?
}

/// The thread of the run, through its tape.
fn recorded(id: &ThreadId, tape: &Tape) -> Result<ThreadId, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(
            format!("the recording: {error}"),
            "a recording is a file of JSON lines that `--record FILE` wrote",
        )
    };
    let id = tape.id(&id.to_string()).map_err(|kind| failed(&kind))?;
    ThreadId::new(&id).map_err(|error| failed(&error))
}

/// The newest checkpoint of a thread, if the store has it, with what its tasks left.
async fn newest(store: &dyn CheckpointStore, thread: &ThreadId) -> Result<Option<HistoryEntry>, Failure> {
    let query = HistoryQuery::default().limit(1);
    Ok(store.history(thread, &query).await?.into_iter().next())
}

/// Says how to continue an unfinished run of the same input, for the run that begins now takes its place.
async fn tell_unfinished(
    session: &Session,
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    next: &Continuation,
) -> Result<(), Failure> {
    let newest = newest(store, thread).await?.map(|newest| newest.checkpoint);
    let Some(newest) = newest.filter(|newest| !newest.next.is_empty()) else { return Ok(()) };
    let checkpoint = newest.id(thread);
    session.printer.progress("an earlier run of the same input was not finished; this one starts over");
    if session.printer.says_progress() {
        session.printer.command("to continue the earlier one instead", &next.resume(checkpoint));
    }
    Ok(())
}
