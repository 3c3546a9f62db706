//! Graph files that want to take all memory or all time: each is refused, with its place and what to do, by a program that may have 256 MiB.
//! `UPDATE=1` rewrites the texts beside the files.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt;
use stategraph::definition::expression::FILTERS;
use stategraph::definition::inline::Reducer;

use super::kit::{Done, Place, done};

/// KiB that the program may take.
const MEMORY: usize = 256 * 1024;

/// The kinds of nodes.
const KINDS: [&str; 14] = [
    "set",
    "overwrite",
    "template",
    "model",
    "tool",
    "agent",
    "map",
    "subgraph",
    "interrupt",
    "http",
    "store",
    "sleep",
    "fail",
    "uses",
];

/// The operators, and what else an expression is made of.
const OPERATORS: [&str; 30] = [
    "concat",
    "add",
    "multiply",
    "subtract",
    "divide",
    "floor_divide",
    "remainder",
    "power",
    "and",
    "or",
    "not",
    "negative",
    "less",
    "less_or_equal",
    "greater",
    "greater_or_equal",
    "equal",
    "not_equal",
    "in",
    "not_in",
    "is",
    "if_else",
    "attribute",
    "item",
    "slice",
    "chain_of_comparisons",
    "call",
    "list",
    "tuple",
    "map",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hostile")
}

/// 20,000 writes to channels that do not exist, in a state of 100 channels.
fn unknown_channels() -> String {
    let channels: Vec<String> = (0..100).map(|i| format!("channel{i}: any")).collect();
    let writes: Vec<String> = (0..20_000).map(|i| format!("      chanel{i}: 1\n")).collect();
    let (state, writes) = (channels.join(", "), writes.concat());
    format!(
        "# Very many channels that do not exist.\nname: unknown\nstate: {{ {state} }}\nnodes:\n  n:\n    set:\n{writes}\
         edges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: END }}\n"
    )
}

/// A file that is too long to keep in the repository, and its name.
const LONG: &str = "yaml_unknown_channels";

fn text(name: &str) -> String {
    if name == LONG {
        return unknown_channels();
    }
    fs::read_to_string(folder().join(format!("{name}.yaml"))).expect("a text of the repository")
}

/// The names of the files, without their ending.
fn names() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the golden folder is in the repository");
    let files = entries.map(|entry| entry.expect("readable").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let mut names: Vec<String> =
        files.map(|path| path.file_stem().expect("a file").to_string_lossy().into_owned()).collect();
    names.push(LONG.to_owned());
    names.sort();
    names
}

/// Runs the graph with so much memory: what it takes besides, it does not get, and the program ends with a signal.
async fn run(place: &Place, name: &str) -> Done {
    let line = format!("ulimit -d {MEMORY}; exec graph run {name}.yaml --checkpoints kept/{name}");
    let run = done(place.shell(&line));
    tokio::time::timeout(Duration::from_mins(5), run).await.unwrap_or_else(|_| panic!("{name} does not end"))
}

/// Files whose tasks run side by side: which of them is one too many differs, and whether its node or the fold of its step meets the limit.
const SIDE_BY_SIDE: [&str; 3] = ["kind_map_of_subgraphs", "kind_map_of_texts", "nodes_at_once"];

/// The error and what follows it.
fn told(name: &str, done: &Done) -> String {
    let at = done.err.find("error:").unwrap_or_else(|| panic!("no error of {name}: {done:?}"));
    format!("{}\n", done.err[at..].trim_end())
}

/// The part of an error that is the same in every run: without numbers, and without the task, where tasks run side by side.
fn settled(name: &str, text: &str) -> String {
    if !SIDE_BY_SIDE.contains(&name) {
        return text.to_owned();
    }
    let parts = text.split(|c: char| c.is_ascii_digit());
    let text = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#");
    let (from, last) = ("what the run holds", "` is #");
    let at = text.find(from).unwrap_or_else(|| panic!("{name} does not say what is too much: {text}"));
    let to = text[at..].find(last).unwrap_or_else(|| panic!("{name} does not say the limit: {text}"));
    format!("{}\n", &text[at..at + to + last.len()])
}

#[tokio::test]
async fn every_hostile_file_is_refused_within_its_memory() {
    let place = Place::new();
    for name in names() {
        place.write(&format!("{name}.yaml"), text(&name));
    }
    place.write("inside/holding.yaml", text("inside/holding"));
    let runs = names().into_iter().map(|name| {
        let place = &place;
        async move {
            let done = run(place, &name).await;
            (name, done)
        }
    });
    let ended: BTreeMap<String, Done> = futures_util::stream::iter(runs).buffer_unordered(2).collect().await;
    let mut wrong = Vec::new();
    for (name, done) in ended {
        let text = told(&name, &done);
        assert!(matches!(done.code, Some(1 | 2)), "{name} ended with {:?}: {text}", done.code);
        // The error for a value that does not fit names the channel and the node.
        let places = [".yaml", "the write to `", "the value written to `"];
        assert!(places.iter().any(|place| text.contains(*place)), "{name} does not say where: {text}");
        assert!(
            text.contains("hint: ") || text.contains("--limits"),
            "{name} does not say what to do: {text}"
        );
        let text = settled(&name, &text);
        let golden = folder().join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&golden, &text).expect("writable");
        } else if fs::read_to_string(&golden).unwrap_or_default() != text {
            wrong.push(format!("{name}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "these texts changed; UPDATE=1 rewrites them\n{}", wrong.join("\n"));
}

#[test]
fn there_is_a_hostile_file_for_each_filter_operator_kind_and_reducer() {
    let names = names();
    let filters = FILTERS.iter().chain(&["count", "d", "e"]).map(|name| format!("filter_{name}"));
    let operators = OPERATORS.iter().map(|name| format!("operator_{name}"));
    let kinds = KINDS.iter().map(|name| format!("kind_{name}"));
    let reducers = Reducer::ALL.iter().map(|(name, _)| *name).chain(["fold"]);
    let reducers = reducers.map(|name| format!("reducer_{name}"));
    let missing: Vec<String> =
        filters.chain(operators).chain(kinds).chain(reducers).filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
