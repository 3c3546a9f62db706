//! `prune`: removes old checkpoints of a thread, or the whole thread, and gives the space back.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::find;
use crate::engine::Retention;
use crate::store::resolve;

#[derive(Args)]
struct Prune {
    /// A thread, or the beginning of its id
    #[arg(value_name = "THREAD")]
    thread: String,
    #[command(flatten)]
    what: WhatToKeep,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct WhatToKeep {
    /// Keep the newest N checkpoints; the thread can still be continued
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Remove the thread and its whole history
    #[arg(long)]
    delete: bool,
}

pub(super) fn command() -> Command {
    Prune::augment_args(Command::new("prune"))
        .about("Remove old checkpoints of a thread, or the thread, and give the space back")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Prune::from_arg_matches(matches).expect("clap has checked what it describes");
    block_on(async {
        match args.what.keep {
            Some(keep) => prune(session, &args, keep as usize).await,
            None => delete(session, &args).await,
        }
    })
}

async fn prune(session: &Session, args: &Prune, keep_last: usize) -> Result<Exit, Failure> {
    let setting = session.setting(args.store.open()?);
    let found = find(session, setting.store.as_ref(), &args.thread).await?;
    refuse_checkpoint(&args.thread, found.seq.is_some())?;
    let pruned = found.viewer(&setting)?.prune(&found.thread, Retention::keep_last(keep_last)).await?;
    session.printer.progress(format_args!(
        "removed {} checkpoints of {}, {} bytes given back",
        pruned.checkpoints, found.thread, pruned.bytes
    ));
    Ok(Exit::Done)
}

/// Needs no workflow: a thread of a graph that is no more can be removed too.
async fn delete(session: &Session, args: &Prune) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let found = resolve(store.as_ref(), &args.thread).await?;
    refuse_checkpoint(&args.thread, found.seq.is_some())?;
    store.delete(&found.thread).await?;
    session.printer.progress(format_args!("removed thread {}", found.thread));
    Ok(Exit::Done)
}

fn refuse_checkpoint(typed: &str, is_one: bool) -> Result<(), Failure> {
    if !is_one {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{typed}` is a checkpoint, and only whole threads are pruned"),
        "leave out `@` and what follows",
    ))
}
