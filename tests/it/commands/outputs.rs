//! Outputs outside the working folder: those that the user names, and those that a file or a checkpoint does.

use super::kit::{Place, done};

const IDEA: &str = "A tin that counts what is put into it. A module manages things.";

const CONFIG: &str =
    "architect_model: offline\nreviewer_model: offline\nmax_iterations: 3\noutput_path: ../outside.md\n";

/// A place with a folder to work in.
fn place() -> Place {
    let place = Place::new();
    place.write("shop/here", "");
    place
}

/// `ard` in the folder, by a user whose home is the place.
async fn ard(place: &Place, arguments: &[&str]) -> super::kit::Done {
    let mut command = place.ard(arguments);
    command.current_dir(place.at("shop")).env("HOME", place.path());
    done(command).await
}

#[tokio::test]
async fn an_output_that_the_user_names_goes_anywhere() {
    let place = place();
    ard(&place, &["run", "--idea", IDEA, "--output", "../outside.md"]).await.exits(0);
    assert!(place.read("outside.md").contains("ending: not_judged"));
}

#[tokio::test]
async fn a_named_output_wins_over_that_of_an_untrusted_file() {
    let place = place();
    place.write("shop/config.yaml", CONFIG);
    ard(&place, &["run", "--idea", IDEA]).await.exits(2);
    ard(&place, &["run", "--idea", IDEA, "--output", "inside.md"]).await.exits(0);
    assert!(place.at("shop/inside.md").is_file() && !place.at("outside.md").exists());
}

#[tokio::test]
async fn a_trusted_file_says_where_the_output_goes() {
    let place = place();
    place.write("shop/config.yaml", CONFIG);
    ard(&place, &["run", "--idea", IDEA, "--trust"]).await.exits(0);
    let stopped = ard(&place, &["run", "--idea", IDEA, "--trust", "--step-limit", "1"]).await;
    let command = stopped.command("to continue: ");
    assert!(command.ends_with(" --trust"), "no checkpoint holds it: {command}");
    assert!(place.at("outside.md").is_file());
    std::fs::remove_file(place.at("outside.md")).unwrap();
    place.write("shop/named.yaml", CONFIG);
    ard(&place, &["run", "--idea", IDEA, "--config", "named.yaml"]).await.exits(0);
    std::fs::remove_file(place.at("outside.md")).unwrap();
    let mut trust = place.graph(["trust"]);
    trust.current_dir(place.at("shop")).env("HOME", place.path());
    let told = done(trust).await.exits(0);
    assert!(
        told.out.starts_with("config.yaml:4:1: write ") && told.out.contains("/outside.md, which"),
        "{}",
        told.out
    );
    // Also when the debate goes on in another process.
    let stopped = ard(&place, &["run", "--idea", IDEA, "--step-limit", "1"]).await;
    ard(&place, &["resume", &stopped.thread()]).await.exits(0);
    assert!(place.at("outside.md").is_file());
}

#[tokio::test]
async fn a_path_that_only_a_checkpoint_names_leads_nowhere_outside() {
    let place = place();
    let stopped =
        ard(&place, &["run", "--idea", IDEA, "--output", "../outside.md", "--step-limit", "1"]).await;
    let told = ard(&place, &["resume", &stopped.thread()]).await.exits(2);
    assert!(told.err.contains("../outside.md: it leads out of the working folder, to "), "{}", told.err);
    assert!(!place.at("outside.md").exists());
    // The command that the run printed says the path again, and a later one wins.
    let command = stopped.command("to continue: ");
    assert!(command.ends_with(" --output ../outside.md"), "{command}");
    let mut shell = place.shell(&format!("{command} --output other.md"));
    shell.current_dir(place.at("shop"));
    done(shell).await.exits(0);
    assert!(place.at("shop/other.md").is_file() && !place.at("outside.md").exists());
}
