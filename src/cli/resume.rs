//! `resume`: goes on where a thread, or one of its checkpoints, stands.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::Program;
use super::exit::{EXIT_CODES, Exit};
use super::failure::Failure;
use super::follow::Follow;
use super::next_command::Continuation;
use super::options::RunArgs;
use super::session::{Session, block_on};
use super::store::find;
use crate::engine::{HostStart, OpenQuestion, QuestionId};
use crate::workflows::Given;

#[derive(Args)]
struct Resume {
    /// A thread, a checkpoint (THREAD@N), or the beginning of a thread's id
    #[arg(value_name = "ID")]
    id: String,
    /// Answer a question; without an id, the only one that is open
    #[arg(long = "answer", value_name = "[QUESTION=]JSON")]
    answers: Vec<String>,
    /// The config file that says where models are [default: ./config.yaml when there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the result to this file instead
    // The last one counts: the command that a run prints may say it already.
    #[arg(long, value_name = "FILE", overrides_with = "output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

pub(super) fn command(program: Program) -> Command {
    let command = Resume::augment_args(Command::new("resume"))
        .about("Continue a run where it stopped; nothing that was finished is done again")
        .after_help(EXIT_CODES);
    match program {
        Program::Ard => command.args(of_debates(None)),
        Program::Graph => command.args(of_both()).args(of_debates(Some("Of ard"))),
    }
}

/// The models of a debate, which may have been wrong.
fn of_debates(heading: Option<&'static str>) -> [Arg; 2] {
    [
        option(
            "architect-model",
            "MODEL",
            "Who drafts from now on [default: as before, or as the config file says now]",
        ),
        option("reviewer-model", "MODEL", "Who reviews from now on, likewise"),
    ]
    .map(|option| option.help_heading(heading))
}

/// What graph files and doc-phases are told anew: what may have been wrong, and what no checkpoint holds.
fn of_both() -> [Arg; 5] {
    let of_graph_files = "Of graph files and doc-phases";
    [
        option("model", "MODEL", "The model of doc-phases, and of nodes that name none").short('m'),
        option("api-key", "KEY", "The key of the model's provider, for doc-phases").short('k'),
        option("embeddings", "MODEL", "The model that searches memory by meaning, for doc-phases"),
        option("allow-http", "HOST[,HOST]", "Let a graph file send requests to these hosts; `*` for any"),
        option(
            "limits",
            "NAME=SIZE[,…]",
            "Sizes that a graph file may reach: template, value, state, checkpoint",
        ),
    ]
    .map(|option| option.help_heading(of_graph_files))
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Resume::from_arg_matches(matches).expect("clap has checked what it describes");
    let given = given(matches);
    block_on(resume(session, &args, args.given(given)))
}

async fn resume(session: &Session, args: &Resume, given: Given) -> Result<Exit, Failure> {
    let setting = args.run.setting(session)?;
    let found = find(session, setting.store.as_ref(), &args.id).await?;
    let snapshot = found.snapshot(&found.viewer(&setting)?).await?;
    let workflow = found.owner.workflow();
    let host = workflow.restore(&given, &setting, &snapshot.state)?;
    if found.checkpoint.next.is_empty() {
        session.printer.progress(format_args!("thread {} is finished: nothing is left to do", found.thread));
    }
    let next = Continuation::new(session.program, &args.run, args.config.as_deref())
        .writing_to(args.output.as_deref())
        .saying(&given, &SAID_AGAIN);
    let follow = Follow::new(session, workflow, args.run.output(), next)?;
    let mut request = args.run.request(HostStart::Resume { thread: found.thread.clone(), at: found.seq });
    request.answers = answers(&args.answers, &snapshot.questions)?;
    let followed = follow.run(host.as_ref(), request, Some(found.id())).await?;
    follow.end(followed)
}

impl Resume {
    fn given(&self, given: Given) -> Given {
        let said = [("config", &self.config), ("output", &self.output)];
        said.into_iter().fold(given, |given, (name, path)| match path {
            Some(path) => given.with(name, path),
            None => given,
        })
    }
}

/// What a run is told on the command line that no checkpoint holds, or that a resumed run takes anew. A key is not among it: it would
/// be printed.
pub(super) const SAID_AGAIN: [&str; 6] =
    ["model", "embeddings", "architect-model", "reviewer-model", "allow-http", "limits"];

/// What was said of that.
fn given(matches: &ArgMatches) -> Given {
    SAID_AGAIN.into_iter().chain(["api-key"]).fold(Given::nothing(), |given, name| {
        match matches.try_get_one::<String>(name).ok().flatten() {
            Some(value) => given.with(name, value),
            None => given,
        }
    })
}

/// What was answered, each with the question it belongs to.
fn answers(typed: &[String], open: &[OpenQuestion]) -> Result<Vec<(QuestionId, Value)>, Failure> {
    typed.iter().map(|text| answer(text, open)).collect()
}

fn answer(typed: &str, open: &[OpenQuestion]) -> Result<(QuestionId, Value), Failure> {
    let named = typed.split_once('=').and_then(|(id, json)| Some((id.trim().parse().ok()?, json)));
    let (question, json) = match (named, open) {
        (Some((id, json)), _) => (id, json),
        (None, [only]) => (only.id, typed),
        (None, []) => {
            return Err(Failure::new("no question is open in this thread", "leave `--answer` out to go on"));
        }
        (None, several) => {
            let ids: Vec<String> = several.iter().map(|question| question.id.to_string()).collect();
            return Err(Failure::new(
                format!("`{typed}` does not say which of {} questions it answers", several.len()),
                format!("write `--answer '{}=JSON'`; open: {}", ids[0], ids.join(", ")),
            ));
        }
    };
    let value = serde_json::from_str(json).map_err(|error| {
        Failure::new(
            format!("the answer to question {question} is not JSON: {error}"),
            format!("text needs quotes: `--answer '{question}=\"…\"'`"),
        )
    })?;
    Ok((question, value))
}
