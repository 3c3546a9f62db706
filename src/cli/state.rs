//! The command `state`: prints the state of a thread, now or at one of its checkpoints. Works while the thread runs.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;
use serde_json::value::RawValue;

use super::exit::Exit;
use super::failure::Failure;
use super::history::{DamagedThread, json};
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use super::table::time;
use crate::engine::{InnerSnapshot, Snapshot};
use crate::store::resolve;
use crate::workflows::Setting;

#[derive(Args)]
struct StateArgs {
    /// Thread id or a prefix of it, or a checkpoint (THREAD@N)
    #[arg(value_name = "ID")]
    id: String,
    /// Print everything as one line of JSON: checkpoint, state, next nodes, questions, errors
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    StateArgs::augment_args(Command::new("state"))
        .about("Show the state of a thread as JSON, now or at a checkpoint")
        .after_help(
            "Prints the state on standard output; checkpoint, next nodes and questions on standard error",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = StateArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let snapshot = match load_snapshot(session, &args, &setting).await {
            Err(failure) if args.json && failure.is_damage() => {
                let damaged = resolve(setting.store.as_ref(), &args.id).await?;
                session
                    .printer
                    .data(json(&DamagedThread { thread: &damaged.thread, damage: failure.text() }));
                return Err(failure);
            }
            snapshot => snapshot?,
        };
        if args.json {
            session.printer.data(serde_json::to_string(&snapshot).expect("a snapshot is JSON"));
        } else {
            print_summary(session, &snapshot);
            let state: Value = serde_json::from_str(snapshot.state.get()).expect("a state is JSON");
            session.printer.data(serde_json::to_string_pretty(&state).expect("a state is JSON"));
        }
        Ok(Exit::Done)
    })
}

async fn load_snapshot(
    session: &Session,
    args: &StateArgs,
    setting: &Setting,
) -> Result<Snapshot<Box<RawValue>>, Failure> {
    let target = ThreadTarget::find(session, setting.store.as_ref(), &args.id).await?;
    Ok(target.snapshot(&target.viewer(setting)?).await?)
}

/// Prints the checkpoint of a state, the nodes that run next, the open questions and the errors of failed
/// nodes, as progress.
fn print_summary(session: &Session, snapshot: &Snapshot<Box<RawValue>>) {
    let printer = &session.printer;
    let next =
        if snapshot.next.is_empty() { "nothing, it is done".to_owned() } else { snapshot.next.join(", ") };
    printer.progress(format_args!(
        "checkpoint {}, step {}, {}",
        snapshot.checkpoint,
        snapshot.step,
        time(snapshot.at_ms)
    ));
    printer.progress(format_args!("next: {next}"));
    print_inner_graphs(session, &snapshot.inner);
    for question in &snapshot.questions {
        printer
            .progress(format_args!("question {} of `{}`: {}", question.id, question.node, question.payload));
    }
    for failed in &snapshot.errors {
        printer.progress(format_args!("`{}` failed: {}", failed.node, failed.error));
    }
}

/// Prints the step and the next nodes of each sub-graph that runs inside a task, recursively.
fn print_inner_graphs(session: &Session, inside: &[InnerSnapshot]) {
    for InnerSnapshot { namespace, step, next, inner, .. } in inside {
        let next = if next.is_empty() { "nothing, it is done".to_owned() } else { next.join(", ") };
        session.printer.progress(format_args!("inside {namespace}: step {step}, next: {next}"));
        print_inner_graphs(session, inner);
    }
}
