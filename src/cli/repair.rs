//! The command `repair`: reads whole threads, reports their damage, and restores a damaged thread to its last intact checkpoint.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::history::{json, next_status};
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::table::{Table, ago};
use crate::engine::{
    CheckpointId, CheckpointStore, Clock, HistoryEntry, Record, StoreError, ThreadId, open_questions,
};
use crate::store::{Inspection, Repaired, SledStore, resolve};
use stategraph_base::owner_only;

#[derive(Args)]
struct RepairArgs {
    /// Thread id, or a prefix of it
    #[arg(value_name = "THREAD", required_unless_present = "check")]
    thread: Option<String>,
    /// Change nothing; read the whole thread, or every thread if none is named, and report damage
    #[arg(long)]
    check: bool,
    /// Write every readable record to this file, as JSON lines
    #[arg(long, value_name = "FILE", requires = "thread")]
    export: Option<PathBuf>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The damage and the readable checkpoints of a thread, as `graph repair --json` prints them.
#[derive(Serialize)]
struct ThreadReport<'a> {
    thread: &'a ThreadId,
    /// Descriptions of the damage, in the order of the file.
    damage: Vec<String>,
    /// Readable checkpoints, newest first.
    readable: Vec<CheckpointId>,
    /// Number of readable records that cannot be used, because they continue lost ones.
    left_out: usize,
    /// Path of the damaged file after a repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<&'a Path>,
}

pub(super) fn command() -> Command {
    RepairArgs::augment_args(Command::new("repair"))
        .about("Restore a damaged thread to its last intact checkpoint")
        .after_help("The damaged file is kept beside the new one. Exit codes: 0 no damage is left, 1 damage was found (--check)")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = RepairArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        let store = SledStore::open(args.store.folder()?)?;
        match &args.thread {
            None => check_all(session, &args, &store).await,
            Some(typed) => repair_one(session, &args, &store, typed).await,
        }
    })
}

/// Checks every thread of the store, and prints the damaged ones. An error of one thread is printed, and
/// the others are still checked.
async fn check_all(session: &Session, args: &RepairArgs, store: &SledStore) -> Result<Exit, Failure> {
    let threads = store.ids("").await?;
    let mut damaged = 0;
    for thread in &threads {
        match store.inspect(thread).await {
            Ok(Some(found)) => {
                damaged += usize::from(!found.damage.is_empty());
                print_report(session, args, thread, &found, None);
            }
            // The thread was removed meanwhile, or was never written to.
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

/// Exports, checks or repairs the one thread whose id the user typed, as the options ask.
async fn repair_one(
    session: &Session,
    args: &RepairArgs,
    store: &SledStore,
    typed: &str,
) -> Result<Exit, Failure> {
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
        print_report(session, args, &thread, &found, None);
        return Ok(if found.damage.is_empty() { Exit::Done } else { Exit::NotAccepted });
    }
    let Repaired { found, kept, .. } = store.repair(&thread).await?.ok_or_else(gone)?;
    print_report(session, args, &thread, &found, kept.as_deref());
    if let (Some(kept), Some(newest)) = (&kept, found.readable.last()) {
        session.printer.progress(format_args!(
            "the thread continues from {}; the damaged file is kept as {}",
            newest.checkpoint.id(&thread),
            kept.display()
        ));
        session.printer.command("to continue", &format!("graph resume {thread}"));
    }
    Ok(Exit::Done)
}

/// Prints the damage and the readable checkpoints of a thread, as a table or as JSON. If all threads are
/// checked, an intact thread prints nothing as text. `kept` is the path of the damaged file after a repair.
fn print_report(
    session: &Session,
    args: &RepairArgs,
    thread: &ThreadId,
    found: &Inspection,
    kept: Option<&Path>,
) {
    for damage in &found.damage {
        session.printer.say(format_args!("thread {thread}: {damage}"));
    }
    if found.left_out > 0 {
        session.printer.say(format_args!(
            "thread {thread}: {} readable records are unusable, because they continue lost ones; a resume repeats calls whose results were among them",
            found.left_out
        ));
    }
    let newest_first = found.readable.iter().rev();
    if args.json {
        session.printer.data(json(&ThreadReport {
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
    let now = Clock::SYSTEM.now_ms();
    let mut table = Table::new(["CHECKPOINT", "STEP", "WRITTEN", "NEXT"]);
    for HistoryEntry { checkpoint, tasks } in newest_first {
        let next: Vec<&str> = checkpoint.next.iter().map(|task| task.node.as_ref()).collect();
        let status = next_status(&next, open_questions(tasks).len());
        let id = checkpoint.id(thread).to_string();
        table.row([id, checkpoint.step.to_string(), ago(checkpoint.at_ms, now), status]);
    }
    table.print(&session.printer);
}

/// Writes the readable records (checkpoints and task records) to a new file as JSON lines, oldest first,
/// and returns their number.
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
