//! The example graphs and the starter, each with the cases beside it: offline.

use std::fs;
use std::path::{Path, PathBuf};

use stategraph_files::Definition;
use stategraph_kinds::cases::{parse_cases, run_case, write_files};
use stategraph_kinds::toolbox;
use stategraph_repo::Root;

fn graphs() -> Vec<PathBuf> {
    super::at_the_root();
    let folder = Path::new("graphs");
    let list = |name: &str| fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = list("examples").chain(list("starter")).collect();
    files.retain(|path| !path.to_string_lossy().ends_with(".test.yaml"));
    files.sort();
    files
}

// Issue 3, "Build" 3: five example graphs, each run in a test.
#[tokio::test]
async fn every_example_passes_its_own_cases() {
    let mut count = 0;
    for path in graphs() {
        let name = path.to_string_lossy().into_owned();
        let definition =
            Definition::parse(fs::read(&path).unwrap(), &name).unwrap_or_else(|found| panic!("{found}"));
        let beside = path.with_extension("test.yaml");
        let cases = parse_cases(fs::read(&beside).unwrap(), "cases", &definition)
            .unwrap_or_else(|found| panic!("{found}"));
        let folder = tempfile::tempdir().unwrap();
        write_files(&cases.files, folder.path()).unwrap();
        for case in &cases.cases {
            let problems = run_case(&definition, case, toolbox(&Root::open(folder.path()).unwrap())).await;
            assert_eq!(problems, [], "{name}: {}", case.name);
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} cases");
}

// Every part of the expectations is compared: a case that cannot fail would be a defect.
#[tokio::test]
async fn a_case_that_comes_out_otherwise_is_told_with_the_difference() {
    let text = "name: t\nstate:\n  n: { type: object, default: { a: 1, b: [1, 2] } }\n  out: string\nnodes:\n  a: { model: { prompt: p, offline: \"'x'\" }, to: out }\n\
                edges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n";
    let definition = Definition::parse(text, "t.yaml").unwrap();
    let told = async |case: &str| -> Vec<String> {
        let cases = parse_cases(format!("cases:\n  - {{ name: c, {case} }}\n"), "t.test.yaml", &definition)
            .unwrap_or_else(|found| panic!("{found}"));
        let folder = tempfile::tempdir().unwrap();
        let problems =
            run_case(&definition, &cases.cases[0], toolbox(&Root::open(folder.path()).unwrap())).await;
        problems.iter().map(|it| format!("{}: {} / {}", it.place, it.expected, it.actual)).collect()
    };
    assert_eq!(told("expect: { state: { out: x }, ran: [a] }").await, [""; 0]);
    let stopping = text.replace("nodes:", "interrupt_before: all\nnodes:");
    let stopping = Definition::parse(stopping, "t.yaml").unwrap();
    let cases = parse_cases("cases: [{ name: c, expect: { ran: [a] } }]", "t.test.yaml", &stopping).unwrap();
    let nowhere = tempfile::tempdir().unwrap();
    // F56: breakpoints are for people.
    assert_eq!(run_case(&stopping, &cases.cases[0], toolbox(&Root::open(nowhere.path()).unwrap())).await, []);
    assert_eq!(told("expect: { state: { out: y } }").await, ["state.out: \"y\" / \"x\""]);
    assert_eq!(told("expect: { state: { n: { a: 1, b: [1, 3] } } }").await, ["state.n.b[1]: 3 / 2"]);
    assert_eq!(told("expect: { state: { n: { a: 1 } } }").await, ["state.n.b: null / [1,2]"]);
    assert_eq!(told("expect: { ran: [a, a] }").await, ["ran: a, a / a"]);
    assert_eq!(told("expect: { status: waiting }").await, ["status: waiting / done"]);
    assert_eq!(told("answers: [1], expect: {}").await, ["answers: every answer asked for / 1 not asked for"]);
    assert_eq!(
        told("models: { a: [x, y] }, expect: {}").await,
        ["models.a: every answer asked for / 1 not asked for"]
    );
    let events = told("expect: { events: [{ event: task_finished, node: b }] }").await;
    assert!(
        events[0].starts_with("events[0]: {\"event\":\"task_finished\",\"node\":\"b\"} / {"),
        "{events:?}"
    );
    assert!(told("input: {}, models: { a: [] }, expect: {}").await[0].starts_with("status: done / failed: "));
}

#[test]
fn a_test_file_is_checked_against_its_graph() {
    let text = "name: t\nstate:\n  n: integer\nnodes:\n  a: { set: { n: 1 } }\nedges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n";
    let definition = Definition::parse(text, "t.yaml").unwrap();
    let wrong = "cases:\n  - name: c\n    input: { m: 1 }\n    models: { b: [x] }\n    expect: { state: { nn: 1 }, ran: [aa], status: finished, evnts: [] }\n";
    let found = parse_cases(wrong, "t.test.yaml", &definition).unwrap_err();
    let found: Vec<String> = found
        .list()
        .iter()
        .map(|it| format!("{}: {} ({})", it.location.line, it.message, it.hint.as_deref().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            "3: the graph has no input `m` (the graph has no input)",
            "4: the graph has no node `b` (did you mean `a`?)",
            "5: the graph has no channel `nn` (did you mean `n`?)",
            "5: the graph has no node `aa` (did you mean `a`?)",
            "5: the graph has no status `finished` (there are `done`, `waiting` and `failed`)",
            "5: `expect` has no key `evnts` (did you mean `events`?)",
        ]
    );
}
