//! `kill -9` at every write and at random moments: the same specification, and no answered call made again. Issue 2, "done when".

use std::path::Path;
use std::time::Duration;

use stategraph::engine::{CheckpointStore, HistoryQuery, TaskEntry};
use stategraph::store::SledStore;
use tokio::process::Child;

use super::debate::{CALLS, Debate, IDEA, undisturbed};
use super::kit::{Place, done};

/// A debate that is killed again and again.
struct Killed {
    place: Place,
    debate: Debate,
    thread: String,
    /// The calls that had finished at some kill, with how often they had been made by then.
    finished: Vec<usize>,
}

impl Killed {
    async fn new(thread: &str) -> Self {
        let (place, debate) = (Place::new(), Debate::answered().await);
        place.configure(&debate.base_url());
        Self { place, debate, thread: thread.to_owned(), finished: Vec::new() }
    }

    /// Starts the debate, or what goes on with it.
    async fn start(&self) -> Child {
        let command = match finished_calls(&self.place.at("checkpoints")).await {
            None => self.place.ard(["run", "--idea", IDEA]),
            Some(_) => self.place.ard(["resume", &self.thread]),
        };
        { command }.spawn().unwrap()
    }

    async fn kill(&mut self, child: &mut Child) {
        child.kill().await.unwrap();
        let finished = finished_calls(&self.place.at("checkpoints")).await.unwrap_or(0);
        let counts = self.debate.counts();
        assert!(finished >= self.finished.len(), "{finished} calls are kept, {} were", self.finished.len());
        self.finished = counts[..finished].to_vec();
    }

    /// Lets it end, and compares.
    async fn end(self, spec: &str) {
        let command = match finished_calls(&self.place.at("checkpoints")).await {
            None => self.place.ard(["run", "--idea", IDEA]),
            Some(_) => self.place.ard(["resume", &self.thread]),
        };
        done(command).await.exits(0);
        assert_eq!(self.place.read("spec.md"), spec);
        let counts = self.debate.counts();
        assert_eq!(
            counts[..self.finished.len()],
            self.finished,
            "an answered call was made again: {counts:?}"
        );
        assert!(counts.iter().all(|count| *count >= 1), "{counts:?}");
    }
}

/// Returns the number of model calls in the store: one per step, and those journaled in the unfinished step. `None` without a thread.
async fn finished_calls(checkpoints: &Path) -> Option<usize> {
    let store = SledStore::open(checkpoints).unwrap();
    let thread = store.threads().await.unwrap().into_iter().next()?.thread;
    let newest = store.history(&thread, &HistoryQuery::default().limit(1)).await.unwrap();
    let entry = newest.first()?;
    let once = entry.tasks.iter().filter(|task| matches!(task.entry, TaskEntry::Once { .. })).count();
    Some((usize::try_from(entry.checkpoint.step).unwrap() + once).min(CALLS))
}

/// The length of the only journal in the store.
fn journal_length(checkpoints: &Path) -> u64 {
    let Ok(mut threads) = std::fs::read_dir(checkpoints.join("threads")) else { return 0 };
    let journal = threads.find_map(|entry| Some(entry.ok()?.path()).filter(|it| it.extension().is_some()));
    journal.and_then(|path| Some(std::fs::metadata(path).ok()?.len())).unwrap_or(0)
}

// ARD-75, ENG-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_killed_at_every_write_ends_as_if_nothing_had_been() {
    let (told, spec) = undisturbed().await;
    let (mut write, mut missed) = (1, 0);
    loop {
        let mut killed = Killed::new(&told.thread()).await;
        let mut child = killed.start().await;
        let (mut seen, mut length) = (0, 0);
        // Looks as fast as it can: what it waits for is the journal of a process of its own.
        let ended = loop {
            let now = journal_length(&killed.place.at("checkpoints"));
            if now > length {
                (seen, length) = (seen + 1, now);
            }
            if seen == write {
                break false;
            }
            if child.try_wait().unwrap().is_some() {
                break true;
            }
            tokio::task::yield_now().await;
        };
        if ended && write > CALLS {
            return;
        }
        if ended {
            // Two writes between two looks count as one. That happens on a busy machine, and seldom.
            missed += 1;
            assert!(missed < 20, "only {write} writes were seen");
            continue;
        }
        killed.kill(&mut child).await;
        killed.end(&spec).await;
        write += 1;
    }
}

/// Kills at moments spread by a fixed generator over a debate, several times in each.
async fn killed_at_moments(seed: u64, kills: usize) {
    let (told, spec) = undisturbed().await;
    let mut random = seed;
    let mut made = 0;
    while made < kills {
        let mut killed = Killed::new(&told.thread()).await;
        loop {
            let mut child = killed.start().await;
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let moment = Duration::from_millis(5 + (random >> 33) % 150);
            if tokio::time::timeout(moment, child.wait()).await.is_ok() {
                break;
            }
            killed.kill(&mut child).await;
            made += 1;
        }
        killed.end(&spec).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_killed_at_25_random_moments_ends_as_if_nothing_had_been() {
    killed_at_moments(7, 25).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_killed_at_25_other_moments_ends_as_if_nothing_had_been() {
    killed_at_moments(1_000_003, 25).await;
}
