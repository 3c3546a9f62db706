//! The command `prune`: removes old checkpoints of a thread, or the whole thread, and frees their space.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use crate::engine::Retention;
use crate::store::resolve;

#[derive(Args)]
struct PruneArgs {
    /// Thread id, or a prefix of it
    #[arg(value_name = "THREAD")]
    thread: String,
    #[command(flatten)]
    retention: RetentionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct RetentionArgs {
    /// Keep the newest N checkpoints; the thread can still be continued
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Remove the thread and its whole history
    #[arg(long)]
    delete: bool,
}

pub(super) fn command() -> Command {
    PruneArgs::augment_args(Command::new("prune"))
        .about("Remove old checkpoints of a thread, or the whole thread, and free their space")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = PruneArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        match args.retention.keep {
            Some(keep) => prune(session, &args, keep as usize).await,
            None => delete(session, &args).await,
        }
    })
}

async fn prune(session: &Session, args: &PruneArgs, keep_last: usize) -> Result<Exit, Failure> {
    let setting = session.setting(args.store.open()?);
    let target = ThreadTarget::find(session, setting.store.as_ref(), &args.thread).await?;
    refuse_checkpoint(&args.thread, target.seq.is_some())?;
    let pruned = target.viewer(&setting)?.prune(&target.thread, Retention::keep_last(keep_last)).await?;
    session.printer.progress(format_args!(
        "removed {} checkpoints of {}, {} bytes freed",
        pruned.checkpoints, target.thread, pruned.bytes
    ));
    Ok(Exit::Done)
}

/// Deletes a whole thread. Its workflow is not looked up, so that threads of graphs that no longer exist
/// can be deleted too.
async fn delete(session: &Session, args: &PruneArgs) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let found = resolve(store.as_ref(), &args.thread).await?;
    refuse_checkpoint(&args.thread, found.seq.is_some())?;
    store.delete(&found.thread).await?;
    session.printer.progress(format_args!("removed thread {}", found.thread));
    Ok(Exit::Done)
}

fn refuse_checkpoint(typed: &str, is_checkpoint: bool) -> Result<(), Failure> {
    if !is_checkpoint {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{typed}` is a checkpoint, and only whole threads are pruned"),
        "leave out `@` and what follows",
    ))
}
