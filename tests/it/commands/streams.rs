//! Standard output that is closed or full, colours, and terminals.

use std::process::Stdio;

use super::bad_input::golden;
use super::kit::{IDEA, Place, done};

#[tokio::test]
async fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    for command in [
        "graph completions bash",
        "graph schema",
        "graph history --json",
        "graph --help",
        "ard run --json --idea Box",
    ] {
        // The pipe's reader ends before the writer begins.
        let line = format!("{{ sleep 0; {command}; echo \"exit $?\" >&3; }} 3>&2 2>err.txt | true");
        let told = done(place.shell(&line)).await;
        let wrote = place.read("err.txt");
        assert!(!wrote.contains("panicked") && !wrote.contains("error:"), "{command}: {wrote}");
        assert_eq!(told.err, "exit 0\n", "{command}: {wrote}");
    }
}

// Issue 2, "Bad input": disk full.
#[tokio::test]
async fn a_full_disk_behind_standard_output_is_told_and_loses_nothing() {
    let place = Place::new();
    let told = done(place.shell(&format!("ard run -q --idea '{IDEA}' > /dev/full"))).await.exits(2);
    golden("stdout_full", &place, &told);
    assert!(place.read("spec.md").contains("ending: not_judged"));
    for command in ["graph schema", "graph history", "graph completions zsh", "graph --help"] {
        done(place.shell(&format!("{command} > /dev/full"))).await.exits(2);
    }
}

#[tokio::test]
async fn closed_streams_are_no_panic() {
    let place = Place::new();
    for redirected in [">&-", "2>&-", ">&- 2>&-", "<&-"] {
        let told = done(place.shell(&format!("ard run --idea '{IDEA}' {redirected}"))).await;
        assert!(matches!(told.code, Some(0 | 2)), "{redirected}: {told:?}");
        assert!(!told.err.contains("panicked"), "{redirected}: {}", told.err);
        assert!(place.read("spec.md").contains("ending: not_judged"));
    }
}

// DESIGN.md section 5: NO_COLOR, and no colours in a pipe.
#[tokio::test]
async fn colours_are_for_terminals_and_those_who_insist() {
    let place = Place::new();
    let plain = done(place.ard(["run"])).await.exits(2);
    assert!(!plain.err.contains('\u{1b}'), "{:?}", plain.err);
    let mut forced = place.ard(["run"]);
    forced.env("CLICOLOR_FORCE", "1");
    let forced = done(forced).await.exits(2);
    assert!(forced.err.contains("\u{1b}["), "{:?}", forced.err);
    let mut refused = place.ard(["run"]);
    refused.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!done(refused).await.exits(2).err.contains('\u{1b}'));
}

// The answer of a model server cannot control the terminal.
#[tokio::test]
async fn control_characters_of_others_are_not_printed() {
    use stategraph_testing::fake_server::{FakeServer, Play};
    let body = "\u{1b}]0;owned\u{7}<html>";
    let server = FakeServer::playing(vec![Play::body(400, "text/html", body)]).await;
    let place = Place::new();
    place.configure(&server.base_url());
    let mut run = place.ard(["run", "--idea", IDEA]);
    run.stdin(Stdio::null());
    let told = done(run).await.exits(2);
    assert!(!told.err.contains('\u{1b}') && !told.err.contains('\u{7}'), "{:?}", told.err);
}
