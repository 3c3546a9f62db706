//! Holds the rules that no compiler knows: layers, sizes, openers, the shape of workflows, reasons for dependencies.

use std::path::{Path, PathBuf};

/// A file over this needs a reason at its top.
const FILE_LINES: usize = 500;
/// Half of all files are shorter than this.
const MEDIAN_LINES: usize = 150;
/// Nine in ten are shorter than this.
const LONG_LINES: usize = 350;

/// The only crates of ours that each library may depend on; ARCHITECTURE.md says what they are. The compiler holds the rest.
const LAYERS: &[(&str, &[&str])] = &[
    ("agent", &["base", "core", "llm", "trace"]),
    ("base", &[]),
    ("code-tools", &["agent", "facts", "repo"]),
    ("core", &["macros"]),
    ("draw", &["core"]),
    ("facts", &["base", "repo"]),
    ("files", &["core", "yaml"]),
    ("kinds", &["agent", "base", "code-tools", "core", "files", "llm", "repo", "trace"]),
    ("llm", &["base", "trace"]),
    ("macros", &[]),
    ("readme", &["base", "repo", "yaml"]),
    ("mcp", &["agent", "base", "core", "llm", "repo", "trust"]),
    ("repo", &["base"]),
    ("sled", &["base", "core"]),
    ("testing", &[]),
    ("trace", &["base"]),
    ("trust", &["base", "repo"]),
    ("yaml", &[]),
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

/// All sources of the libraries and of the programs.
fn all_sources() -> Vec<(PathBuf, String)> {
    let crates = LAYERS.iter().map(|(name, _)| format!("crates/{name}/src"));
    crates.chain(["src".to_owned()]).flat_map(|folder| sources(&folder)).collect()
}

/// All tests, with the name of the crate that they test; none for those of whole programs and workflows.
pub(crate) fn tests() -> Vec<(Option<&'static str>, PathBuf, String)> {
    let crates = LAYERS.iter().map(|(name, _)| (Some(*name), format!("crates/{name}/tests")));
    let folders = crates.chain([(None, "tests/it".to_owned())]);
    let folders = folders.filter(|(_, folder)| root().join(folder).is_dir());
    folders
        .flat_map(|(name, folder)| sources(&folder).into_iter().map(move |(path, text)| (name, path, text)))
        .collect()
}

/// The folders of the workflows; those of the configuration and of the survey are for all of them.
fn workflows() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("src/workflows")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir() && !path.ends_with("config") && !path.ends_with("survey")).collect()
}

#[test]
fn a_layer_uses_only_the_layers_below_it() {
    let mut found = Vec::new();
    for (layer, allowed) in LAYERS {
        let manifest = std::fs::read_to_string(root().join(format!("crates/{layer}/Cargo.toml"))).unwrap();
        // What tests use is not part of a layer.
        let published = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let ours = published.lines().filter_map(|line| line.strip_prefix("stategraph-"));
        let ours = ours.map(|rest| rest.split(['.', ' ']).next().unwrap_or_default());
        found.extend(ours.filter(|used| !allowed.contains(used)).map(|used| format!("{layer} uses {used}")));
    }
    none("these dependencies break the table of layers", &found);
}

/// The names of a workflow's own modules, which may be those of other workflows.
fn modules_of(workflow: &str) -> Vec<String> {
    let files = sources(&format!("src/workflows/{workflow}"));
    let folders = files.iter().filter_map(|(path, _)| path.parent()?.file_name());
    let stems = files.iter().filter_map(|(path, _)| path.file_stem());
    stems.chain(folders).map(|name| format!("{}::", name.to_string_lossy())).collect()
}

/// Returns true if a line names another workflow: by its path, or by its name where no module of its own has that name.
fn names_workflow(line: &str, other: &str, own: &[String]) -> bool {
    let is_own = own.iter().any(|module| module == other);
    let is_word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_named = line.match_indices(other).any(|(at, _)| is_word(at));
    line.contains(&format!("workflows::{other}")) || (!is_own && is_named)
}

#[test]
fn a_workflow_knows_neither_another_nor_the_command_line() {
    let names: Vec<String> =
        workflows().iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let mut found = Vec::new();
    for name in &names {
        let others = names.iter().filter(|other| *other != name).map(|other| format!("{other}::"));
        let others: Vec<String> = others.chain(["cli::".to_owned()]).collect();
        let own = modules_of(name);
        for (path, text) in sources(&format!("src/workflows/{name}")) {
            let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            let used = code.filter(|(_, line)| others.iter().any(|other| names_workflow(line, other, &own)));
            found.extend(used.map(|(number, _)| format!("{}:{}", shown(&path), number + 1)));
        }
    }
    none("these lines of workflows know another, or the command line", &found);
}

#[test]
fn every_crate_is_a_layer_has_a_page_and_is_tested_by_default() {
    let root_manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !LAYERS.iter().any(|(layer, _)| *layer == name) {
            found.push(format!("{name} is in no layer"));
        }
        // Without that, `cargo test` of the README skips it.
        if !root_manifest.contains(&format!("\"crates/{name}\",")) {
            found.push(format!("{name} is not among the default members"));
        }
        let page = std::fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        if page.lines().count() < 5 {
            found.push(format!("{name} has no README.md that says what it is"));
        }
    }
    none("these crates are not whole", &found);
}

/// A newcomer finds each file of the engine in the reading order of ARCHITECTURE.md.
#[test]
fn the_reading_order_names_every_module_of_core() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, order) = page.split_once("### Reading order").expect("the section is there");
    let (order, _) = order.split_once("\n### ").expect("another section follows");
    let modules = sources("crates/core/src").into_iter().filter(|(path, _)| !path.ends_with("store/mod.rs"));
    let missing = modules.filter(|(path, _)| {
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        !order.contains(&format!("`{module}`"))
    });
    let missing: Vec<String> = missing.map(|(path, _)| shown(&path)).collect();
    none("modules of core that are not in the reading order", &missing);
}

#[test]
fn every_file_opens_with_what_it_is() {
    let rest = ["benches", "examples"].into_iter().flat_map(sources);
    let tests = tests().into_iter().map(|(_, path, text)| (path, text));
    // What must not compile says in its message what it is.
    let tests = tests.filter(|(path, _)| !path.components().any(|part| part.as_os_str() == "compile_fail"));
    let all = all_sources().into_iter().chain(tests).chain(rest);
    let silent: Vec<String> =
        all.filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| shown(&path)).collect();
    none("these files do not say what they are", &silent);
}

#[test]
fn files_are_short() {
    let mut lengths: Vec<(usize, String)> =
        all_sources().into_iter().map(|(path, text)| (text.lines().count(), shown(&path))).collect();
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
    let mut found = Vec::new();
    for workflow in workflows() {
        for file in WORKFLOW_FILES.iter().filter(|file| !workflow.join(file).is_file()) {
            found.push(format!("{} has no {file}", shown(&workflow)));
        }
        let folder = workflow.file_name().unwrap().to_string_lossy().into_owned();
        // A module's name has no hyphen.
        let name = folder.replace('_', "-");
        // A folder has one workflow of its name, or a group of workflows.
        let catalogue = stategraph::workflows::catalogue();
        let of_folder = catalogue.iter().filter(|entry| {
            entry.name() == name || entry.place_in_group().is_some_and(|place| place.group == name)
        });
        let graphs: Vec<String> = of_folder.map(|entry| format!("graphs/{}.yaml", entry.name())).collect();
        if graphs.is_empty() {
            found.push(format!("{name} is not in the catalogue"));
        }
        for place in graphs.into_iter().chain([format!("prompts/{name}"), format!("tests/it/{folder}")]) {
            if !root().join(&place).exists() {
                found.push(format!("{} has no {place}", shown(&workflow)));
            }
        }
    }
    none("these places are missing", &found);
}

#[test]
fn every_dependency_says_why_it_is_there() {
    // The crates name what stands there.
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut section = String::new();
    let mut before = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            line.clone_into(&mut section);
        } else if section == "[workspace.dependencies]" && line.contains(" = ") && !before.starts_with('#') {
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
    let printing: Vec<String> = all_sources()
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
