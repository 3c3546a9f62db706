//! The command `history`: lists the threads of a store, or the checkpoints of a thread. Works while the thread runs.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::ThreadTarget;
use super::table::{Table, ago};
use crate::engine::{
    Checkpoint, CheckpointId, CheckpointStore, Clock, HistoryEntry, HistoryQuery, QuestionId, Seq, Source,
    StoreError, TaskEntry, ThreadId, ThreadSummary, open_questions,
};
use crate::store::{CheckpointRef, resolve};

#[derive(Args)]
struct HistoryArgs {
    /// Thread id or a prefix of it, or a checkpoint (THREAD@N) to list from; without it, all threads are listed
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Maximum number of rows
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    store: StoreArgs,
}

/// A checkpoint in the history of a thread, as `--json` prints it.
#[derive(Serialize)]
struct CheckpointRow {
    checkpoint: CheckpointId,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<CheckpointId>,
    graph: String,
    step: u64,
    source: Source,
    at_ms: u64,
    /// Nodes of the superstep that the checkpoint committed. Empty for inputs, updates and forks, and if the parent was pruned.
    ran: Vec<String>,
    /// Nodes of the next superstep.
    next: Vec<String>,
    /// Number of results that tasks of the next superstep have journaled with `once`. A resume does not
    /// repeat those calls.
    journaled: usize,
    open_questions: Vec<QuestionId>,
}

/// A damaged thread, as `--json` prints it in the last line, behind the readable checkpoints.
#[derive(Serialize)]
pub(super) struct DamagedThread<'a> {
    pub(super) thread: &'a ThreadId,
    pub(super) damage: String,
}

pub(super) fn command() -> Command {
    HistoryArgs::augment_args(Command::new("history"))
        .about("List the threads, or the checkpoints of one, newest first")
        .after_help("`graph state ID` shows the state at a checkpoint, `graph fork ID` goes back to it")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = HistoryArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    block_on(async {
        match &args.id {
            None => list_threads(session, &args).await,
            Some(id) => list_checkpoints(session, &args, id).await,
        }
    })
}

async fn list_threads(session: &Session, args: &HistoryArgs) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let mut threads = store.threads().await?;
    threads.sort_by(|a, b| b.at_ms.cmp(&a.at_ms).then_with(|| a.thread.cmp(&b.thread)));
    threads.truncate(args.limit.unwrap_or(usize::MAX));
    if threads.is_empty() {
        session.printer.progress(format_args!("no threads in {}", store.place()));
    }
    print_damage(session, &threads);
    if args.json {
        threads.iter().for_each(|thread| session.printer.data(json(thread)));
        return Ok(Exit::Done);
    }
    let now = Clock::SYSTEM.now_ms();
    let mut table = Table::new(["THREAD", "GRAPH", "CHECKPOINTS", "LAST WRITTEN", "STATUS"]);
    for ThreadSummary { thread, graph, head, at_ms, next, open_questions, damage } in &threads {
        let next: Vec<&str> = next.iter().map(AsRef::as_ref).collect();
        let status = match damage {
            Some(_) => "damaged".to_owned(),
            None => next_status(&next, open_questions.len()),
        };
        table.row([thread.to_string(), graph.to_string(), head.to_string(), ago(*at_ms, now), status]);
    }
    table.print(&session.printer);
    Ok(Exit::Done)
}

/// Prints a warning for each damaged thread. The table shows what was written before the damage.
fn print_damage(session: &Session, threads: &[ThreadSummary]) {
    for ThreadSummary { thread, damage, .. } in threads {
        if let Some(damage) = damage {
            session.printer.say(format_args!("thread {thread} is damaged: {damage}"));
            session.printer.command("to inspect it", &format!("graph repair {thread} --check"));
        }
    }
}

async fn list_checkpoints(session: &Session, args: &HistoryArgs, id: &str) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let (found, damage) = match ThreadTarget::find(session, store.as_ref(), id).await {
        Ok(found) => (CheckpointRef { thread: found.thread, seq: found.seq }, None),
        Err(failure) if failure.is_damage() => newest_before_damage(store.as_ref(), id, failure).await?,
        Err(failure) => return Err(failure),
    };
    // One more than shown, because the nodes that ran for a checkpoint are the `next` of its parent.
    let limit = args.limit.map(|limit| limit.saturating_add(1));
    let query = HistoryQuery::default().before(found.seq.map(Seq::next)).limit(limit);
    let (entries, damage) = match store.history(&found.thread, &query).await {
        Ok(entries) => (entries, damage),
        Err(error @ StoreError::Corrupt { .. }) => {
            let (found, damage) = newest_before_damage(store.as_ref(), id, error.into()).await?;
            let query = query.before(found.seq.map(Seq::next));
            (store.history(&found.thread, &query).await?, damage)
        }
        Err(error) => return Err(error.into()),
    };
    let planned: BTreeMap<Seq, Vec<String>> =
        entries.iter().map(|entry| (entry.checkpoint.seq, next_nodes(&entry.checkpoint))).collect();
    let shown = entries.iter().take(args.limit.unwrap_or(usize::MAX));
    let rows = shown.map(|entry| CheckpointRow::new(&found.thread, entry, &planned));
    if args.json {
        rows.for_each(|row| session.printer.data(json(&row)));
        if let Some(failure) = &damage {
            session.printer.data(json(&DamagedThread { thread: &found.thread, damage: failure.text() }));
        }
        return damage.map_or(Ok(Exit::Done), Err);
    }
    let now = Clock::SYSTEM.now_ms();
    let mut table = Table::new(["CHECKPOINT", "STEP", "MADE BY", "WRITTEN", "NEXT"]);
    for row in rows {
        let next: Vec<&str> = row.next.iter().map(String::as_str).collect();
        let status = next_status(&next, row.open_questions.len());
        let made_by = made_by(row.source, &row.ran);
        table.row([row.checkpoint.to_string(), row.step.to_string(), made_by, ago(row.at_ms, now), status]);
    }
    table.print(&session.printer);
    damage.map_or(Ok(Exit::Done), Err)
}

/// Returns the newest readable checkpoint of a damaged thread, not newer than the checkpoint that `id`
/// names, and the given `failure` to report later. Fails with `failure` if no checkpoint is readable.
async fn newest_before_damage(
    store: &dyn CheckpointStore,
    id: &str,
    failure: Failure,
) -> Result<(CheckpointRef, Option<Failure>), Failure> {
    let CheckpointRef { thread, seq } = resolve(store, id).await?;
    let newest = store.threads().await?.into_iter().find(|summary| summary.thread == thread);
    match newest.filter(|summary| summary.head.0 > 0) {
        Some(summary) => {
            let seq = seq.map_or(summary.head, |seq| seq.min(summary.head));
            Ok((CheckpointRef { thread, seq: Some(seq) }, Some(failure)))
        }
        None => Err(failure),
    }
}

impl CheckpointRow {
    fn new(thread: &ThreadId, entry: &HistoryEntry, planned: &BTreeMap<Seq, Vec<String>>) -> Self {
        let checkpoint = &entry.checkpoint;
        let parent = checkpoint.parent;
        let journaled = entry.tasks.iter().filter(|task| matches!(task.entry, TaskEntry::Once { .. }));
        Self {
            checkpoint: checkpoint.id(thread),
            parent: parent.map(|seq| CheckpointId { thread: thread.clone(), seq }),
            graph: checkpoint.name.as_ref().to_owned(),
            step: checkpoint.step,
            source: checkpoint.source,
            at_ms: checkpoint.at_ms,
            ran: match checkpoint.source {
                Source::Loop => parent.and_then(|seq| planned.get(&seq)).cloned().unwrap_or_default(),
                Source::Input | Source::Update | Source::Fork => Vec::new(),
            },
            next: next_nodes(checkpoint),
            journaled: journaled.count(),
            open_questions: open_questions(&entry.tasks),
        }
    }
}

fn next_nodes(checkpoint: &Checkpoint) -> Vec<String> {
    checkpoint.next.iter().map(|task| task.node.as_ref().to_owned()).collect()
}

fn made_by(source: Source, ran: &[String]) -> String {
    match source {
        Source::Input => "input".to_owned(),
        Source::Fork => "fork".to_owned(),
        Source::Update => "update".to_owned(),
        // The nodes are unknown if the parent was pruned or is not in the list.
        Source::Loop if ran.is_empty() => "step".to_owned(),
        Source::Loop => ran.join(", "),
    }
}

/// Returns the text of a status column: `done`, or the next nodes with the number of open questions.
pub(super) fn next_status(next: &[&str], questions: usize) -> String {
    match (next, questions) {
        ([], _) => "done".to_owned(),
        (next, 0) => next.join(", "),
        (next, 1) => format!("{} (waits for an answer)", next.join(", ")),
        (next, many) => format!("{} (waits for {many} answers)", next.join(", ")),
    }
}

pub(super) fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("a row is JSON with string keys")
}
