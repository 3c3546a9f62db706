//! The command `run`: starts a run of a workflow or a graph file, or continues the thread that `--thread` names.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Program;
use super::arguments::{add_arguments, read_given};
use super::converse::{EarlierRun, Interaction};
use super::declared::{self, NamedGraphFile};
use super::exit::{EXIT_CODES, Exit};
use super::failure::Failure;
use super::follow::RunFollower;
use super::graph_file;
use super::next_command::ResumeCommand;
use super::options::{CommonRunArgs, OutputMode};
use super::resume::REPEATED_OPTIONS;
use super::session::Session;
use super::store::ThreadTarget;
use crate::engine::{
    CheckpointId, CheckpointStore, HistoryEntry, HistoryQuery, HostStart, Question, RunError, StoreError,
    ThreadId, open_questions,
};
use crate::llm::Tape;
use crate::workflows::{
    ArgValues, Argument, ArgumentKind, ContinuedRun, PlaceInGroup, PreparedRun, RunStart, Setting, Workflow,
};

/// Arguments of a run besides those of its workflow.
#[derive(Args)]
pub(super) struct RunArgs {
    /// Thread id; an existing thread of a graph file is continued with the new input [default: derived from the input, so that the same input gives the same bytes; for doc-phases from the start time too]
    #[arg(long, value_name = "ID", help_heading = "Run options")]
    pub(super) thread: Option<ThreadId>,
    /// Start over even if a run of this input, or the thread of --thread, waits for an answer; its question is dropped
    #[arg(long, help_heading = "Run options")]
    pub(super) restart: bool,
    #[command(flatten)]
    pub(super) common: CommonRunArgs,
}

/// Returns the clap definitions: for `graph` the command `run` with a subcommand per workflow and one for
/// the named graph file, for `ard` its commands, each with the arguments of its workflow.
pub(super) fn commands(
    program: Program,
    catalogue: &[Box<dyn Workflow>],
    graph_file: Option<&NamedGraphFile>,
) -> Vec<Command> {
    let definition = |name: &str, workflow: &dyn Workflow| {
        let command = add_arguments(Command::new(name.to_owned()), &workflow.arguments());
        RunArgs::augment_args(command).about(workflow.about().to_owned()).after_help(EXIT_CODES)
    };
    match program.own_commands() {
        Some(own) => own
            .iter()
            .map(|command| {
                let workflow = catalogue.iter().find(|workflow| workflow.name() == command.workflow);
                let workflow = workflow.expect("a program's own workflow is in the catalogue");
                definition(command.name, workflow.as_ref())
            })
            .collect(),
        None => vec![Command::new("run")
            .about("Run a workflow or a graph file")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .subcommand_value_name("WORKFLOW|FILE")
            .subcommand_help_heading("Workflows")
            .after_help("`graph run WORKFLOW --help` lists the arguments of a workflow, `graph run FILE --help` the inputs of a graph file")
            // Unknown names are accepted here, because the error of `Session::workflow` suggests a similar name.
            .allow_external_subcommands(true)
            .subcommands(workflow_commands(catalogue, &definition))
            .subcommands(graph_file.map(|named| definition(&named.path, &named.workflow).hide(true)))],
    }
}

/// Returns a clap command for each workflow outside of groups, and one for each group, with its workflows
/// as subcommands.
fn workflow_commands(
    catalogue: &[Box<dyn Workflow>],
    definition: &dyn Fn(&str, &dyn Workflow) -> Command,
) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    for workflow in catalogue {
        let Some(place) = workflow.place_in_group() else {
            commands.push(definition(workflow.name(), workflow.as_ref()));
            continue;
        };
        let own = definition(place.word, workflow.as_ref());
        match commands.iter().position(|command| command.get_name() == place.group) {
            Some(known) => {
                let group = commands.remove(known).subcommand(own);
                commands.insert(known, group);
            }
            None => commands.push(
                Command::new(place.group)
                    .about(place.about)
                    .subcommand_required(true)
                    .arg_required_else_help(true)
                    .disable_help_subcommand(true)
                    .subcommand(own),
            ),
        }
    }
    commands
}

/// Returns the name of the workflow that the user typed, in one word or as group and word, and its clap
/// matches.
fn typed_workflow<'a>(
    catalogue: &'a [Box<dyn Workflow>],
    name: &'a str,
    matches: &'a ArgMatches,
) -> (&'a str, &'a ArgMatches) {
    let Some((word, own)) = matches.subcommand() else { return (name, matches) };
    let is_typed = |place: PlaceInGroup| place.group == name && place.word == word;
    match catalogue.iter().find(|workflow| workflow.place_in_group().is_some_and(is_typed)) {
        Some(workflow) => (workflow.name(), own),
        None => (name, matches),
    }
}

/// Executes the command `command` (`run` or `review`): finds the workflow, then continues a thread or
/// starts a run.
pub(super) fn execute(command: &str, matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let own = session.program.own_commands().map(|own| own.iter().find(|it| it.name == command));
    let (name, matches) = if let Some(own) = own.flatten() {
        (own.workflow, matches)
    } else {
        let (name, matches) = matches.subcommand().expect("clap requires a workflow");
        typed_workflow(&session.catalogue, name, matches)
    };
    let workflow: &dyn Workflow = match &session.graph_file {
        Some(named) if named.path == name => &named.workflow,
        _ if graph_file::has_graph_extension(Path::new(name)) => {
            // Loading the file failed before the arguments were parsed; repeat it to get the error.
            declared::load(Path::new(name))?;
            return Err(Failure::new(
                format!("the inputs of `{name}` were not read"),
                "type the file right after `graph run`",
            ));
        }
        _ => session.workflow(name)?,
    };
    let args = RunArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let given = session.with_stdin(read_given(&workflow.arguments(), matches));
    let setting = args.common.setting(session)?;
    session.block_on(async {
        if let Some(thread) = &args.thread
            && let Some(exit) = continue_thread(session, workflow, thread, &args, &given, &setting).await?
        {
            return Ok(exit);
        }
        let prepared = workflow.prepare(&given, &setting)?;
        if prepared.begin == RunStart::WithContinuation
            && args.thread.is_none()
            && let Some(exit) =
                continue_thread(session, workflow, &prepared.thread, &args, &given, &setting).await?
        {
            return Ok(exit);
        }
        let id = record_thread_id(args.thread.as_ref().unwrap_or(&prepared.thread), &setting.tape)?;
        let prepared = if args.thread.is_none() { PreparedRun { thread: id, ..prepared } } else { prepared };
        start(session, workflow, &args, &given, prepared, &setting).await
    })
}

/// Runs the graph of an existing thread again, with the new input. If that would drop an open question, the
/// questions are printed instead, unless `--restart` is given. Returns `None` if the store does not have
/// the thread, or if the workflow does not continue threads.
pub(super) async fn continue_thread(
    session: &Session,
    workflow: &dyn Workflow,
    thread: &ThreadId,
    args: &RunArgs,
    given: &ArgValues,
    setting: &Setting,
) -> Result<Option<Exit>, Failure> {
    let Some(newest) = load_newest(setting.store.as_ref(), thread).await? else { return Ok(None) };
    let resume_command = || resume_command(session, workflow, args, given);
    let follower = || RunFollower::new(session, workflow, args.common.output_mode(), resume_command());
    if !(args.restart || open_questions(&newest.tasks).is_empty()) {
        return keep_questions(session, &follower()?, thread, &resume_command(), setting).await.map(Some);
    }
    let Some(ContinuedRun { host, update }) = workflow.prepare_continuation(given, setting)? else {
        return Ok(None);
    };
    record_thread_id(thread, &setting.tape)?;
    let request = args.common.request(HostStart::Continue { thread: thread.clone(), update });
    let follower = follower()?;
    let finished = follower.run(host.as_ref(), request, None).await?;
    follower.finish_asking(host.as_ref(), &args.common, finished).await.map(Some)
}

/// Prints the open questions of a thread, each with the command that answers it, in place of a run that
/// would drop them. Returns the exit code for waiting.
async fn keep_questions(
    session: &Session,
    follower: &RunFollower<'_>,
    thread: &ThreadId,
    next: &ResumeCommand,
    setting: &Setting,
) -> Result<Exit, Failure> {
    // Another workflow may own the thread, such as the one whose conversation goes on.
    let owner = ThreadTarget::find(session, setting.store.as_ref(), thread.as_str()).await?;
    let open = owner.viewer(setting)?.state(thread, None).await?.questions;
    let open: Vec<Question> = open.into_iter().map(Question::from).collect();
    session.printer.say(format_args!("nothing was run: that would drop a question of thread {thread}"));
    follower.print_questions(&open, &next.for_id(thread));
    session.printer.say("with `--restart` the question is dropped");
    Ok(Exit::Waiting)
}

/// Returns the command line that continues this run later, with the options that must be repeated.
fn resume_command(
    session: &Session,
    workflow: &dyn Workflow,
    args: &RunArgs,
    given: &ArgValues,
) -> ResumeCommand {
    ResumeCommand::new(session.program, &args.common, given.path("config").as_deref())
        .with_output(typed_output(workflow, given).as_deref())
        .with_options(given, &REPEATED_OPTIONS)
}

/// Starts the prepared run on a new thread, or resumes the unfinished run of the same input, if the
/// workflow or the user wants that.
async fn start(
    session: &Session,
    workflow: &dyn Workflow,
    args: &RunArgs,
    given: &ArgValues,
    prepared: PreparedRun,
    setting: &Setting,
) -> Result<Exit, Failure> {
    let store = setting.store.as_ref();
    let next = resume_command(session, workflow, args, given);
    let PreparedRun { host, state, thread: derived, begin, notes, durability } = prepared;
    notes.iter().for_each(|note| session.printer.progress(note));
    if begin == RunStart::WhereItStands && args.restart {
        return Err(Failure::new(
            "`--restart` begins anew, and `--resume` goes on with an unfinished session",
            "leave out one of them",
        ));
    }
    if begin == RunStart::WhereItStands && load_newest(store, &derived).await?.is_some() {
        let follower = RunFollower::new(session, workflow, args.common.output_mode(), next)?;
        let request = args.common.request(HostStart::Resume { thread: derived, at: None });
        let finished = follower.run(host.as_ref(), request, None).await?;
        return follower.finish_asking(host.as_ref(), &args.common, finished).await;
    }
    let follower = RunFollower::new(session, workflow, args.common.output_mode(), next.clone())?;
    if args.thread.is_none()
        && !args.restart
        && let Some(earlier) = find_unfinished(store, &derived).await?
    {
        if earlier.is_waiting && !can_ask(session, &follower) {
            return keep_questions(session, &follower, &derived, &next, setting).await;
        }
        let earlier = earlier.checkpoint;
        match decide_on_earlier(session, &follower, &earlier, &next).await {
            EarlierRun::Replaced => {}
            EarlierRun::Left => return Ok(Exit::Stopped),
            EarlierRun::Continued => {
                let stored = workflow.viewer(setting)?.state(&derived, None).await?.state;
                let host = workflow.restore(given, setting, &stored)?;
                let request = args.common.request(HostStart::Resume { thread: derived, at: None });
                let finished = follower.run(host.as_ref(), request, Some(earlier)).await?;
                return follower.finish_asking(host.as_ref(), &args.common, finished).await;
            }
        }
    }
    let thread = args.thread.clone().unwrap_or(derived);
    let request = |thread| {
        let start = HostStart::Input { state: state.clone(), thread: Some(thread) };
        args.common.request(start).durability(args.common.durability_or(durability))
    };
    let mut finished = follower.run(host.as_ref(), request(thread), None).await?;
    if let (Some(RunError::Store(StoreError::Busy { holder, .. })), None) = (finished.error(), &args.thread) {
        session.printer.progress(format_args!(
            "the same input is being run by {holder}; this run gets a thread of its own"
        ));
        finished = follower.run(host.as_ref(), request(ThreadId::random()), None).await?;
    }
    follower.finish_asking(host.as_ref(), &args.common, finished).await
}

/// Returns the path of `--output` if the workflow has that option and the user gave it. The resume command
/// repeats it, because a path from a checkpoint is not trusted like a typed one.
fn typed_output(workflow: &dyn Workflow, given: &ArgValues) -> Option<PathBuf> {
    let is_option = |argument: &Argument<'_>| {
        argument.name == "output" && matches!(argument.kind, ArgumentKind::Option(_))
    };
    workflow.arguments().iter().any(is_option).then(|| given.path("output"))?
}

/// Records the thread id on the tape and returns it; in a replay, returns the recorded id instead.
fn record_thread_id(id: &ThreadId, tape: &Tape) -> Result<ThreadId, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(
            format!("cannot use the recording: {error}"),
            "a recording is a file of JSON lines that `--record FILE` wrote",
        )
    };
    let id = tape.id(&id.to_string()).map_err(|kind| failed(&kind))?;
    ThreadId::new(&id).map_err(|error| failed(&error))
}

/// Loads the newest checkpoint of a thread with its task records; `None` if the store does not have the
/// thread.
async fn load_newest(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<HistoryEntry>, Failure> {
    let query = HistoryQuery::default().limit(1);
    Ok(store.history(thread, &query).await?.into_iter().next())
}

/// An earlier run of the same input that did not finish, on the thread that a new run would use.
struct UnfinishedRun {
    /// Its newest checkpoint.
    checkpoint: CheckpointId,
    /// True if it waits for answers.
    is_waiting: bool,
}

/// Returns the unfinished run of a thread; `None` if the thread is finished or does not exist.
async fn find_unfinished(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<UnfinishedRun>, Failure> {
    let newest = load_newest(store, thread).await?;
    let unfinished = newest.filter(|newest| !newest.checkpoint.next.is_empty());
    Ok(unfinished.map(|newest| UnfinishedRun {
        checkpoint: newest.checkpoint.id(thread),
        is_waiting: !open_questions(&newest.tasks).is_empty(),
    }))
}

/// Returns true if the program can ask the user: it runs in a terminal, and standard output does not show
/// events.
fn can_ask(session: &Session, follower: &RunFollower<'_>) -> bool {
    session.interaction == Interaction::Terminal && follower.output == OutputMode::Result
}

/// Decides about an unfinished run of the same input: asks in the terminal, or without one replaces it and
/// prints the command that continues it. `next` builds that command.
async fn decide_on_earlier(
    session: &Session,
    follower: &RunFollower<'_>,
    earlier: &CheckpointId,
    next: &ResumeCommand,
) -> EarlierRun {
    let printer = &session.printer;
    if can_ask(session, follower) {
        let decided = follower.ask_about_earlier(&earlier.to_string()).await;
        if decided == EarlierRun::Left {
            printer.command("nothing was run; to continue", &next.for_id(&earlier.thread));
        }
        return decided;
    }
    printer.progress("an earlier run of the same input was not finished; this one starts over");
    if printer.shows_progress() {
        printer.command("to continue the earlier one instead", &next.for_id(earlier));
    }
    EarlierRun::Replaced
}
