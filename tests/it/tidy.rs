//! Holds the rules that no compiler knows: layers, sizes, openers, the shape of workflows, reasons for dependencies.

use std::path::{Path, PathBuf};

/// A file over this needs a reason at its top.
const FILE_LINES: usize = 500;
/// Half of all files are shorter than this.
const MEDIAN_LINES: usize = 150;
/// Nine in ten are shorter than this.
const LONG_LINES: usize = 350;

/// What each layer may use of the crate; ARCHITECTURE.md says what they are.
const LAYERS: &[(&str, &[&str])] = &[
    ("engine", &["nearest"]),
    ("definition", &["engine", "nearest"]),
    ("raster", &["engine"]),
    ("store", &["engine", "nearest"]),
    ("llm", &["nearest"]),
    ("repo", &["nearest"]),
    ("trust", &["repo"]),
    ("agent", &["engine", "llm", "repo", "nearest"]),
    ("kinds", &["engine", "definition", "store", "llm", "repo", "agent", "nearest"]),
    ("workflows", &["engine", "definition", "store", "llm", "repo", "trust", "agent", "kinds", "nearest"]),
    (
        "cli",
        &[
            "engine",
            "definition",
            "store",
            "llm",
            "repo",
            "trust",
            "agent",
            "kinds",
            "workflows",
            "raster",
            "nearest",
        ],
    ),
];

/// The files that every workflow has.
const WORKFLOW_FILES: &[&str] =
    &["mod.rs", "entry.rs", "input.rs", "state.rs", "choices.rs", "nodes.rs", "services.rs", "offline.rs"];

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder, sorted, with their text.
pub(crate) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found
}

pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[track_caller]
pub(crate) fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

#[test]
fn a_layer_uses_only_the_layers_below_it() {
    let mut found = Vec::new();
    for (layer, allowed) in LAYERS {
        for (path, text) in sources(&format!("src/{layer}")) {
            // Documentation may show how the layers are put together.
            let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            for (number, line) in code {
                for used in line.split("crate::").skip(1) {
                    let used: String =
                        used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    let known = LAYERS.iter().any(|(layer, _)| *layer == used) || used == "nearest";
                    if known && used != *layer && !allowed.contains(&used.as_str()) {
                        found.push(format!("{}:{}: {layer} uses {used}", shown(&path), number + 1));
                    }
                }
            }
        }
    }
    none("these imports break the table of layers", &found);
}

#[test]
fn every_folder_of_the_library_is_a_layer() {
    let folders = std::fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let unknown: Vec<String> = folders
        .filter(|folder| folder != "bin" && !LAYERS.iter().any(|(layer, _)| layer == folder))
        .collect();
    none("these folders are in no layer", &unknown);
}

#[test]
fn every_file_opens_with_what_it_is() {
    let all = ["src", "macros/src", "tests/it", "benches", "examples"].into_iter().flat_map(sources);
    let silent: Vec<String> =
        all.filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| shown(&path)).collect();
    none("these files do not say what they are", &silent);
}

#[test]
fn files_are_short() {
    let mut lengths: Vec<(usize, String)> = ["src", "macros/src"]
        .into_iter()
        .flat_map(sources)
        .map(|(path, text)| (text.lines().count(), shown(&path)))
        .collect();
    lengths.sort();
    let long: Vec<String> = lengths
        .iter()
        .filter(|(lines, _)| *lines > FILE_LINES)
        .map(|(lines, path)| format!("{path}: {lines}"))
        .collect();
    none("these files are too long", &long);
    let at = |share: usize| &lengths[(lengths.len() - 1) * share / 100];
    assert!(at(50).0 <= MEDIAN_LINES, "the median file has {} lines", at(50).0);
    assert!(at(90).0 <= LONG_LINES, "nine in ten files should be shorter than {}: {}", at(90).1, at(90).0);
}

#[test]
fn every_workflow_has_the_same_shape() {
    let folder = root().join("src/workflows");
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for workflow in entries.filter(|path| path.is_dir()) {
        for file in WORKFLOW_FILES.iter().filter(|file| !workflow.join(file).is_file()) {
            found.push(format!("{} has no {file}", shown(&workflow)));
        }
        let folder = workflow.file_name().unwrap().to_string_lossy().into_owned();
        // A module's name has no hyphen.
        let name = folder.replace('_', "-");
        for place in [format!("graphs/{name}.yaml"), format!("prompts/{name}"), format!("tests/it/{folder}")]
        {
            if !root().join(&place).exists() {
                found.push(format!("{} has no {place}", shown(&workflow)));
            }
        }
        let catalogue = stategraph::workflows::catalogue();
        if !catalogue.iter().any(|entry| entry.name() == name) {
            found.push(format!("{name} is not in the catalogue"));
        }
    }
    none("these places are missing", &found);
}

#[test]
fn every_dependency_says_why_it_is_there() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut section = String::new();
    let mut before = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            line.clone_into(&mut section);
        } else if section.ends_with("dependencies]") && line.contains(" = ") && !before.starts_with('#') {
            found.push(line.to_owned());
        }
        before = line;
    }
    none("these dependencies give no reason in the line above", &found);
}

#[test]
fn nobody_prints_but_the_printer() {
    let prints = |text: &str| {
        ["println!(", "eprintln!(", "print!(", "eprint!("].iter().any(|print| text.contains(print))
    };
    let printing: Vec<String> = sources("src")
        .into_iter()
        .filter(|(path, _)| !shown(path).starts_with("src/cli/"))
        .flat_map(|(path, text)| {
            let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            let hits: Vec<String> = code
                .filter(|(_, line)| prints(line))
                .map(|(number, _)| format!("{}:{}", shown(&path), number + 1))
                .collect();
            hits
        })
        .collect();
    none("these lines print", &printing);
}
