//! Several processes in one folder at once.

use super::bad_input::golden;
use super::debate::{Debate, IDEA};
use super::kit::{Place, done, ended, signal};

// Issue 2, "done when": two debates in two processes at once in one folder.
#[tokio::test]
async fn two_debates_at_once_in_one_folder_do_not_disturb_each_other() {
    let debate = Debate::answered().await;
    let place = Place::new();
    place.configure(&debate.base_url());
    let one = place.ard(["run", "--idea", IDEA, "--output", "one.md"]).spawn().unwrap();
    let other = place.ard(["run", "--idea", "A tin that counts.", "--output", "other.md"]).spawn().unwrap();
    let (one, other) = tokio::join!(ended(one), ended(other));
    let (one, other) = (one.exits(0), other.exits(0));
    assert_ne!(one.thread(), other.thread());
    assert!(place.read("one.md").contains(IDEA) && place.read("other.md").contains("A tin that counts."));
    let threads = done(place.graph(["history", "--json"])).await.exits(0).out;
    assert_eq!(threads.lines().count(), 2);
}

// Issue 2, "done when": `graph history` of a running thread works; of two writers the second gets a conflict.
#[tokio::test]
async fn a_running_thread_can_be_looked_at_and_not_written_to() {
    let mut hanging = Debate::silent_at(1).await;
    let place = Place::new();
    place.configure(&hanging.base_url());
    let child = place.ard(["run", "--idea", IDEA, "--thread", "mine"]).spawn().unwrap();
    hanging.asked_more_than(1).await;
    let history = done(place.graph(["history", "mine"])).await.exits(0).out;
    assert!(history.contains("mine@2") && history.contains("reviewer"), "{history}");
    let state = done(place.graph(["state", "mine"])).await.exits(0).out;
    assert!(state.contains("FirstPart"), "{state}");
    let pid = child.id().unwrap().to_string();
    for (name, arguments) in [
        ("busy_run", &["run", "ard", "--idea", IDEA, "--thread", "mine"][..]),
        ("busy_resume", &["resume", "mine"]),
        ("busy_fork", &["fork", "mine@1"]),
        ("busy_prune", &["prune", "mine", "--keep", "1"]),
        ("busy_delete", &["prune", "mine", "--delete"]),
    ] {
        let mut told = done(place.graph(arguments)).await.exits(2);
        told.err = told.err.replace(&pid, "PID");
        golden(name, &place, &told);
    }
    signal(&child, "INT");
    ended(child).await.exits(130);
}

// The same idea twice at once: the second gets a thread of its own, and both end well.
#[tokio::test]
async fn the_same_idea_twice_at_once_gets_two_threads() {
    let mut hanging = Debate::silent_at(1).await;
    let place = Place::new();
    place.configure(&hanging.base_url());
    let child = place.ard(["run", "--idea", IDEA]).spawn().unwrap();
    hanging.asked_more_than(1).await;
    let answering = Debate::answered().await;
    place.configure(&answering.base_url());
    let second = done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    assert!(second.err.contains("the same input is being run by"), "{}", second.err);
    assert!(place.read("spec.md").contains(&second.thread()));
    signal(&child, "INT");
    let first = ended(child).await.exits(130);
    assert_ne!(first.thread(), second.thread());
}
