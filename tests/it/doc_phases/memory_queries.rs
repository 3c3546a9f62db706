//! Bounded queries: validation, results, order.

use futures_util::FutureExt;
use serde_json::{Value, json};
use stategraph::llm::{EmbedFuture, Embeddings, ModelError, ModelErrorKind, ModelName};
use stategraph::workflows::doc_phases::memory::*;
use std::sync::Mutex;

use super::memory_kit::*;

fn asked(request: &Value) -> Result<Query, String> {
    let request: QueryRequest = serde_json::from_value(request.clone()).map_err(|error| error.to_string())?;
    Query::try_from(request).map_err(|error| error.to_string())
}

fn found(memory: &Memory, request: &Value) -> QueryResult {
    memory.query(&asked(request).expect("a good query"))
}

fn ids(found: &QueryResult) -> Vec<&str> {
    found.entries.iter().map(|entry| entry["component_id"].as_str().expect("an id")).collect()
}

fn some() -> (tempfile::TempDir, Memory) {
    let (home, memory) = memory();
    let entries = [
        ("auth", 0.9, "Signs users in and keeps sessions.", &["api", "store"][..]),
        ("api", 0.5, "Answers HTTP requests.", &["auth"][..]),
        ("store", 0.5, "Keeps rows in the database.", &[][..]),
    ];
    for (id, confidence, responsibility, uses) in entries {
        let entry = ComponentSummary {
            confidence,
            responsibility: responsibility.into(),
            dependencies: list(uses),
            ..component(id)
        };
        memory.store(entry).expect("valid");
    }
    (home, memory)
}

// DOC-79, 85, 86
#[test]
fn a_query_says_how_much_it_wants() {
    let error = |request: Value| asked(&request).expect_err("no good query");
    assert!(error(json!({ "query_type": "component" })).contains("missing field `max_entries`"));
    assert_eq!(
        error(json!({ "query_type": "component", "max_entries": 0 })),
        "max_entries must be at least 1, but is 0; say how many entries are needed"
    );
    assert!(error(json!({ "query_type": "component", "max_entries": -3 })).contains("but is -3"));
    assert_eq!(
        error(json!({ "query_type": "component", "max_entries": 101 })),
        "max_entries must be at most 100, but is 101; filter the entries, or ask for fewer fields"
    );
    assert_eq!(
        error(json!({ "query_type": "components", "max_entries": 1 })),
        "unknown query_type `components`; known: architecture, component, file, data_model, flow, cross_cutting, note"
    );
    assert!(asked(&json!({ "query_type": "component", "max_entries": 100 })).is_ok());
}

// DOC-80, 82, 83, 84
#[test]
fn fields_that_do_not_exist_are_named() {
    let error = |key: &str, value: Value| {
        let mut request = json!({ "query_type": "component", "max_entries": 1 });
        request[key] = value;
        asked(&request).expect_err("no good query")
    };
    assert_eq!(
        error("filter_by", json!({ "root": "x" })),
        "filter_by names `root`, which is no field of component; did you mean `root_path`?"
    );
    assert!(
        error("required_fields", json!(["zzzzzzzz"])).contains("its fields are component_id, component_name")
    );
    assert!(error("min_confidence", json!(1.5)).contains("from 0.0 to 1.0, but is 1.5"));
    assert!(error("limit", json!(1)).contains("unknown field `limit`"));
    assert!(error("sort_by", json!("size")).contains("unknown variant `size`"));
}

// DOC-82, 83, 84, 85
#[test]
fn entries_are_filtered_sorted_limited_and_cut_to_their_fields() {
    let (_home, memory) = some();
    let all = found(&memory, &json!({ "query_type": "component", "max_entries": 10 }));
    assert_eq!(ids(&all), ["auth", "api", "store"], "the most certain first, then by id");
    let sure =
        found(&memory, &json!({ "query_type": "component", "max_entries": 10, "min_confidence": 0.6 }));
    assert_eq!(ids(&sure), ["auth"]);
    let by = |filter: Value| {
        let query = json!({ "query_type": "component", "max_entries": 10, "filter_by": filter });
        ids(&found(&memory, &query)).join(" ")
    };
    assert_eq!(by(json!({ "root_path": "src/api" })), "api");
    assert_eq!(by(json!({ "dependencies": "auth" })), "api", "a list must hold it");
    assert_eq!(by(json!({ "dependencies": ["api", "store"] })), "auth");
    assert_eq!(by(json!({ "confidence": 0.5, "root_path": "src/store" })), "store");
    assert_eq!(by(json!({ "root_path": "src" })), "", "exactly");
    let cut = found(
        &memory,
        &json!({ "query_type": "component", "max_entries": 1, "required_fields": ["confidence", "component_id"] }),
    );
    assert_eq!(cut.entries, [json!({ "component_id": "auth", "confidence": 0.9 })]);
    assert_eq!(cut.matching, 3);
    assert_eq!(cut.estimated_tokens, Value::from(cut.entries.clone()).to_string().len() / 4);
}

// DOC-64
#[test]
fn an_estimate_is_what_the_query_would_answer() {
    let (_home, memory) = some();
    let query = Query::new(EntryType::Component, 2).expect("bounded");
    let answer = memory.query(&query);
    let estimate = memory.estimate(&query);
    assert_eq!((estimate.entries, estimate.matching, estimate.tokens), (2, 3, answer.estimated_tokens));
    assert_eq!(memory.estimate(&Query::new(EntryType::Flow, 5).expect("bounded")).entries, 0);
}

// DOC-81
#[test]
fn what_changed_last_comes_first_when_asked_for() {
    let (_home, path) = folder();
    for (run, id) in [(3, "old"), (5, "new"), (4, "middle")] {
        Memory::open(&path, at(run)).expect("opens").store(component(id)).expect("valid");
    }
    let memory = Memory::open(&path, at(9)).expect("opens");
    let request = json!({ "query_type": "component", "max_entries": 10, "sort_by": "recency" });
    let answer = found(&memory, &request);
    assert_eq!((ids(&answer), &answer.ranked_by), (vec!["new", "middle", "old"], &RankedBy::Recency));
    let request = json!({ "query_type": "component", "max_entries": 10, "sort_by": "confidence" });
    assert_eq!(found(&memory, &request).ranked_by, RankedBy::Confidence);
}

// DOC-81
#[test]
fn relevance_goes_by_the_words_of_the_wish() {
    let (_home, memory) = some();
    let about = |text: &str| {
        let found = found(&memory, &json!({ "query_type": "component", "max_entries": 1, "about": text }));
        assert_eq!(found.ranked_by, RankedBy::Words);
        ids(&found).join(" ")
    };
    assert_eq!(about("which part writes database rows"), "store");
    assert_eq!(about("HTTP"), "api");
    memory
        .store(ComponentSummary { responsibility: "class `UserSessionStore`".into(), ..component("late") })
        .expect("valid");
    assert_eq!(about("user session store"), "late", "names in code are found by their words");
}

/// An embedding model that knows some synonyms.
struct Thesaurus {
    name: ModelName,
    asked: Mutex<Vec<usize>>,
}

impl Embeddings for Thesaurus {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        self.asked.lock().expect("no panic").push(texts.len());
        let has =
            |text: &str, words: &[&str]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
        let vector = |text: &String| {
            vec![
                has(text, &["Signs", "log in"]),
                has(text, &["HTTP", "web"]),
                has(text, &["rows", "persistence"]),
            ]
        };
        let vectors = texts.iter().map(vector).collect();
        async move { Ok(vectors) }.boxed()
    }
}

/// An embedding model that always fails.
struct FailingEmbeddings(ModelName);

impl Embeddings for FailingEmbeddings {
    fn name(&self) -> &ModelName {
        &self.0
    }

    fn embed<'a>(&'a self, _texts: &'a [String]) -> EmbedFuture<'a> {
        let error = ModelError::new(&self.0, ModelErrorKind::Unreachable { reason: "no route".into() });
        async move { Err(error) }.boxed()
    }
}

// DOC-99
#[tokio::test]
async fn relevance_goes_by_meaning_where_a_model_is_configured() {
    let (_home, memory) = some();
    let model = Thesaurus { name: ModelName::from("test/thesaurus"), asked: Mutex::default() };
    let about = |text: &str| {
        asked(&json!({ "query_type": "component", "max_entries": 1, "about": text })).expect("a good query")
    };
    let answer = memory.query_by_meaning(&about("persistence"), &model).await;
    assert_eq!(
        (ids(&answer), &answer.ranked_by),
        (vec!["store"], &RankedBy::Meaning("test/thesaurus".into()))
    );
    let answer = memory.query_by_meaning(&about("log in"), &model).await;
    assert_eq!(ids(&answer), ["auth"]);
    assert_eq!(*model.asked.lock().expect("no panic"), [4, 1], "what is known is not asked for again");
    let plain = asked(&json!({ "query_type": "component", "max_entries": 1 })).expect("a good query");
    assert_eq!(
        memory.query_by_meaning(&plain, &model).await,
        memory.query(&plain),
        "nothing to compare with"
    );
    assert_eq!(model.asked.lock().expect("no panic").len(), 2);
}

// DOC-99
#[tokio::test]
async fn without_its_model_relevance_goes_by_words_and_says_so() {
    let (_home, memory) = some();
    let query = asked(&json!({ "query_type": "component", "max_entries": 1, "about": "rows" }))
        .expect("a good query");
    let answer = memory.query_by_meaning(&query, &FailingEmbeddings(ModelName::from("test/gone"))).await;
    assert_eq!((ids(&answer), &answer.ranked_by), (vec!["store"], &RankedBy::Words));
    let notice = answer.notice.expect("it is said");
    assert!(
        notice.starts_with("ranked by words, not by meaning: ") && notice.contains("no route"),
        "{notice}"
    );
}
