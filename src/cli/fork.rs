//! `fork`: makes an older checkpoint the newest of its thread. Runs nothing.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::find;

#[derive(Args)]
struct Fork {
    /// A checkpoint (THREAD@N); the beginning of the thread's id is enough
    #[arg(value_name = "CHECKPOINT")]
    id: String,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    Fork::augment_args(Command::new("fork"))
        .about("Go back to a checkpoint: it becomes the newest of its thread, and what came after stays in the history")
        .after_help("Prints the new checkpoint; `graph resume` goes on from it")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Fork::from_arg_matches(matches).expect("clap has checked what it describes");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let found = find(session, setting.store.as_ref(), &args.id).await?;
        if found.seq.is_none() {
            return Err(Failure::new(
                format!("`{}` is a thread; which of its checkpoints is not said", args.id),
                format!("`graph history {}` lists them; write `{}@N`", found.thread, found.thread),
            ));
        }
        let checkpoint = found.viewer(&setting)?.fork(&found.id()).await?;
        session.printer.data(&checkpoint);
        Ok(Exit::Done)
    })
}
