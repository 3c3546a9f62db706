//! `state`: what a thread knows, now or at one of its checkpoints. Works while the thread runs.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;
use serde_json::value::RawValue;

use super::exit::Exit;
use super::failure::Failure;
use super::history::{Damaged, json};
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::find;
use super::table::time;
use crate::engine::{InnerSnapshot, Snapshot};
use crate::store::resolve;
use crate::workflows::Setting;

#[derive(Args)]
struct State {
    /// A thread, a checkpoint (THREAD@N), or the beginning of a thread's id
    #[arg(value_name = "ID")]
    id: String,
    /// Print everything as one line of JSON: checkpoint, state, what runs next, questions, errors
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    State::augment_args(Command::new("state"))
        .about("Show the state of a thread as JSON, now or at a checkpoint")
        .after_help("The state goes to standard output, what is known about it to standard error")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = State::from_arg_matches(matches).expect("clap has checked what it describes");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let snapshot = match snapshot(session, &args, &setting).await {
            Err(failure) if args.json && failure.is_damage() => {
                let damaged = resolve(setting.store.as_ref(), &args.id).await?;
                session.printer.data(json(&Damaged { thread: &damaged.thread, damage: failure.text() }));
                return Err(failure);
            }
            snapshot => snapshot?,
        };
        if args.json {
            session.printer.data(serde_json::to_string(&snapshot).expect("a snapshot is JSON"));
        } else {
            tell(session, &snapshot);
            let state: Value = serde_json::from_str(snapshot.state.get()).expect("a state is JSON");
            session.printer.data(serde_json::to_string_pretty(&state).expect("a state is JSON"));
        }
        Ok(Exit::Done)
    })
}

async fn snapshot(
    session: &Session,
    args: &State,
    setting: &Setting,
) -> Result<Snapshot<Box<RawValue>>, Failure> {
    let found = find(session, setting.store.as_ref(), &args.id).await?;
    Ok(found.snapshot(&found.viewer(setting)?).await?)
}

fn tell(session: &Session, snapshot: &Snapshot<Box<RawValue>>) {
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
    tell_inside(session, &snapshot.inner);
    for question in &snapshot.questions {
        printer
            .progress(format_args!("question {} of `{}`: {}", question.id, question.node, question.payload));
    }
    for failed in &snapshot.errors {
        printer.progress(format_args!("`{}` failed: {}", failed.node, failed.error));
    }
}

/// Where the graphs inside its tasks stand.
fn tell_inside(session: &Session, inside: &[InnerSnapshot]) {
    for InnerSnapshot { namespace, step, next, inner, .. } in inside {
        let next = if next.is_empty() { "nothing, it is done".to_owned() } else { next.join(", ") };
        session.printer.progress(format_args!("inside {namespace}: step {step}, next: {next}"));
        tell_inside(session, inner);
    }
}
