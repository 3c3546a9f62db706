//! Files that are no files, and files that lie elsewhere: named on the command line, or by a graph file. Each is refused at once,
//! and no text of a file outside of the graph's folder is printed.
#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use super::kit::{Done, Place, done};

/// A line of a file that no graph file may show.
const SECRET: &str = "password=hunter2";

const CHILD: &str = "name: child\nstate: { out: string }\nnodes:\n  n: { set: { out: \"'in'\" } }\n\
                     edges:\n  - { from: START, to: n }\n  - { from: n, to: END }\n";

/// A graph file that includes another one.
fn including(file: &str) -> String {
    format!(
        "name: top\nstate: {{ out: object }}\nnodes:\n  n: {{ subgraph: {{ file: \"{file}\" }}, to: out }}\n\
         edges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: END }}\n"
    )
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Runs to the end; a program that waits for the writer of a pipe is killed, which fails the test.
async fn graph(place: &Place, arguments: &[&str]) -> Done {
    let run = done(place.graph(arguments));
    tokio::time::timeout(Duration::from_mins(2), run).await.expect("the program waits for something")
}

async fn ard(place: &Place, arguments: &[&str]) -> Done {
    let run = done(place.ard(arguments));
    tokio::time::timeout(Duration::from_mins(2), run).await.expect("the program waits for something")
}

#[tokio::test]
async fn an_included_file_outside_of_the_folder_is_refused_and_not_shown() {
    let place = Place::new();
    place.write("secret.yaml", SECRET);
    place.write("in/sub/child.yaml", CHILD);
    symlink(place.at("secret.yaml"), place.at("in/link.yaml")).unwrap();
    symlink(place.path(), place.at("in/up")).unwrap();
    let absolute = place.at("secret.yaml").display().to_string();
    let names =
        ["../secret.yaml", "sub/../../secret.yaml", "link.yaml", "up/secret.yaml", "/proc/self/environ"];
    for name in names.into_iter().chain([absolute.as_str()]) {
        place.write("in/top.yaml", including(name));
        for command in ["check", "run", "draw"] {
            let code = if command == "check" { 1 } else { 2 };
            let refused = graph(&place, &[command, "in/top.yaml"]).await.exits(code);
            assert!(
                refused.err.contains("lies outside of `in`, the folder of the graph file that was named"),
                "{command} {name}: {}",
                refused.err
            );
            assert!(refused.err.contains("at in/top.yaml:4:"), "{}", refused.err);
            assert!(!refused.err.contains("hunter2"), "{}", refused.err);
        }
    }
}

#[tokio::test]
async fn an_included_file_may_lie_below_the_folder_and_name_its_neighbours() {
    let place = Place::new();
    place.write("in/top.yaml", including("sub/middle.yaml"));
    place.write("in/sub/middle.yaml", including("../child.yaml"));
    place.write("in/child.yaml", CHILD);
    symlink("child.yaml", place.at("in/alias.yaml")).unwrap();
    let ran = graph(&place, &["run", "in/top.yaml"]).await.exits(0);
    assert!(ran.out.contains("\"in\""), "{}", ran.out);
    // A link that ends inside names the file at its end.
    place.write("in/top.yaml", including("alias.yaml"));
    graph(&place, &["run", "in/top.yaml"]).await.exits(0);
    // From its own folder the file in `sub` may not name what lies above it.
    let refused = graph(&place, &["run", "in/sub/middle.yaml"]).await.exits(2);
    assert!(refused.err.contains("lies outside of `in/sub`"), "{}", refused.err);
}

// A thread remembers the name of its file; what lies outside then is refused when the file is read again.
#[tokio::test]
async fn a_thread_reads_its_files_again_by_the_same_rules() {
    let place = Place::new();
    place.write("in/top.yaml", including("child.yaml"));
    place.write("in/child.yaml", CHILD);
    place.write("secret.yaml", SECRET);
    let thread = graph(&place, &["run", "in/top.yaml"]).await.exits(0).thread();
    std::fs::remove_file(place.at("in/child.yaml")).unwrap();
    symlink("../secret.yaml", place.at("in/child.yaml")).unwrap();
    for command in [&["resume"][..], &["state"], &["fork"], &["draw", "--thread"]] {
        let refused = graph(&place, &[command, &[&thread]].concat()).await.exits(2);
        assert!(refused.err.contains("lies outside of `in`"), "{command:?}: {}", refused.err);
        assert!(!refused.err.contains("hunter2"), "{command:?}: {}", refused.err);
    }
    std::fs::remove_file(place.at("in/top.yaml")).unwrap();
    pipe(&place.at("in/top.yaml"));
    for command in [&["resume"][..], &["state"], &["fork"], &["draw", "--thread"]] {
        let refused = graph(&place, &[command, &[&thread]].concat()).await.exits(2);
        let told = "it is a named pipe, not a regular file";
        assert!(refused.err.contains(told), "{command:?}: {}", refused.err);
    }
}

#[tokio::test]
async fn a_pipe_or_a_device_as_a_graph_file_is_refused_at_once() {
    let place = Place::new();
    pipe(&place.at("pipe.yaml"));
    symlink("/dev/zero", place.at("device.yaml")).unwrap();
    std::fs::create_dir(place.at("folder.yaml")).unwrap();
    let kinds = [("pipe.yaml", "a named pipe"), ("device.yaml", "a device"), ("folder.yaml", "a folder")];
    for (name, what) in kinds {
        for command in ["run", "check", "draw", "test"] {
            let refused = graph(&place, &[command, name]).await.exits(2);
            let told = format!("cannot read {name}: it is {what}, not a regular file");
            assert!(refused.err.contains(&told), "{command}: {}", refused.err);
            assert!(refused.err.contains("hint: "), "{command}: {}", refused.err);
        }
    }
}

#[tokio::test]
async fn a_pipe_as_an_included_file_or_a_test_file_is_refused_at_once() {
    let place = Place::new();
    pipe(&place.at("pipe.yaml"));
    place.write("top.yaml", including("pipe.yaml"));
    let refused = graph(&place, &["run", "top.yaml"]).await.exits(2);
    assert!(refused.err.contains("it is a named pipe, not a regular file"), "{}", refused.err);
    assert!(refused.err.contains("at top.yaml:4:"), "{}", refused.err);
    place.write("child.yaml", CHILD);
    pipe(&place.at("child.test.yaml"));
    let refused = graph(&place, &["test", "child.yaml"]).await.exits(2);
    assert!(refused.err.contains("child.test.yaml: it is a named pipe"), "{}", refused.err);
}

#[tokio::test]
async fn a_pipe_as_any_other_input_is_refused_at_once() {
    let place = Place::new();
    pipe(&place.at("pipe"));
    place.write("child.yaml", CHILD);
    std::fs::create_dir_all(place.at("own/prompts/ard")).unwrap();
    std::fs::create_dir_all(place.at("other/graphs")).unwrap();
    let prompts = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts/ard")).unwrap();
    let prompt = prompts.map(|entry| entry.unwrap().file_name()).min().unwrap();
    pipe(&place.at("own/prompts/ard").join(prompt));
    pipe(&place.at("other/graphs/ard.yaml"));
    let told = "it is a named pipe, not a regular file";
    for arguments in [
        &["run", "child.yaml", "--input", "@pipe"][..],
        &["run", "child.yaml", "--config", "pipe"],
        &["run", "child.yaml", "--replay", "pipe"],
        &["run", "ard", "--idea-file", "pipe"],
        &["run", "ard", "--idea", "A list.", "--config", "pipe"],
        &["run", "ard", "--idea", "A list.", "--overrides", "own"],
        &["run", "ard", "--idea", "A list.", "--overrides", "other"],
        &["run", "doc-phases", ".", "--budgets", "pipe"],
    ] {
        let refused = graph(&place, arguments).await;
        assert!(refused.err.contains(told), "{arguments:?}: {refused:?}");
        assert!(matches!(refused.code, Some(1 | 2)), "{arguments:?}: {refused:?}");
    }
    let refused = ard(&place, &["run", "--idea-file", "pipe"]).await;
    assert!(refused.err.contains(told), "{refused:?}");
}

// Files that include the same files at each level would double the graph with each level.
#[tokio::test]
async fn a_family_of_files_is_bounded_in_depth_number_and_nodes() {
    let place = Place::new();
    let two = |name: &str, next: usize| {
        format!(
            "name: {name}\nstate: {{ out: object }}\nnodes:\n  n: {{ subgraph: {{ file: a{next}.yaml }}, to: out }}\n  \
             m: {{ subgraph: {{ file: b{next}.yaml }}, to: out }}\n\
             edges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: m }}\n  - {{ from: m, to: END }}\n"
        )
    };
    for level in 0..15 {
        place.write(&format!("a{level}.yaml"), two("a", level + 1));
        place.write(&format!("b{level}.yaml"), two("b", level + 1));
    }
    place.write("a10.yaml", CHILD);
    place.write("b10.yaml", CHILD);
    place.write("top.yaml", two("top", 0));
    graph(&place, &["check", "top.yaml"]).await.exits(0);
    place.write("a10.yaml", two("a", 11));
    place.write("b10.yaml", two("b", 11));
    place.write("a15.yaml", CHILD);
    place.write("b15.yaml", CHILD);
    let refused = graph(&place, &["check", "top.yaml"]).await.exits(1);
    let told = "with the graphs inside it the graph has more than 10000 nodes";
    assert!(refused.err.contains(told), "{}", refused.err);
    for level in 0..41 {
        place.write(&format!("d{level}.yaml"), including(&format!("d{}.yaml", level + 1)));
    }
    place.write("d40.yaml", CHILD);
    graph(&place, &["check", "d0.yaml"]).await.exits(0);
    graph(&place, &["run", "d0.yaml", "--thread", "deep"]).await.exits(0);
    graph(&place, &["history", "deep"]).await.exits(0);
    place.write("d40.yaml", including("d41.yaml"));
    place.write("d41.yaml", CHILD);
    let refused = graph(&place, &["check", "d0.yaml"]).await.exits(1);
    assert!(refused.err.contains("more than 40 deep"), "{}", refused.err);
    let nodes = (0..65).map(|at| format!("  n{at}: {{ subgraph: {{ file: c{at}.yaml }} }}\n"));
    let edges =
        (0..65).map(|at| format!("  - {{ from: START, to: n{at} }}\n  - {{ from: n{at}, to: END }}\n"));
    let wide = format!(
        "name: wide\nstate: {{ out: object }}\nnodes:\n{}edges:\n{}",
        nodes.collect::<String>(),
        edges.collect::<String>()
    );
    (0..65).for_each(|at| place.write(&format!("c{at}.yaml"), CHILD));
    place.write("wide.yaml", wide);
    let refused = graph(&place, &["check", "wide.yaml"]).await.exits(1);
    assert!(refused.err.contains("the graph includes more than 64 files"), "{}", refused.err);
}
