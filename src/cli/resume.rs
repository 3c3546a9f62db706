//! The command `resume`: continues a thread from its newest checkpoint, or from a named checkpoint.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::Program;
use super::answer::AnswerForm;
use super::exit::{EXIT_CODES, Exit};
use super::failure::Failure;
use super::follow::RunFollower;
use super::next_command::ResumeCommand;
use super::options::CommonRunArgs;
use super::session::Session;
use super::store::{ThreadOwner, ThreadTarget};
use crate::engine::{
    CheckpointStore, HistoryQuery, HostStart, OpenQuestion, QuestionId, TaskEntry, ThreadId,
};
use crate::workflows::{ArgValues, ReopenedState};

#[derive(Args)]
struct ResumeArgs {
    /// Thread id or a prefix of it, or a checkpoint (THREAD@N) [default: the newest unfinished thread]
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Answer an open question; QUESTION may be left out if only one is open
    #[arg(long = "answer", value_name = "[QUESTION=]JSON")]
    answers: Vec<String>,
    /// Configuration file with models and providers [default: ./config.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the result to this file instead of the run's own
    // The last one counts, because the command that a run prints may contain the option already.
    #[arg(long, value_name = "FILE", overrides_with = "output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: CommonRunArgs,
}

pub(super) fn command(program: Program) -> Command {
    let command = ResumeArgs::augment_args(Command::new("resume"))
        .about("Continue a run where it stopped; finished work is not repeated");
    match program {
        Program::Ard => command.args(debate_options(None)).after_help(EXIT_CODES),
        Program::Graph => {
            let command = command.args(graph_options()).args(debate_options(Some("Options for ard")));
            command.after_help(format!("{NO_INPUT}\n\n{EXIT_CODES}"))
        }
    }
}

/// Text in the help of `resume` that tells the difference to `continue`.
const NO_INPUT: &str = "Takes answers and no new input: `graph continue THREAD` runs the graph of a thread again, with new input";

/// Returns the options for resuming a debate of `ard`, such as other models after a wrong model name.
fn debate_options(heading: Option<&'static str>) -> [Arg; 8] {
    [
        option(
            "architect-model",
            "MODEL",
            "Model that drafts from now on [default: that of the run's --architect-model, else of the configuration file]",
        ),
        option("reviewer-model", "MODEL", "Model that reviews from now on [default: likewise]"),
        option("max-iterations", "N", "Maximum number of revisions, also of a debate that has ended"),
        option("draft", "FILE", "Review this draft next: JSON, as `current_draft` of the state"),
        option("max-tokens", "N", "Stop before a request once the debate has used N tokens"),
        option("max-cost", "USD", "Stop before a request once the debate has cost that much"),
        option("json-output", "FILE", "Also write the whole debate to this file, as JSON"),
        Arg::new("force")
            .long("force")
            .action(clap::ArgAction::SetTrue)
            .help("Overwrite a file that this program did not write, without keeping a copy"),
    ]
    .map(|option| option.help_heading(heading))
}

/// Returns the options that a resumed run of a graph file or of doc-phases takes anew: models, and values
/// that no checkpoint holds.
fn graph_options() -> [Arg; 7] {
    let heading = "Options for graph files and doc-phases";
    [
        option("model", "MODEL", "Model for doc-phases, and for nodes that name no model").short('m'),
        option("api-key", "KEY", "API key of the model's provider, for doc-phases").short('k'),
        option("embeddings", "MODEL", "Embedding model for semantic search in memory, for doc-phases"),
        option("allow-http", "HOST[,HOST]", "Hosts that a graph file may send requests to; `*` allows any"),
        option(
            "mcp",
            "FILE",
            "Servers of tools of a graph file or of a workflow [default for graph files: ./mcp.json when there]",
        ),
        option("limits", "NAME=SIZE[,…]", "Size limits of a graph file: template, value, state, checkpoint"),
        option("context", "JSON", "Values that a graph file declares under `context`, as for graph run"),
    ]
    .map(|option| option.help_heading(heading))
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = ResumeArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let given = args.add_paths(read_repeatable(matches));
    session.block_on(resume(session, &args, given))
}

async fn resume(session: &Session, args: &ResumeArgs, given: ArgValues) -> Result<Exit, Failure> {
    let setting = args.run.setting(session)?;
    let id = match &args.id {
        Some(id) => id.clone(),
        None => newest_unfinished(session, setting.store.as_ref()).await?,
    };
    let mut target = ThreadTarget::find(session, setting.store.as_ref(), &id).await?;
    let mut snapshot = target.snapshot(&target.viewer(&setting)?).await?;
    if let Some(ReopenedState { update, as_node }) =
        target.owner.workflow().reopen(&given, &setting, &snapshot.state)?
    {
        if target.seq.is_some() {
            let message = format!("`{id}` names a checkpoint, and the options change the thread");
            return Err(Failure::new(message, format!("go back to it first: `graph fork {id}`")));
        }
        target.viewer(&setting)?.update(&target.thread, update, as_node).await?;
        target = ThreadTarget::find(session, setting.store.as_ref(), target.thread.as_str()).await?;
        snapshot = target.snapshot(&target.viewer(&setting)?).await?;
    }
    let workflow = target.owner.workflow();
    let host = workflow.restore(&given, &setting, &snapshot.state)?;
    if target.checkpoint.next.is_empty() {
        session.printer.progress(format_args!("thread {} is finished: nothing is left to do", target.thread));
        if let ThreadOwner::Declared(_) = target.owner {
            let again = format!("graph continue {} --help", target.thread);
            session.printer.progress(format_args!("to run it again with new input, see `{again}`"));
        }
    }
    let next = ResumeCommand::new(session.program, &args.run, args.config.as_deref())
        .with_output(args.output.as_deref())
        .with_options(&given, &REPEATED_OPTIONS);
    let follower = RunFollower::new(session, workflow, args.run.output_mode(), next)?;
    let mut request = args.run.request(HostStart::Resume { thread: target.thread.clone(), at: target.seq });
    request.answers = parse_answers(&args.answers, &snapshot.questions)?;
    let is_open = |id: QuestionId| snapshot.questions.iter().any(|question| question.id == id);
    if let Some((gone, _)) = request.answers.iter().find(|(id, _)| !is_open(*id)) {
        return Err(explain_gone(setting.store.as_ref(), &target.thread, *gone, &snapshot.questions).await?);
    }
    let finished = follower.run(host.as_ref(), request, Some(target.id())).await?;
    follower.finish_asking(host.as_ref(), &args.run, finished).await
}

/// Returns the id of the newest unfinished, undamaged thread that this program can continue, and prints it.
/// Fails if there is none.
async fn newest_unfinished(session: &Session, store: &dyn CheckpointStore) -> Result<String, Failure> {
    let is_own = |graph: &str| session.program.runs(graph);
    let threads = store.threads().await?;
    let open =
        threads.into_iter().filter(|it| is_own(&it.graph) && !it.next.is_empty() && it.damage.is_none());
    let newest = open.max_by(|a, b| a.at_ms.cmp(&b.at_ms).then_with(|| b.thread.cmp(&a.thread)));
    let name = session.program.name();
    let Some(newest) = newest else {
        let hint = format!("`graph history` lists the threads; name one to continue it: `{name} resume ID`");
        return Err(Failure::new(format!("no thread in {} is unfinished", store.place()), hint));
    };
    session
        .printer
        .progress(format_args!("the newest unfinished thread is {} ({})", newest.thread, newest.graph));
    Ok(newest.thread.to_string())
}

impl ResumeArgs {
    /// Adds the values of `--config` and `--output` to the given arguments.
    fn add_paths(&self, given: ArgValues) -> ArgValues {
        let paths = [("config", &self.config), ("output", &self.output)];
        paths.into_iter().fold(given, |given, (name, path)| match path {
            Some(path) => given.with(name, path),
            None => given,
        })
    }
}

/// Options that the printed resume command repeats, because no checkpoint holds them or a resumed run takes
/// them anew. `api-key` is not among them, because it must not be printed.
pub(super) const REPEATED_OPTIONS: [&str; 11] = [
    "model",
    "embeddings",
    "architect-model",
    "reviewer-model",
    "allow-http",
    "mcp",
    "limits",
    "context",
    "max-tokens",
    "max-cost",
    "json-output",
];
/// Options that change the stored state once; the printed command does not repeat them. `api-key` is here
/// because it must not be printed.
const CHANGES: [&str; 3] = ["api-key", "max-iterations", "draft"];

/// Returns the values that the user passed for the [`REPEATED_OPTIONS`], for the [`CHANGES`], and for
/// `--force`.
fn read_repeatable(matches: &ArgMatches) -> ArgValues {
    let given = REPEATED_OPTIONS.into_iter().chain(CHANGES).fold(ArgValues::nothing(), |given, name| {
        match matches.try_get_one::<String>(name).ok().flatten() {
            Some(value) => given.with(name, value),
            None => given,
        }
    });
    if matches.get_flag("force") { given.with("force", "") } else { given }
}

/// Parses the values of `--answer`, and assigns each to an open question.
fn parse_answers(typed: &[String], open: &[OpenQuestion]) -> Result<Vec<(QuestionId, Value)>, Failure> {
    typed.iter().map(|text| parse_answer(text, open)).collect()
}

/// Returns the error for an answer to a question that is not open. Its reason is read from the history:
/// answered already, dropped, or never asked.
async fn explain_gone(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    question: QuestionId,
    open: &[OpenQuestion],
) -> Result<Failure, Failure> {
    let query = HistoryQuery::default().before(Some(question.task.base.next())).limit(1);
    let planned = store.history(thread, &query).await?;
    let entries = planned.iter().filter(|entry| entry.checkpoint.seq == question.task.base);
    let records = entries.flat_map(|entry| &entry.tasks).filter(|record| record.task == question.task);
    let (mut was_asked, mut was_answered) = (false, false);
    for record in records {
        was_asked |= matches!(&record.entry, TaskEntry::Asked(asked) if asked.call == question.call);
        was_answered |= matches!(&record.entry, TaskEntry::Answered { call, .. } if *call == question.call);
    }
    let reason = match (was_asked, was_answered) {
        (_, true) => "it was answered already".to_owned(),
        (true, false) => format!("thread {thread} went on without its answer"),
        (false, false) => format!("thread {thread} has not asked it"),
    };
    let ids: Vec<String> = open.iter().map(|question| question.id.to_string()).collect();
    let hint = match ids.as_slice() {
        [] => format!("nothing waits for an answer; `graph state {thread}` shows where the thread stands"),
        [one] => format!("open: {one}; `graph state {thread}` shows it"),
        several => format!("open: {}; `graph state {thread}` shows them", several.join(", ")),
    };
    Ok(Failure::new(format!("there is no open question {question}: {reason}"), hint))
}

fn parse_answer(typed: &str, open: &[OpenQuestion]) -> Result<(QuestionId, Value), Failure> {
    let named = typed.split_once('=').and_then(|(id, json)| Some((id.trim().parse().ok()?, json)));
    let (question, json) = match (named, open) {
        (Some((id, json)), _) => (id, json),
        (None, [only]) => (only.id, typed),
        (None, []) => {
            return Err(Failure::new("no question is open in this thread", "omit `--answer` to continue"));
        }
        (None, several) => {
            let ids: Vec<String> = several.iter().map(|question| question.id.to_string()).collect();
            return Err(Failure::new(
                format!("`{typed}` does not say which of {} questions it answers", several.len()),
                format!("write `--answer '{}=JSON'`; open: {}", ids[0], ids.join(", ")),
            ));
        }
    };
    let option = || {
        let asked = open.iter().find(|asked| asked.id == question)?;
        AnswerForm::option_named(&asked.payload, asked.schema.as_deref(), json.trim())
    };
    let value = serde_json::from_str(json).or_else(|error| option().ok_or(error)).map_err(|error| {
        Failure::new(
            format!("the answer to question {question} is not JSON: {error}"),
            format!("text needs quotes: `--answer '{question}=\"…\"'`"),
        )
    })?;
    Ok((question, value))
}
