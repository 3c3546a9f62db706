//! Ctrl-C and SIGTERM.

use tokio::io::AsyncReadExt as _;

use super::debate::{CALLS, Debate, IDEA, undisturbed};
use super::kit::{Place, done, ended, signal};
use stategraph_testing::fake_server::Play;

/// Stops a debate with a signal while its call `at` is not answered.
async fn stopped_by(name: &str, at: usize) {
    let (_, spec) = undisturbed().await;
    let mut hanging = Debate::silent_at(at).await;
    let place = Place::new();
    place.configure(&hanging.base_url());
    let child = place.ard(["run", "--idea", IDEA]).spawn().unwrap();
    hanging.asked_more_than(at).await;
    signal(&child, name);
    let told = ended(child).await.exits(130);
    assert_eq!(told.out, "");
    assert!(
        told.err.contains("stopped in step") && told.err.contains("saved up to checkpoint"),
        "{}",
        told.err
    );
    let answering = Debate::answered().await;
    place.configure(&answering.base_url());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
    assert_eq!(place.read("spec.md"), spec);
    let mut once = [0; CALLS];
    once[at..].fill(1);
    assert_eq!(answering.counts(), once, "what was answered is not asked again");
}

// Issue 2, "Bad input": Ctrl-C at any moment; ENG-16, DESIGN.md section 5.
#[tokio::test]
async fn ctrl_c_stops_at_once_and_the_printed_command_goes_on() {
    for call in [0, 1, 3, 5] {
        stopped_by("INT", call).await;
    }
}

#[tokio::test]
async fn sigterm_does_the_same() {
    stopped_by("TERM", 2).await;
}

// Issue 2, "Bad input": Ctrl-C at any moment. The first stops the run in order, which takes as long as what reads its output
// lets it; the second does not wait.
#[tokio::test]
async fn a_second_ctrl_c_ends_the_program_though_nobody_reads_its_output() {
    let much = Play::stream().piece(&"x".repeat(1 << 20)).silence();
    let debate = Debate::failing_at(0, much).await;
    let place = Place::new();
    place.configure(&debate.base_url());
    let mut child = place.ard(["run", "--idea", IDEA, "--json"]).spawn().unwrap();
    let (mut out, mut read) = (child.stdout.take().unwrap(), Vec::new());
    while !read.ends_with(b"xxxx") {
        assert!(out.read_buf(&mut read).await.unwrap() > 0, "{}", String::from_utf8_lossy(&read));
    }
    signal(&child, "INT");
    let patience = std::time::Duration::from_millis(300);
    assert!(tokio::time::timeout(patience, child.wait()).await.is_err(), "it is still printing");
    signal(&child, "INT");
    assert_eq!(child.wait().await.unwrap().code(), Some(130));
}

// The command says again what no checkpoint holds.
#[tokio::test]
async fn the_printed_command_holds_the_store_and_the_config() {
    let mut hanging = Debate::silent_at(1).await;
    let place = Place::new();
    place.configure(&hanging.base_url());
    std::fs::rename(place.at("config.yaml"), place.at("my config.yaml")).unwrap();
    let args = ["run", "--idea", IDEA, "--config", "my config.yaml", "--checkpoints", "it's kept here"];
    let child = place.ard(args).spawn().unwrap();
    hanging.asked_more_than(1).await;
    signal(&child, "INT");
    let told = ended(child).await.exits(130);
    let command = told.command("to continue: ");
    assert!(command.ends_with(r"--checkpoints 'it'\''s kept here' --config 'my config.yaml'"), "{command}");
    let answering = Debate::answered().await;
    place.configure(&answering.base_url());
    std::fs::rename(place.at("config.yaml"), place.at("my config.yaml")).unwrap();
    done(place.shell(&command)).await.exits(0);
    assert!(place.read("spec.md").contains("status: verified"));
}

// Also while the store commits: the moments are spread over a whole run.
#[tokio::test]
async fn ctrl_c_at_any_moment_leaves_a_debate_that_can_be_resumed() {
    let (_, spec) = undisturbed().await;
    for moment in 0..20 {
        let debate = Debate::answered().await;
        let place = Place::new();
        place.configure(&debate.base_url());
        let mut child = place.ard(["run", "--idea", IDEA]).spawn().unwrap();
        let wait = std::time::Duration::from_millis(10 + 9 * moment);
        if tokio::time::timeout(wait, child.wait()).await.is_err() {
            signal(&child, "INT");
        }
        let told = ended(child).await;
        match told.code {
            Some(0) => {}
            // Before the run began, or before it had saved anything.
            None => drop(done(place.ard(["run", "--idea", IDEA])).await.exits(0)),
            Some(130) if !told.err.contains("to continue") => {
                drop(done(place.ard(["run", "--idea", IDEA])).await.exits(0));
            }
            Some(130) => drop(done(place.shell(&told.command("to continue: "))).await.exits(0)),
            other => panic!("{other:?}: {}", told.err),
        }
        assert_eq!(place.read("spec.md"), spec, "after {wait:?}");
        assert!(debate.counts().iter().all(|count| *count <= 2), "{:?}", debate.counts());
    }
}
