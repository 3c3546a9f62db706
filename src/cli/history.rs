//! `history`: the threads of a store, or the checkpoints of a thread. Works while the thread runs.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::store::find;
use super::table::{Table, time};
use crate::engine::{
    Checkpoint, CheckpointId, CheckpointStore, HistoryEntry, HistoryQuery, QuestionId, Seq, Source,
    StoreError, TaskEntry, ThreadId, ThreadSummary, open_questions,
};
use crate::store::{CheckpointRef, resolve};

#[derive(Args)]
struct History {
    /// A thread or the beginning of its id, or a checkpoint to go back from; without it, the threads are listed
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Show so many, at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    store: StoreArgs,
}

/// A checkpoint as `--json` prints it.
#[derive(Serialize)]
struct Row {
    checkpoint: CheckpointId,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<CheckpointId>,
    graph: String,
    step: u64,
    source: Source,
    at_ms: u64,
    /// The nodes that ran for it.
    ran: Vec<String>,
    next: Vec<String>,
    /// Calls of the tasks that run next which are answered already and will not be made again.
    journaled: usize,
    open_questions: Vec<QuestionId>,
}

/// A thread that `--json` shows as damaged, behind what can be read of it.
#[derive(Serialize)]
pub(super) struct Damaged<'a> {
    pub(super) thread: &'a ThreadId,
    pub(super) damage: String,
}

pub(super) fn command() -> Command {
    History::augment_args(Command::new("history"))
        .about("List the threads, or the checkpoints of one, newest first")
        .after_help("`graph state ID` shows the state at a checkpoint, `graph fork ID` goes back to it")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = History::from_arg_matches(matches).expect("clap has checked what it describes");
    block_on(async {
        match &args.id {
            None => threads(session, &args).await,
            Some(id) => checkpoints(session, &args, id).await,
        }
    })
}

async fn threads(session: &Session, args: &History) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let mut threads = store.threads().await?;
    threads.sort_by(|a, b| b.at_ms.cmp(&a.at_ms).then_with(|| a.thread.cmp(&b.thread)));
    threads.truncate(args.limit.unwrap_or(usize::MAX));
    if threads.is_empty() {
        session.printer.progress(format_args!("no threads in {}", store.place()));
    }
    tell_damage(session, &threads);
    if args.json {
        threads.iter().for_each(|thread| session.printer.data(json(thread)));
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["THREAD", "GRAPH", "CHECKPOINTS", "LAST WRITTEN", "STATUS"]);
    for ThreadSummary { thread, graph, head, at_ms, next, open_questions, damage } in &threads {
        let next: Vec<&str> = next.iter().map(AsRef::as_ref).collect();
        let status = match damage {
            Some(_) => "damaged".to_owned(),
            None => status(&next, open_questions.len()),
        };
        table.row([thread.to_string(), graph.to_string(), head.to_string(), time(*at_ms), status]);
    }
    table.print(&session.printer);
    Ok(Exit::Done)
}

/// Says which threads are damaged; what a listing shows of them stands before the damage.
fn tell_damage(session: &Session, threads: &[ThreadSummary]) {
    for ThreadSummary { thread, damage, .. } in threads {
        if let Some(damage) = damage {
            session.printer.say(format_args!("thread {thread} is damaged: {damage}"));
            session.printer.command("to look at it", &format!("graph repair {thread} --check"));
        }
    }
}

async fn checkpoints(session: &Session, args: &History, id: &str) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let (found, damage) = match find(session, store.as_ref(), id).await {
        Ok(found) => (CheckpointRef { thread: found.thread, seq: found.seq }, None),
        Err(failure) if failure.is_damage() => before_damage(store.as_ref(), id, failure).await?,
        Err(failure) => return Err(failure),
    };
    // One more, because what ran for a checkpoint stands in the one before it.
    let limit = args.limit.map(|limit| limit.saturating_add(1));
    let query = HistoryQuery::default().before(found.seq.map(Seq::next)).limit(limit);
    let (entries, damage) = match store.history(&found.thread, &query).await {
        Ok(entries) => (entries, damage),
        Err(error @ StoreError::Corrupt { .. }) => {
            let (found, damage) = before_damage(store.as_ref(), id, error.into()).await?;
            let query = query.before(found.seq.map(Seq::next));
            (store.history(&found.thread, &query).await?, damage)
        }
        Err(error) => return Err(error.into()),
    };
    let planned: BTreeMap<Seq, Vec<String>> =
        entries.iter().map(|entry| planned(&entry.checkpoint)).collect();
    let shown = entries.iter().take(args.limit.unwrap_or(usize::MAX));
    let rows = shown.map(|entry| Row::new(&found.thread, entry, &planned));
    if args.json {
        rows.for_each(|row| session.printer.data(json(&row)));
        if let Some(failure) = &damage {
            session.printer.data(json(&Damaged { thread: &found.thread, damage: failure.text() }));
        }
        return damage.map_or(Ok(Exit::Done), Err);
    }
    let mut table = Table::new(["CHECKPOINT", "STEP", "MADE BY", "WRITTEN", "NEXT"]);
    for row in rows {
        let next: Vec<&str> = row.next.iter().map(String::as_str).collect();
        let status = status(&next, row.open_questions.len());
        let made_by = made_by(row.source, &row.ran);
        table.row([row.checkpoint.to_string(), row.step.to_string(), made_by, time(row.at_ms), status]);
    }
    table.print(&session.printer);
    damage.map_or(Ok(Exit::Done), Err)
}

/// The newest checkpoint of a damaged thread that can be read, and why there are no others.
async fn before_damage(
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

impl Row {
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
            next: self::planned(checkpoint).1,
            journaled: journaled.count(),
            open_questions: open_questions(&entry.tasks),
        }
    }
}

fn planned(checkpoint: &Checkpoint) -> (Seq, Vec<String>) {
    (checkpoint.seq, checkpoint.next.iter().map(|task| task.node.as_ref().to_owned()).collect())
}

fn made_by(source: Source, ran: &[String]) -> String {
    match source {
        Source::Input => "input".to_owned(),
        Source::Fork => "fork".to_owned(),
        Source::Update => "update".to_owned(),
        // What ran is not known where the checkpoint before was pruned or is out of the list.
        Source::Loop if ran.is_empty() => "step".to_owned(),
        Source::Loop => ran.join(", "),
    }
}

pub(super) fn status(next: &[&str], questions: usize) -> String {
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
