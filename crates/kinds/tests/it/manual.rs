//! The examples of docs/graphs.md: each is checked and run, and its comments hold.

use std::sync::Arc;

use serde_json::{Map, Value};
use stategraph_core::store::{MemoryItems, MemoryStore};
use stategraph_core::{Host, HostRequest, HostStart, Status, ThreadId};
use stategraph_files::{Definition, is_test_file};
use stategraph_kinds::cases::{parse_cases, run_case};
use stategraph_kinds::{Models, Secrets, Services, graph, initial_state, rules, run_context, toolbox};
use stategraph_repo::Root;

const MANUAL: &str = include_str!("../../../../docs/graphs.md");

fn blocks() -> impl Iterator<Item = &'static str> {
    MANUAL.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

fn examples() -> Vec<&'static str> {
    blocks().filter(|block| !is_test_file(block)).collect()
}

#[tokio::test]
async fn the_cases_in_the_manual_pass_and_are_valid_by_the_published_schema() {
    let definition = Definition::parse(examples()[0], "greeting.yaml").unwrap();
    let validator = jsonschema::validator_for(&stategraph_files::test_schema()).unwrap();
    let files: Vec<&str> = blocks().filter(|block| is_test_file(block)).collect();
    assert_eq!(files.len(), 1);
    for file in files {
        let value: Value = serde_saphyr::from_str(file).unwrap();
        assert!(validator.is_valid(&value), "{file}");
        let folder = tempfile::tempdir().unwrap();
        for case in parse_cases(file, "greeting.test.yaml", &definition).unwrap().cases {
            assert_eq!(
                run_case(&definition, &case, toolbox(&Root::open(folder.path()).unwrap())).await,
                [],
                "{}",
                case.name
            );
        }
    }
}

/// Returns a comment of the example.
fn noted(example: &str, name: &str) -> Option<Value> {
    let text = example.lines().find_map(|line| line.strip_prefix(&format!("# {name}: ")))?;
    Some(serde_json::from_str(text).unwrap_or_else(|_| text.into()))
}

async fn runs(example: &str) -> Result<Value, String> {
    super::at_the_root();
    let definition = Definition::parse(example, "graphs.md").unwrap_or_else(|found| panic!("{found}"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    let services =
        Services::new(Models::One(Arc::new(rules()))).tools(toolbox(&Root::open(folder.path()).unwrap()));
    let services = services.secrets(Secrets::none().with("GITHUB_TOKEN", "token", "0123456789"));
    let context = run_context(&definition, &Map::new()).unwrap();
    let definition = definition.with_context(context);
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}")).compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new())).with_long_term(Arc::new(MemoryItems::new()));
    let thread = ThreadId::new("t").unwrap();
    let state = initial_state(&definition, &Map::new()).unwrap();
    let mut request = HostRequest::new(HostStart::Input { state, thread: Some(thread.clone()) });
    let answers = noted(example, "answers").map(|list| list.as_array().unwrap().clone()).unwrap_or_default();
    let (mut answers, mut stops) = (answers.into_iter(), 0);
    loop {
        let mut stream = (&graph as &dyn Host).stream(request).await.unwrap();
        while futures_util::StreamExt::next(&mut stream).await.is_some() {}
        let outcome = stream.outcome().unwrap().map_err(|error| {
            std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
        })?;
        request = HostRequest::new(HostStart::Resume { thread: thread.clone(), at: None });
        if matches!(outcome.status, Status::Paused(_)) {
            stops += 1;
            continue;
        }
        let Status::Waiting(questions) = outcome.status else {
            let expected = noted(example, "stops").map_or(0, |count| count.as_u64().unwrap());
            assert_eq!(stops, expected, "{example}");
            let state: Map<String, Value> = serde_json::from_str(outcome.state.get()).unwrap();
            let outputs = definition.outputs().into_iter().map(|name| (name.to_owned(), state[name].clone()));
            return Ok(Value::Object(outputs.collect()));
        };
        request.answers = vec![(questions[0].id, answers.next().expect("an answer"))];
    }
}

#[tokio::test(start_paused = true)]
async fn every_example_of_the_manual_does_what_it_says() {
    let examples = examples();
    assert!(examples.len() >= 12, "only {} examples", examples.len());
    for example in examples {
        let end = runs(example).await;
        match (noted(example, "result"), noted(example, "error")) {
            (Some(result), None) => assert_eq!(end, Ok(result), "{example}"),
            (None, Some(Value::String(error))) => assert_eq!(end, Err(error), "{example}"),
            _ => panic!("the example says neither what it gives nor how it fails: {example}"),
        }
    }
}

#[test]
fn every_example_of_the_manual_is_valid_by_the_published_schema() {
    let validator = jsonschema::validator_for(&stategraph_files::schema()).unwrap();
    for example in examples() {
        let options = serde_saphyr::options! { strict_booleans: true };
        let value: Value = serde_saphyr::from_str_with_options(example, options).unwrap();
        let problems: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(problems, [""; 0], "{example}");
    }
}

// Every key and every kind that the schema knows has its word in the manual.
#[test]
fn the_manual_names_every_key() {
    let schema = stategraph_files::schema();
    let mut keys: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    for (_, part) in schema["$defs"].as_object().unwrap() {
        keys.extend(part["properties"].as_object().into_iter().flat_map(|map| map.keys().cloned()));
        for alternative in part["anyOf"].as_array().into_iter().flatten() {
            keys.extend(
                alternative["properties"].as_object().into_iter().flat_map(|map| map.keys().cloned()),
            );
        }
    }
    keys.sort();
    keys.dedup();
    let silent: Vec<String> = keys.into_iter().filter(|key| !MANUAL.contains(key.as_str())).collect();
    assert_eq!(silent, [""; 0], "the manual does not name these keys");
}
