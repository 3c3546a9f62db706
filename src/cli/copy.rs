//! The command `copy`: copies a thread with its history under a new id. Runs nothing.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use crate::engine::{CheckpointStore, StoreError, THREAD_ID_MAX, ThreadId};
use crate::store::resolve;

#[derive(Args)]
struct CopyArgs {
    /// Thread id, or a prefix of it
    #[arg(value_name = "THREAD")]
    thread: String,
    /// Id of the copy, which must not exist [default: THREAD-2, or the next free number]
    #[arg(value_name = "NEW")]
    new: Option<ThreadId>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    CopyArgs::augment_args(Command::new("copy"))
        .about("Copy a thread with its history, to try something without changing the original")
        .after_help("Prints the id of the copy. Its checkpoints have the numbers of the original")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = CopyArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let store = args.store.open()?;
        let found = resolve(store.as_ref(), &args.thread).await?;
        if found.seq.is_some() {
            return Err(Failure::new(
                format!("`{}` is a checkpoint, and only whole threads are copied", args.thread),
                "leave out `@` and what follows; `graph fork` goes back to a checkpoint of the copy",
            ));
        }
        let copy = match args.new {
            Some(new) => {
                store.copy(&found.thread, &new).await?;
                new
            }
            None => copy_to_free_id(store.as_ref(), &found.thread).await?,
        };
        session.printer.data(&copy);
        Ok(Exit::Done)
    })
}

/// Copies a thread to the first free id `THREAD-N`, from 2 on, and returns that id.
async fn copy_to_free_id(store: &dyn CheckpointStore, thread: &ThreadId) -> Result<ThreadId, Failure> {
    for number in 2_u32.. {
        let suffix = format!("-{number}");
        let mut stem = thread.as_str();
        while stem.len() + suffix.len() > THREAD_ID_MAX {
            stem = &stem[..stem.floor_char_boundary(stem.len() - 1)];
        }
        let id = ThreadId::new(format!("{stem}{suffix}"))
            .map_err(|error| Failure::new(error, "name the copy: `graph copy THREAD NEW`"))?;
        // The store decides, because another process may take an id that was free a moment ago.
        match store.copy(thread, &id).await {
            Ok(()) => return Ok(id),
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    unreachable!("a store has fewer than 2^32 threads")
}
