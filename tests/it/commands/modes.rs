//! The modes of files that hold prompts, answers and states: their owner reads them, and no other user.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::kit::{IDEA, Place, done};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// All files and folders below a folder, and the folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(below(&path)) } else { found.push(path) }
    }
    found
}

#[track_caller]
fn assert_private(folder: &Path) {
    let all = below(folder);
    assert!(all.len() > 1, "{all:?}");
    for path in all {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

/// A line for a shell with the umask that most systems have.
async fn run(place: &Place, line: &str) {
    done(place.shell(&format!("umask 022; {line}"))).await.exits(0);
}

#[tokio::test]
async fn checkpoints_and_recordings_are_private_and_outputs_are_not() {
    let place = Place::new();
    run(&place, &format!("ard run --idea '{IDEA}' --record tape.jsonl --checkpoints deep/down")).await;
    assert_private(&place.at("deep"));
    assert_eq!(mode(&place.at("tape.jsonl")), 0o600);
    assert_eq!(mode(&place.at("spec.md")), 0o644);
    // Pruning writes the journal anew.
    let names = below(&place.at("deep/down/threads"));
    let journal = names.iter().find(|path| path.extension().is_some_and(|ending| ending == "log")).unwrap();
    let thread = journal.file_stem().unwrap().to_str().unwrap();
    run(&place, &format!("graph prune {thread} --keep 1 --checkpoints deep/down")).await;
    assert_private(&place.at("deep"));
}

#[tokio::test]
async fn folders_that_were_there_keep_their_mode_and_new_files_in_them_are_private() {
    let place = Place::new();
    place.write("checkpoints/threads/.keep", "");
    std::fs::set_permissions(place.at("checkpoints/threads"), PermissionsExt::from_mode(0o755)).unwrap();
    run(&place, &format!("ard run --idea '{IDEA}'")).await;
    assert_eq!(mode(&place.at("checkpoints/threads")), 0o755);
    for file in below(&place.at("checkpoints")).iter().filter(|path| path.is_file()) {
        if !file.ends_with(".keep") {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
    }
}

#[tokio::test]
async fn results_of_nodes_that_are_kept_are_private() {
    let place = Place::new();
    let graph = "name: kept\nstate:\n  a: { type: integer, default: 1 }\nnodes:\n  \
                 one: { set: { a: \"state.a + 1\" }, cache: { ttl: 1h } }\nedges:\n  \
                 - { from: START, to: one }\n  - { from: one, to: END }\n";
    place.write("kept.yaml", graph);
    run(&place, "graph run kept.yaml").await;
    assert_private(&place.at("checkpoints/cache"));
}

#[tokio::test]
async fn sessions_and_debug_files_are_private_and_git_leaves_them_out() {
    let place = Place::new();
    place.write("repo/src/main.rs", "fn main() {}\n");
    run(&place, "graph run doc-phases repo || [ $? = 1 ]").await;
    assert_private(&place.at("repo/.agentic/doc_sessions"));
    assert_eq!(mode(&place.at("repo/.agentic/documentation/ARCHITECTURE.md")), 0o644);
    let ignored = place.read("repo/.agentic/.gitignore");
    assert!(ignored.lines().any(|line| line == "/doc_sessions/"), "{ignored}");
    assert!(!ignored.contains("documentation/"), "documents are made to be published: {ignored}");
    // A file of the user's own stays.
    place.write("repo/.agentic/.gitignore", "mine");
    run(&place, "graph run doc-phases repo || [ $? = 1 ]").await;
    assert_eq!(place.read("repo/.agentic/.gitignore"), "mine");
}
