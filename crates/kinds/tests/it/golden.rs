//! Every file in `tests/golden/definitions/bad` and the exact text that a user reads about it. `UPDATE=1` rewrites the texts.

use std::fs;
use std::path::{Path, PathBuf};

use stategraph_core::{Draft, StateGraph, check};
use stategraph_files::{Definition, Diagnostics, schema, test_schema};

use super::{Debate, registry};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/definitions").join(folder);
    let entries = fs::read_dir(&folder).expect("the golden folder is in the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "yaml" || kind == "json"));
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

fn load(path: &Path) -> Result<StateGraph<Debate>, Diagnostics> {
    Definition::parse(fs::read(path).expect("readable"), name(path))?.build(&registry())
}

// ENG-3, D1, D2, F6; issue 2, "Bad input".
#[test]
fn every_bad_file_is_refused_with_its_text() {
    let files = files("bad");
    assert!(files.len() >= 30, "only {} bad files", files.len());
    check_texts(files, |path| load(path).map(|_| ()));
}

/// Each file is refused with the text beside it; `UPDATE=1` rewrites the texts.
fn check_texts(files: Vec<PathBuf>, read: impl Fn(&Path) -> Result<(), Diagnostics>) {
    super::at_the_root();
    let mut wrong = Vec::new();
    for path in files {
        let Err(found) = read(&path) else { panic!("{} was accepted", name(&path)) };
        let printed = format!("{found}\n");
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&golden, &printed).expect("writable");
        } else if fs::read_to_string(&golden).unwrap_or_default() != printed {
            wrong.push(format!("{}:\n{printed}", name(&path)));
        }
    }
    assert!(wrong.is_empty(), "these texts changed; UPDATE=1 rewrites them\n{}", wrong.join("\n"));
}

/// A graph that needs no Rust, or what is wrong with it.
fn inline(path: &Path) -> Result<(), Diagnostics> {
    let definition = Definition::parse(fs::read(path).expect("readable"), name(path))?;
    if definition.schema().is_none() {
        return definition.build(&registry()).map(|_| ());
    }
    stategraph_kinds::graph(&definition).map(|_| ())
}

// Issue 3: at least 60 defects of graphs without Rust, each with its golden message.
#[test]
fn every_bad_file_without_rust_is_refused_with_its_text() {
    let files = files("without_rust");
    assert!(files.len() >= 60, "only {} bad files", files.len());
    check_texts(files, inline);
}

#[test]
fn every_bad_file_says_where_and_what_to_do() {
    let inline = files("without_rust").into_iter().map(|path| {
        let found = inline(&path).expect_err("a bad file");
        (path, found)
    });
    let registered = files("bad").into_iter().map(|path| {
        let found = load(&path).map(|_| ()).expect_err("a bad file");
        (path, found)
    });
    for (path, diagnostics) in inline.chain(registered) {
        for found in diagnostics.list() {
            assert!(found.hint.is_some(), "{}: no hint: {found:?}", name(&path));
            assert!(found.place.line >= 1 && found.place.column >= 1, "{}: {found:?}", name(&path));
            assert_eq!(found.file, name(&path));
            assert!(!found.message.ends_with('.'), "{}: {found:?}", name(&path));
        }
        let places: Vec<usize> = diagnostics.list().iter().map(|found| found.place.span.start).collect();
        assert!(places.is_sorted(), "{}: {places:?}", name(&path));
    }
}

#[test]
fn every_good_file_builds_and_is_valid_by_the_published_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    for path in files("good") {
        let graph = load(&path).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert_eq!(check(graph.draft()), []);
        assert_valid(&validator, &fs::read_to_string(&path).expect("readable"), &name(&path));
    }
    assert_valid(&validator, include_str!("../../../../graphs/ard.yaml"), "ard.yaml");
    assert_valid(&validator, include_str!("../../../../graphs/starter/starter.yaml"), "starter.yaml");
    let tests = jsonschema::validator_for(&test_schema()).expect("the schema is a schema");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../graphs/examples");
    for entry in fs::read_dir(folder).expect("the examples are in the repository") {
        let path = entry.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        let of_cases = name(&path).ends_with(".test.yaml");
        assert_valid(if of_cases { &tests } else { &validator }, &text, &name(&path));
    }
}

fn assert_valid(validator: &jsonschema::Validator, text: &str, name: &str) {
    let text = text.trim_start_matches('\u{feff}');
    let options = serde_saphyr::options! { strict_booleans: true };
    let value: serde_json::Value = serde_saphyr::from_str_with_options(text, options).expect("YAML");
    let problems: Vec<String> =
        validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}");
}

// ENG-23
#[test]
fn the_graph_of_ard_is_what_its_file_says() {
    let definition =
        Definition::parse(include_str!("../../../../graphs/ard.yaml"), "ard.yaml").expect("a good file");
    definition.check().expect("no defects");
    assert_eq!(definition.state_name(), Some("ard"));
    assert_eq!(
        definition.uses().collect::<Vec<_>>(),
        ["ard.architect", "ard.reviewer", "ard.clarify", "ard.write_spec"]
    );
    let Draft { nodes, edges, .. } = definition.draft();
    assert_eq!((nodes.len(), edges.len()), (4, 5));
}
