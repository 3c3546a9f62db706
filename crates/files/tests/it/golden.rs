//! Every file in `tests/golden/bad` with its text, and every good one.

use std::fs;
use std::path::Path;

use stategraph_core::{Draft, StateGraph, check};
use stategraph_files::{Definition, Diagnostics, schema, test_schema};

use super::registry::{Debate, registry};
use super::texts::{check_places, check_texts, files, name};

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

#[test]
fn every_bad_file_says_where_and_what_to_do() {
    for path in files("bad") {
        check_places(&path, &load(&path).map(|_| ()).expect_err("a bad file"));
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
