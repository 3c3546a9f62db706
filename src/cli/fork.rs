//! The command `fork`: appends a copy of an older checkpoint as the newest of its thread. Runs nothing.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;

#[derive(Args)]
struct ForkArgs {
    /// Checkpoint (THREAD@N); a prefix of the thread id is enough
    #[arg(value_name = "CHECKPOINT")]
    id: String,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    ForkArgs::augment_args(Command::new("fork"))
        .about("Go back to a checkpoint: append a copy of it as the newest of its thread")
        .after_help("Later checkpoints stay in the history. Prints the id of the new checkpoint; `graph resume` continues from it")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = ForkArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let target = ThreadTarget::find(session, setting.store.as_ref(), &args.id).await?;
        if target.seq.is_none() {
            return Err(Failure::new(
                format!("`{}` is a thread, and `fork` needs one of its checkpoints", args.id),
                format!("`graph history {}` lists them; name one as `{}@N`", target.thread, target.thread),
            ));
        }
        let checkpoint = target.viewer(&setting)?.fork(&target.id()).await?;
        session.printer.data(&checkpoint);
        Ok(Exit::Done)
    })
}
