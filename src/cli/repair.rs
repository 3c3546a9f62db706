//! `repair`: reads threads whole, says what is wrong with them, and puts a damaged one back to its last good checkpoint.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::history::{json, status};
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::table::{Table, time};
use crate::engine::{
    CheckpointId, CheckpointStore, HistoryEntry, Record, StoreError, ThreadId, open_questions,
};
use crate::store::{Inspection, Repaired, SledStore, resolve};
use stategraph_base::owner_only;

#[derive(Args)]
struct Repair {
    /// A thread, or the beginning of its id
    #[arg(value_name = "THREAD", required_unless_present = "check")]
    thread: Option<String>,
    /// Change nothing: read all of the thread, or of every thread, and say what is wrong
    #[arg(long)]
    check: bool,
    /// Write the records that can be read to this file, as JSON lines
    #[arg(long, value_name = "FILE", requires = "thread")]
    export: Option<PathBuf>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// A thread as `--json` prints it.
#[derive(Serialize)]
struct Row<'a> {
    thread: &'a ThreadId,
    /// What is wrong, in the order of the file.
    damage: Vec<String>,
    /// The checkpoints that can be read, newest first.
    readable: Vec<CheckpointId>,
    /// Records that can be read but continue what is lost.
    left_out: usize,
    /// Where the damaged file is kept after a repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<&'a Path>,
}

pub(super) fn command() -> Command {
    Repair::augment_args(Command::new("repair"))
        .about("Show what can be read of a damaged thread, and put it back to its last good checkpoint")
        .after_help("The damaged file is kept beside the new one. Exit codes: 0 nothing is damaged any more, 1 something is (--check)")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Repair::from_arg_matches(matches).expect("clap has checked what it describes");
    block_on(async {
        let store = SledStore::open(args.store.folder()?)?;
        match &args.thread {
            None => check_all(session, &args, &store).await,
            Some(typed) => one(session, &args, &store, typed).await,
        }
    })
}

/// Reads every thread. One that cannot be opened is told, and hides no other.
async fn check_all(session: &Session, args: &Repair, store: &SledStore) -> Result<Exit, Failure> {
    let threads = store.ids("").await?;
    let mut damaged = 0;
    for thread in &threads {
        match store.inspect(thread).await {
            Ok(Some(found)) => {
                damaged += usize::from(!found.damage.is_empty());
                tell(session, args, thread, &found, None);
            }
            // It was removed meanwhile, or never written to.
            Ok(None) => {}
            Err(error) => {
                damaged += 1;
                session.printer.failure(&error.into());
            }
        }
    }
    session.printer.progress(format_args!("{} threads read, {damaged} damaged", threads.len()));
    Ok(if damaged == 0 { Exit::Done } else { Exit::NotAccepted })
}

async fn one(session: &Session, args: &Repair, store: &SledStore, typed: &str) -> Result<Exit, Failure> {
    let resolved = resolve(store, typed).await?;
    if let Some(seq) = resolved.seq {
        return Err(Failure::new(
            format!("`{typed}` is the checkpoint {seq}, and only whole threads are repaired"),
            "leave out `@` and what follows",
        ));
    }
    let thread = resolved.thread;
    let gone = || {
        Failure::from(StoreError::NoThread {
            thread: thread.to_string(),
            place: store.place(),
            nearest: Vec::new(),
        })
    };
    if let Some(file) = &args.export {
        let found = store.inspect(&thread).await?.ok_or_else(gone)?;
        let records = export(file, &found.readable).map_err(|error| {
            Failure::new(
                format!("cannot write {}: {error}", file.display()),
                "choose a file that can be written with `--export FILE`",
            )
        })?;
        session.printer.progress(format_args!("{records} records written to {}", file.display()));
    }
    if args.check {
        let found = store.inspect(&thread).await?.ok_or_else(gone)?;
        tell(session, args, &thread, &found, None);
        return Ok(if found.damage.is_empty() { Exit::Done } else { Exit::NotAccepted });
    }
    let Repaired { found, kept, .. } = store.repair(&thread).await?.ok_or_else(gone)?;
    tell(session, args, &thread, &found, kept.as_deref());
    if let (Some(kept), Some(newest)) = (&kept, found.readable.last()) {
        session.printer.progress(format_args!(
            "the thread goes on from {}; the damaged file is kept as {}",
            newest.checkpoint.id(&thread),
            kept.display()
        ));
        session.printer.command("to continue", &format!("graph resume {thread}"));
    }
    Ok(Exit::Done)
}

/// Shows what a thread holds; of many threads, of those alone that are damaged.
fn tell(session: &Session, args: &Repair, thread: &ThreadId, found: &Inspection, kept: Option<&Path>) {
    for damage in &found.damage {
        session.printer.say(format_args!("thread {thread}: {damage}"));
    }
    if found.left_out > 0 {
        session.printer.say(format_args!(
            "thread {thread}: {} records continue what is lost; results of calls among them are made again",
            found.left_out
        ));
    }
    let newest_first = found.readable.iter().rev();
    if args.json {
        session.printer.data(json(&Row {
            thread,
            damage: found.damage.iter().map(ToString::to_string).collect(),
            readable: newest_first.map(|entry| entry.checkpoint.id(thread)).collect(),
            left_out: found.left_out,
            kept,
        }));
        return;
    }
    if args.thread.is_none() && found.damage.is_empty() {
        return;
    }
    if found.damage.is_empty() {
        session.printer.progress(format_args!("thread {thread} is sound"));
    }
    let mut table = Table::new(["CHECKPOINT", "STEP", "WRITTEN", "NEXT"]);
    for HistoryEntry { checkpoint, tasks } in newest_first {
        let next: Vec<&str> = checkpoint.next.iter().map(|task| task.node.as_ref()).collect();
        let status = status(&next, open_questions(tasks).len());
        let id = checkpoint.id(thread).to_string();
        table.row([id, checkpoint.step.to_string(), time(checkpoint.at_ms), status]);
    }
    table.print(&session.printer);
}

/// Writes what can be read, a record a line, oldest first; gives how many.
fn export(path: &Path, readable: &[HistoryEntry]) -> io::Result<usize> {
    let mut out = BufWriter::new(owner_only::create(path)?);
    let mut written = 0;
    for HistoryEntry { checkpoint, tasks } in readable {
        let tasks = tasks.iter().cloned().map(Record::Task);
        for record in std::iter::once(Record::Checkpoint(checkpoint.clone())).chain(tasks) {
            serde_json::to_writer(&mut out, &record)?;
            out.write_all(b"\n")?;
            written += 1;
        }
    }
    out.flush().map(|()| written)
}
