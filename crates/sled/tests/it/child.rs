//! Processes of their own for the tests that need them: this test binary again, told by its environment what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use stategraph_core::{CheckpointStore, Flush, StoreError};
use stategraph_sled::SledStore;

use super::kit::{next, put, thread, walk};
use super::workload::{self, INDEX_FROM};
use crate::engine::tale::{Notes, tale, told};

const ROLE: &str = "STATEGRAPH_TEST_ROLE";
const FOLDER: &str = "STATEGRAPH_TEST_FOLDER";

/// This test binary in a process of its own, to play a role in a folder.
pub(super) fn command(role: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    into_role(&mut command, role, folder);
    command
}

/// The same under limits set by a shell.
#[cfg(unix)]
pub(super) fn limited(limits: &str, role: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]).arg(std::env::current_exe().unwrap());
    into_role(&mut command, role, folder);
    command
}

fn into_role(command: &mut Command, role: &str, folder: &Path) {
    command
        .args(["child::a_process_of_its_own", "--exact", "--nocapture"])
        .env(ROLE, role)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
}

/// A process under way, and what it says.
pub(super) struct Running {
    pub(super) process: Child,
    pub(super) says: BufReader<ChildStdout>,
}

impl Running {
    pub(super) fn start(mut command: Command) -> Self {
        let mut process = command.spawn().unwrap();
        let says = BufReader::new(process.stdout.take().unwrap());
        Self { process, says }
    }

    /// Waits until the process says something that contains `word`; returns the line.
    pub(super) fn hear(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.says.read_line(&mut line).unwrap(), 0, "the process ended before it said {word}");
            if line.contains(word) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Lets the process end, which waits for the end of its input.
    pub(super) fn dismiss(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }

    /// Everything that the process says until it ends by itself, and how it ended.
    #[cfg(target_os = "linux")]
    pub(super) fn last_words(mut self) -> (String, std::process::ExitStatus) {
        let mut words = String::new();
        std::io::Read::read_to_string(&mut self.says, &mut words).unwrap();
        (words, self.process.wait().unwrap())
    }

    /// Ends the process like a power switch.
    pub(super) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_of_its_own() {
    let (Ok(role), Some(folder)) = (std::env::var(ROLE), std::env::var_os(FOLDER)) else {
        return alone().await;
    };
    say("\nready\n");
    match role.as_str() {
        "work" => work(&SledStore::open_indexed_from(folder, INDEX_FROM).unwrap()).await,
        "work-a-little" => assert_eq!(work_a_little(Path::new(&folder)).await, Vec::<String>::new()),
        "work-until-refused" => assert_eq!(work_a_little(Path::new(&folder)).await.len(), 1),
        "hold" => hold(&SledStore::open(folder).unwrap()).await,
        "index" => index(&SledStore::open_indexed_from(folder, 0).unwrap()).await,
        "tell" => tell(Path::new(&folder)).await,
        "many" => many(&SledStore::open(folder).unwrap()).await,
        "fill" => fill(&SledStore::open(folder).unwrap()).await,
        other => panic!("no role {other}"),
    }
}

/// Run by nobody but the test runner: the work that the other tests kill, undisturbed.
async fn alone() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("store");
    assert_eq!(work_a_little(&inside).await, Vec::<String>::new());
    let acks = std::fs::read_to_string(folder.path().join("acks")).unwrap();
    let threads = SledStore::open(inside).unwrap().threads().await.unwrap();
    assert!(acks.lines().count() >= threads.len() && !threads.is_empty());
}

/// Writes without end.
async fn work(store: &SledStore) {
    let refused = workload::run(store, u64::MAX >> 1, &say).await;
    panic!("it was refused: {refused:?}");
}

/// Writes some checkpoints, and what was acknowledged into a file beside the store, whose record so has it in its place.
async fn work_a_little(folder: &Path) -> Vec<String> {
    let store = SledStore::open_indexed_from(folder, INDEX_FROM).unwrap();
    let acks = folder.with_file_name("acks");
    let acks = std::fs::OpenOptions::new().append(true).create(true).open(acks).unwrap();
    let refused = workload::run(&store, 28, &|line: &str| (&acks).write_all(line.as_bytes()).unwrap()).await;
    refused.iter().map(ToString::to_string).collect()
}

/// Runs a graph on the store, or goes on with it, and says what came of it. What its nodes do stands in a file beside the store.
async fn tell(folder: &Path) {
    let notes = folder.with_file_name("notes");
    let notes = std::fs::OpenOptions::new().append(true).create(true).open(notes).unwrap();
    let notes = Notes::to(move |line| (&notes).write_all(format!("{line}\n").as_bytes()).unwrap());
    let graph = tale(&notes).with_store(Arc::new(SledStore::open_indexed_from(folder, INDEX_FROM).unwrap()));
    let end = told(&graph, &thread("t")).await;
    say(&format!("told {}\n", serde_json::to_string(&end).unwrap()));
}

/// Holds a thread until the input ends.
async fn hold(store: &SledStore) {
    let writer = store.claim(&thread("held")).await.unwrap();
    walk(&writer, 1, 3).await;
    say("holding\n");
    until_dismissed();
    drop(writer);
}

/// Holds the index until the input ends.
async fn index(store: &SledStore) {
    assert!(store.load(&thread("indexed"), None).await.unwrap().is_some());
    say("indexed\n");
    until_dismissed();
}

/// Holds 2,000 threads at once, each of which goes on twice, and says when another store may look.
async fn many(store: &SledStore) {
    let one = async |number: usize| {
        let writer = store.claim(&thread(&format!("many-{number}"))).await.unwrap();
        walk(&writer, 1, 1).await;
        writer
    };
    let writers = futures_util::future::join_all((0..2_000).map(one)).await;
    say("holding\n");
    until_dismissed();
    futures_util::future::join_all(writers.iter().map(|writer| walk(writer, 2, 2))).await;
}

/// Writes until it fails, and says how.
async fn fill(store: &SledStore) {
    let writer = store.claim(&thread("full")).await.unwrap();
    for seq in 1.. {
        match put(&writer, next(seq), Flush::Synced).await {
            Ok(()) => say(&format!("ack {seq}\n")),
            Err(error) => {
                let after = put(&writer, next(seq + 1), Flush::Synced).await.unwrap_err();
                let closed = matches!(after, StoreError::Closed(_));
                return say(&format!("failed after {}, closed {closed}: {error}\n", seq - 1));
            }
        }
    }
}

/// One write, so that a line is whole or not there.
fn say(line: &str) {
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    std::io::stdout().flush().unwrap();
}

fn until_dismissed() {
    let _ = std::io::stdin().lines().count();
}
