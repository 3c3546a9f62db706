//! A process that runs a graph is killed at every write of its journal, torn or whole, and the next one goes on. Issue 3, "proof";
//! parity P3, P7, clause 61, ENG-6. `CRASH_KILLS` says how many kills; see CONTRIBUTING.md.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stategraph_sled::SledStore;

use super::child::Running;
use super::kit::thread;
use super::shim::{changes, watched};
use crate::engine::kit::replayed;
use crate::engine::tale::{Notes, Tale, check_effects, tale, undisturbed};

/// Kills when nothing else is said.
const KILLS: usize = 40;

const SIGKILL: i32 = 9;

/// Runs that are killed at the same time.
const AT_ONCE: usize = 2;

/// Where a process is killed.
struct Kill {
    /// After so many changes of the disk.
    at: usize,
    torn: bool,
}

#[test]
fn a_run_that_is_killed_at_any_write_ends_as_if_it_had_not_been() {
    let wanted = std::env::var("CRASH_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let expected = runtime.block_on(undisturbed());
    let places = changes("tell");
    let stride = stride(places);
    let (kills, runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while kills.load(Ordering::Relaxed) < wanted {
                    let run = runs.fetch_add(1, Ordering::Relaxed);
                    let killed = killed_run(run, run * stride % places + 1, &expected);
                    kills.fetch_add(killed, Ordering::Relaxed);
                }
            });
        }
    });
    let (kills, runs) = (kills.into_inner(), runs.into_inner());
    assert!(kills >= wanted && runs <= 3 * wanted, "{kills} kills in {runs} runs");
    let figures = format!("{kills} kills in {runs} runs over {places} places\n");
    std::io::stderr().write_all(figures.as_bytes()).unwrap();
}

/// The distance from a place to the next one to kill at: however few they are, they are spread, and then every one has its turn.
fn stride(places: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (places * 618 / 1000..=places * 2)
        .find(|stride| common(*stride, places) == 1)
        .expect("a prime is among them")
}

/// Runs a graph to the end; gives how often it was killed.
fn killed_run(run: usize, first: usize, expected: &Tale) -> usize {
    let root = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(run as u64);
    let (mut kills, mut next) = (0, Some(Kill { at: first, torn: random.bool() }));
    loop {
        let (said, done) = process(root.path(), next.take().as_ref());
        if done {
            let end = said.lines().find_map(|line| line.strip_prefix("told ")).expect("it says how it ended");
            assert_eq!(serde_json::from_str::<Tale>(end).unwrap(), *expected);
            break;
        }
        kills += 1;
        // Now and then what goes on is killed as well.
        next = (kills < 4 && random.bool()).then(|| Kill { at: random.usize(1..60), torn: random.bool() });
    }
    let notes = std::fs::read_to_string(root.path().join("notes")).unwrap();
    check_effects(notes.lines());
    assert_eq!(last_state(&root.path().join("store")), *expected);
    kills
}

/// A process that runs the graph, or goes on with it; what it says, and whether it lived to its end.
fn process(root: &Path, kill: Option<&Kill>) -> (String, bool) {
    let mut command = watched("tell", root, &root.join("store"), Path::new("/dev/null"));
    if let Some(Kill { at, torn }) = kill {
        command.env("SHIM_KILL_AT", at.to_string());
        if *torn {
            command.env("SHIM_KILL_TORN", "1");
        }
    }
    let (said, ended) = Running::start(command).last_words();
    assert!(ended.success() || ended.signal() == Some(SIGKILL), "{ended}: {said}");
    (said, ended.success())
}

/// The newest of the states that a store has, all of which can be read.
fn last_state(store: &Path) -> Tale {
    let store = SledStore::open(store).unwrap();
    let graph = tale(&Notes::to(|_| {})).with_store(Arc::new(store));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let saved = runtime.block_on(replayed(&graph, &thread("t")));
    saved.into_iter().last().expect("it was saved").1
}
