//! The command `diff`: compares the states of two checkpoints. Reads only; works while the thread runs.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;
use serde_json::{Map, Value};

use super::exit::Exit;
use super::failure::Failure;
use super::history::json;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use crate::engine::CheckpointId;
use crate::workflows::Setting;

#[derive(Args)]
struct DiffArgs {
    /// Checkpoint before (THREAD@N); a prefix of the thread id is enough
    #[arg(value_name = "FROM")]
    from: String,
    /// Checkpoint after, also of another thread of the same graph [default: the newest checkpoint of the thread]
    #[arg(value_name = "TO")]
    to: Option<String>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The difference between two checkpoints, as `--json` prints it.
#[derive(Serialize)]
struct PrintedDifference<'a> {
    from: CheckpointId,
    to: CheckpointId,
    graph: &'a str,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

pub(super) fn command() -> Command {
    DiffArgs::augment_args(Command::new("diff"))
        .about("Compare the states of two checkpoints")
        .after_help(
            "Of a debate: components, challenges and other parts of the draft; of other graphs: the values of the state by \
             path. `[-…-]` marks removed words, `{+…+}` added ones. `graph history ID` lists the checkpoints of a thread",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = DiffArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let setting = session.setting(args.store.open()?);
        let from = find(session, &setting, &args.from).await?;
        let to = match &args.to {
            Some(id) => find(session, &setting, id).await?,
            None => find(session, &setting, from.thread.as_str()).await?,
        };
        let (old_graph, graph) = (&from.checkpoint.name, &to.checkpoint.name);
        if old_graph != graph {
            return Err(Failure::new(
                format!(
                    "`{}` is of the graph `{old_graph}`, and `{}` is of the graph `{graph}`",
                    from.id(),
                    to.id()
                ),
                "compare checkpoints of one graph; `graph history` lists the threads with their graphs",
            ));
        }
        let old = from.snapshot(&from.viewer(&setting)?).await?;
        let new = to.snapshot(&to.viewer(&setting)?).await?;
        let difference = to.owner.workflow().compare(&old.state, &new.state)?;
        if args.json {
            let (from, to, fields) = (from.id(), to.id(), difference.fields);
            session.printer.data(json(&PrintedDifference { from, to, graph, fields }));
            return Ok(Exit::Done);
        }
        if difference.lines.is_empty() {
            session.printer.progress(format_args!("no difference between {} and {}", from.id(), to.id()));
        }
        difference.lines.iter().for_each(|line| session.printer.data(line));
        Ok(Exit::Done)
    })
}

async fn find<'a>(session: &'a Session, setting: &Setting, id: &str) -> Result<ThreadTarget<'a>, Failure> {
    ThreadTarget::find(session, setting.store.as_ref(), id).await
}
