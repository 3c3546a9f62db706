//! The command `update`: writes values to the state of a thread from outside, in the name of a node or of none. Runs nothing.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use super::writes::{fold_values, read_values};

#[derive(Args)]
struct UpdateArgs {
    /// Thread id, or a prefix of it
    #[arg(value_name = "THREAD")]
    thread: String,
    /// Values by channel: a JSON object, or a file that holds one. A channel with a reducer folds its value, as the write of a node
    #[arg(value_name = "JSON|@FILE")]
    values: String,
    /// Count as the output of this node: its successors run next. With START the graph begins again, with END nothing is left to run
    /// [default: no node; the planned nodes stay planned]
    #[arg(long, value_name = "NODE")]
    as_node: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    UpdateArgs::augment_args(Command::new("update"))
        .about("Write values to the state of a thread, without running a node")
        .after_help(
            "Prints the id of the new checkpoint; `graph resume` continues from it. Questions of planned nodes stay open, under new ids.\n\n\
             Examples:\n  graph update 3f2a '{\"score\": 8}'                  correct a value\n  \
             graph update 3f2a '{\"draft\": \"…\"}' --as-node write   do the work of a node by hand",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = UpdateArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let values = read_values(&args.values)?;
        let target = ThreadTarget::find(session, setting.store.as_ref(), &args.thread).await?;
        if target.seq.is_some() {
            return Err(Failure::new(
                format!(
                    "`{}` is a checkpoint, and only the newest state of a thread is updated",
                    args.thread
                ),
                format!(
                    "`graph fork {} --set CHANNEL=VALUE` goes back to it with another value",
                    args.thread
                ),
            ));
        }
        let viewer = target.viewer(&setting)?;
        let update = fold_values(&values, &target, &viewer)?;
        let written = viewer.update(&target.thread, update, args.as_node.as_deref()).await?;
        session.printer.data(&written);
        let next = viewer.state(&target.thread, None).await?.next;
        target.print_next(session, &args.store, &next);
        Ok(Exit::Done)
    })
}
