//! The command `fork`: appends a copy of an older checkpoint as the newest of its thread, with other values if the user gives some. Runs
//! nothing.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use super::writes::replace_values;

#[derive(Args)]
struct ForkArgs {
    /// Checkpoint (THREAD@N); a prefix of the thread id is enough
    #[arg(value_name = "CHECKPOINT")]
    id: String,
    /// Replace the value of a channel in the copy: JSON, or text for a channel of text; may be repeated
    #[arg(long = "set", value_name = "CHANNEL=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    ForkArgs::augment_args(Command::new("fork"))
        .about("Go back to a checkpoint: append a copy of it as the newest of its thread")
        .after_help(
            "Later checkpoints stay in the history. Prints the id of the new checkpoint; `graph resume` continues from it. \
             `--set` keeps the planned nodes, also where an edge would now choose others: `graph update --as-node NODE` lets the edges \
             behind NODE choose again",
        )
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
        let viewer = target.viewer(&setting)?;
        let checkpoint = if args.settings.is_empty() {
            viewer.fork(&target.id()).await?
        } else {
            let update = replace_values(&args.settings, &target, &viewer)?;
            viewer.fork_with(&target.id(), update).await?
        };
        session.printer.data(&checkpoint);
        Ok(Exit::Done)
    })
}
