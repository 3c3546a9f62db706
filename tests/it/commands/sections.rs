//! `graph run sections`, from outside.

use serde_json::json;
use stategraph_testing::fake_server::{FakeServer, Play, RecordedRequest};
use stategraph_testing::spans_of;

use super::kit::{Done, Place, done};
use super::traces::{collector, traced};

/// A folder with a small package.
fn place() -> Place {
    let place = Place::new();
    place.write("pkg/manifest.yml", "name: acme_gate\ntitle: Acme Gate\nversion: 1.2.0\ntype: integration\n");
    place
        .write("pkg/data_stream/log/manifest.yml", "title: Gate log\ntype: logs\nstreams:\n  - input: tcp\n");
    place
}

async fn sections(place: &Place, more: &[&str]) -> Done {
    done(place.graph([&["run", "sections"], more].concat())).await
}

#[tokio::test]
async fn rules_write_a_document_and_a_question_waits_unless_it_is_answered_beforehand() {
    // SEC-7, SEC-8, SEC-16, SEC-144, SEC-166, SEC-198
    let place = place();
    let asked = sections(&place, &["pkg", "--doc-file", "guide.md", "--preview"]).await.exits(3);
    assert!(asked.err.contains("Accept guide.md"), "{}", asked.err);
    let page = asked.err.lines().find_map(|line| line.trim().strip_prefix("preview: file://"));
    let page = std::fs::read_to_string(page.expect("the question names the page")).unwrap();
    assert!(page.contains("<h1>Acme Gate Integration for Elastic</h1>"), "{page}");
    assert!(!place.at("pkg/_dev").exists(), "nothing is written before it is accepted");
    let answer = asked.command("to answer: ");
    let told = done(place.shell(&answer)).await;
    assert!(place.at("pkg/_dev/build/docs/guide.md").exists(), "{answer}: {}", told.err);
    assert!(place.read("pkg/_dev/build/docs/guide.md").contains("## Overview"));
    let told = sections(&place, &["pkg", "--non-interactive"]).await;
    assert!(told.code == Some(0) || told.code == Some(1), "{}", told.err);
    assert!(told.out.trim().ends_with("pkg/_dev/build/docs/README.md"), "{}", told.out);
}

#[tokio::test]
async fn wrong_wishes_are_refused_with_the_next_step() {
    // SEC-15, SEC-16, SEC-18
    let place = place();
    for (arguments, expected) in [
        (&["pkg", "--debug-critic-only", "--debug-validator-only"][..], "exclude each other"),
        (&["pkg", "--debug-generator-only", "--evaluate"], "exclude each other"),
        (&["pkg", "--modify-prompt", " "], "`--modify-prompt` is empty"),
        (&["pkg", "--api-key", ""], "`--api-key` is empty"),
        (&["pkg", "--doc-file", "docs/README.md"], "has no folder"),
        (&["pkg", "--doc-file", ""], "`--doc-file` is empty"),
        (&["pkg", "--doc-file", "README.txt"], "ends with .md"),
        (&["nowhere"], "cannot open"),
        (&["pkg/manifest.yml"], "is no folder"),
        (&["pkg", "--profile", "readme"], "is no file"),
        (&["pkg", "--profile", "book"], "package or readme"),
        (&["pkg", "--max-iterations", "0"], "from 1 to 20"),
        (&["pkg", "--batch", "a"], "is for evaluations"),
        (&["--evaluate", "--batch", "../pkg"], "is no name of a package"),
        (&["pkg", "--full-validation"], "asks a model, and none was named"),
        (&["pkg", "--evaluate", "--output-dir", "pkg/out"], "is inside the package"),
    ] {
        let told = sections(&place, arguments).await.exits(2);
        assert!(told.err.contains(expected), "{arguments:?}: {}", told.err);
        assert!(told.err.contains("hint: "), "{arguments:?}: {}", told.err);
    }
    place.write("empty/notes.txt", "x");
    let told = sections(&place, &["empty"]).await.exits(2);
    assert!(told.err.contains("is no package"), "{}", told.err);
    place.write("empty.md", "");
    let told = sections(&place, &["empty.md", "--profile", "readme"]).await.exits(2);
    assert!(told.err.contains("is empty"), "{}", told.err);
    let told = sections(&place, &["pkg", "--debug-critic-only"]).await.exits(2);
    assert!(told.err.contains("has no `README.md`"), "{}", told.err);
}

#[tokio::test]
async fn without_the_key_of_the_model_the_way_by_hand_is_told() {
    // SEC-17
    let place = place();
    let told = sections(&place, &["pkg", "--model", "openai/gpt-5"]).await.exits(0);
    for step in ["OPENAI_API_KEY", "by hand", "--non-interactive", "--debug-validator-only"] {
        assert!(told.err.contains(step), "{step}: {}", told.err);
    }
    assert!(!place.at("pkg/_dev").exists());
}

#[tokio::test]
async fn a_batch_takes_its_folder_from_the_environment() {
    // SEC-11, SEC-16
    let place = place();
    place.write("more/pkg/manifest.yml", "name: other\ntitle: Other\nversion: 1.0.0\n");
    let mut command =
        place.graph(["run", "sections", "--evaluate", "--batch", "pkg,absent", "--output-dir", "out"]);
    command.env("INTEGRATIONS_PATH", place.at("more"));
    let told = done(command).await.exits(1);
    assert!(told.err.contains("absent was not evaluated"), "{}", told.err);
    let results: serde_json::Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
    assert!(results["entries"][0]["generated"].as_str().unwrap().contains("# Other Integration"));
    assert!(!place.at("more/pkg/_dev").exists());
}

/// Answers as generator and critic.
fn answers(request: &RecordedRequest) -> Play {
    let messages = request.body["messages"].as_array().unwrap();
    let system = messages[0]["content"].as_str().unwrap();
    if system.contains("You judge") {
        return Play::says(&json!({ "score": 9, "feedback": [] }).to_string());
    }
    Play::says("The log of the gate says who came and who left.")
}

#[tokio::test]
async fn a_trace_has_the_sections_with_their_generators_critics_and_validators() {
    // SEC-6, SEC-152, SEC-154, SEC-155, SEC-175, SEC-195, SEC-197
    let (place, collector) = (place(), collector().await);
    let server = FakeServer::answering(|_, request| answers(request)).await;
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url()));
    let arguments =
        ["run", "sections", "pkg", "--non-interactive", "--model", "local/m", "--max-iterations", "1"];
    done(traced(place.graph(arguments), &collector)).await;
    let spans = spans_of(&collector.requests());
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let generator = named("invoke_agent generator of Overview");
    assert_eq!(generator.len(), 1, "{:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>());
    let calls = spans.iter().filter(|span| span.parent == generator[0].id && span.name.starts_with("chat"));
    assert_eq!(calls.count(), 1, "the call of the model is inside the agent");
    assert!(named("validate critic").iter().all(|span| span.text("openinference.span.kind") == "EVALUATOR"));
    assert_eq!(named("validate critic").len(), 7);
    let structure = named("validate structure");
    assert_eq!(structure.len(), 1, "the document is validated once");
    let attributes = &structure[0].attributes;
    let score = structure[0].attribute("gen_ai.evaluation.score.value").as_f64();
    assert!(score.is_some_and(|score| (0.0..=100.0).contains(&score)), "{attributes:?}");
    assert!(attributes.contains_key("gen_ai.evaluation.score.label"), "{attributes:?}");
}
