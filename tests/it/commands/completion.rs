//! Dynamic completion: the programs are called as a shell calls them, with `COMPLETE` and the typed line after `--`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::kit::{Done, Place, done};

/// Returns the candidates for the last word of a line, as fish gets them: one a line, its description behind a tab.
async fn candidates(place: &Place, line: &[&str]) -> Vec<String> {
    let words = [&["--"], line].concat();
    let mut command = if line[0] == "ard" { place.ard(words) } else { place.graph(words) };
    command.env("COMPLETE", "fish");
    let Done { out, err, .. } = done(command).await.exits(0);
    assert_eq!(err, "", "{line:?}");
    out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

/// Returns the candidates for the id of `graph resume`.
async fn thread_ids(place: &Place) -> Vec<String> {
    let all = candidates(place, &["graph", "resume", ""]).await;
    all.into_iter().filter(|word| !word.starts_with('-')).collect()
}

/// Returns every path below a folder with its length and its time of change.
fn tree(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let metadata = entry.metadata().unwrap();
            found.insert(entry.path().display().to_string(), (metadata.len(), metadata.modified().unwrap()));
            if metadata.is_dir() {
                open.push(entry.path());
            }
        }
    }
    found
}

/// A graph, its cases and its schema, and two threads of it.
async fn with_threads() -> Place {
    let place = Place::new();
    done(place.graph(["new", "mine"])).await.exits(0);
    for thread in ["own-1", "own-2"] {
        done(place.graph(["run", "mine.yaml", "--topic", "rust", "--thread", thread])).await.exits(0);
    }
    place
}

#[tokio::test]
async fn thread_ids_are_completed_wherever_a_command_takes_one() {
    let place = with_threads().await;
    let lines: &[&[&str]] = &[
        &["graph", "resume", "o"],
        &["graph", "history", "o"],
        &["graph", "state", "--json", "own-"],
        &["graph", "fork", "o"],
        &["graph", "update", "o"],
        &["graph", "copy", "o"],
        &["graph", "continue", "o"],
        &["graph", "prune", "o"],
        &["graph", "repair", "o"],
        &["graph", "draw", "--thread", "o"],
        &["graph", "check", "mine.yaml", "--against", "o"],
        &["graph", "run", "mine.yaml", "--thread", "o"],
        &["graph", "run", "ard", "--thread", "o"],
        &["ard", "resume", "o"],
        &["ard", "run", "--thread", "o"],
    ];
    for line in lines {
        assert_eq!(candidates(&place, line).await, ["own-1", "own-2"], "{line:?}");
    }
    assert_eq!(candidates(&place, &["graph", "draw", "--thread=own-2"]).await, ["--thread=own-2"]);
    assert_eq!(candidates(&place, &["graph", "resume", "own-3"]).await, [""; 0]);
    std::fs::rename(place.at("checkpoints"), place.at("elsewhere")).unwrap();
    assert_eq!(candidates(&place, &["graph", "resume", "o"]).await, [""; 0]);
    for option in [&["--checkpoints", "elsewhere"][..], &["--checkpoints=elsewhere"]] {
        let line = [&["graph", "resume"], option, &["o"]].concat();
        assert_eq!(candidates(&place, &line).await, ["own-1", "own-2"], "{line:?}");
    }
}

#[tokio::test]
async fn workflows_and_graph_files_are_completed_and_so_are_the_inputs_of_a_graph_file() {
    let place = Place::new();
    done(place.graph(["new", "mine"])).await.exits(0);
    place.write("graphs/other.yaml", "name: other\n");
    place.write("notes.txt", "");
    for command in ["run", "draw"] {
        let all = candidates(&place, &["graph", command, ""]).await;
        for name in ["ard", "doc-phases", "mine.yaml", "graphs/"] {
            assert!(all.iter().any(|word| word == name), "{name} is not in {all:?}");
        }
        for name in ["mine.test.yaml", "graph.schema.json", "notes.txt"] {
            assert!(!all.iter().any(|word| word == name), "{name} is in {all:?}");
        }
        assert_eq!(candidates(&place, &["graph", command, "a"]).await, ["ard", "ard-review"]);
        assert_eq!(candidates(&place, &["graph", command, "graphs/"]).await, ["graphs/other.yaml"]);
    }
    for command in ["check", "test"] {
        let files = candidates(&place, &["graph", command, ""]).await;
        assert_eq!(files[..3], ["mine.test.yaml", "mine.yaml", "graphs/"], "{files:?}");
    }
    assert_eq!(candidates(&place, &["graph", "run", "mine.yaml", "--top"]).await, ["--topic"]);
    assert_eq!(candidates(&place, &["graph", "run", "ard", "--config", "notes"]).await, ["notes.txt"]);
    assert_eq!(candidates(&place, &["graph", "resume", "--checkpoints", "g"]).await, ["graphs/"]);
}

#[tokio::test]
async fn commands_options_and_their_values_are_completed() {
    let place = Place::new();
    assert_eq!(candidates(&place, &["graph", "re"]).await, ["resume", "repair", "replay"]);
    assert_eq!(candidates(&place, &["ard", "re"]).await, ["review", "resume"]);
    assert_eq!(candidates(&place, &["ard", "run", "--arch"]).await, ["--architect-model"]);
    assert_eq!(candidates(&place, &["graph", "draw", "--format", "s"]).await, ["svg"]);
}

#[tokio::test]
async fn a_large_store_gives_a_bounded_list_without_opening_a_journal() {
    let place = Place::new();
    // Opening a named pipe would block forever.
    let make = "mkdir -p checkpoints/threads && cd checkpoints/threads && mkfifo ../locks && \
        seq -f 't-%04g.log' 0 4999 | xargs mkfifo";
    done(place.shell(make)).await.exits(0);
    let before = tree(place.path());
    let asked = candidates(&place, &["graph", "resume", "t"]);
    let all = tokio::time::timeout(Duration::from_secs(20), asked).await.expect("no journal is opened");
    assert_eq!(all.len(), 100);
    // A shell inserts the longest common prefix, so both ends must be there.
    assert_eq!((all[0].as_str(), all[99].as_str()), ("t-0000", "t-4999"));
    let few = candidates(&place, &["graph", "resume", "t-012"]).await;
    assert_eq!(few, (120..130).map(|number| format!("t-{number:04}")).collect::<Vec<_>>());
    assert_eq!(tree(place.path()), before);
}

#[tokio::test]
async fn completion_writes_nothing_also_while_a_thread_is_held() {
    let place = Place::new();
    candidates(&place, &["graph", "resume", ""]).await;
    assert_eq!(tree(place.path()).len(), 0, "no store is created");
    place.write("wait.yaml", "name: wait\nstate: { n: integer }\nnodes:\n  a: { sleep: 60s }\nedges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n");
    let running = place.graph(["run", "wait.yaml", "--thread", "held"]).spawn().unwrap();
    let journal = place.at("checkpoints/threads/held.log");
    for _ in 0..500 {
        if journal.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(candidates(&place, &["graph", "resume", "h"]).await, ["held"]);
    drop(running);
}

#[tokio::test]
async fn a_broken_store_has_no_threads_and_is_no_error() {
    for broken in ["checkpoints", "checkpoints/threads"] {
        let place = Place::new();
        place.write(broken, "not a folder");
        assert_eq!(thread_ids(&place).await, [""; 0], "{broken}");
    }
    let place = Place::new();
    let make = "mkdir -p checkpoints/index checkpoints/threads && cd checkpoints/threads && \
        head -c 9999 /dev/urandom > noise.log && : > empty.log && ln -s nowhere lost.log && mkdir folder.log && \
        touch \"$(printf 'a\\377.log')\" '.log' 'x y.log' x.new && mkdir ../index/db";
    done(place.shell(make)).await.exits(0);
    let found = thread_ids(&place).await;
    assert!(found.iter().all(|id| ["noise", "empty", "lost"].contains(&id.as_str())), "{found:?}");
    // A link out of the working folder may be a stranger's.
    let (outside, place) = (with_threads().await, Place::new());
    std::os::unix::fs::symlink(outside.at("checkpoints"), place.at("checkpoints")).unwrap();
    assert_eq!(thread_ids(&place).await, [""; 0]);
}

#[tokio::test]
async fn each_shell_gets_a_script_that_calls_the_program() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        for program in ["ard", "graph"] {
            let script = done(place.shell(&format!("COMPLETE={shell} {program}"))).await.exits(0).out;
            assert!(script.contains(program) && script.contains("COMPLETE"), "{script}");
        }
    }
    let unknown = done(place.shell("COMPLETE=tcsh graph")).await;
    assert_ne!(unknown.code, Some(0));
    assert!(unknown.err.contains("unknown shell `tcsh`"), "{}", unknown.err);
}

#[tokio::test]
async fn bash_completes_with_the_script_of_the_readme() {
    if !Path::new("/bin/bash").exists() {
        return;
    }
    let place = with_threads().await;
    place.write(
        "complete.bash",
        "source <(COMPLETE=bash graph)\nCOMP_WORDS=(graph resume own)\nCOMP_CWORD=2\nCOMP_TYPE=9\n\
         _clap_complete_graph graph own resume\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n",
    );
    assert_eq!(done(place.shell("/bin/bash complete.bash")).await.exits(0).out, "own-1\nown-2\n");
}
