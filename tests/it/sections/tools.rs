//! The tools of the generator.

use serde_json::json;

use super::kit::{Place, Says, SectionsModel, Writing, text, writes};

/// Runs with a generator that makes these calls in its first answer about `Setup`, and returns their results.
async fn results(place: &Place, calls: &[(&'static str, serde_json::Value)]) -> Vec<String> {
    let (calls, words) = (calls.to_vec(), writes("Words"));
    let model = SectionsModel::new(move |ask| {
        if ask.label == "generator" && ask.title == "Setup" && ask.is_first() {
            return Says::Calls(calls.iter().cloned().map(|(name, it)| (name.into(), it)).collect());
        }
        words(ask)
    });
    Writing::with(&model).run(place).await.unwrap();
    let second = model.about("generator", "Setup").into_iter().find(|ask| !ask.is_first()).unwrap();
    let results =
        second.request.messages.iter().filter(|message| message.role == stategraph::llm::Role::Tool);
    results.map(|message| message.content.clone()).collect()
}

#[tokio::test]
async fn tools_read_the_package_and_hide_its_documents() {
    // SEC-30, SEC-31, SEC-127, SEC-129, SEC-130, SEC-192, SEC-193
    let place = Place::new();
    place.write("pkg/docs/README.md", "# Rendered\n\n## Setup\n\nOld words.\n");
    place.write("outside.txt", "secret");
    let results = results(
        &place,
        &[
            ("get_service_info", json!({ "readme_section": "Setup" })),
            ("read_file", json!({ "path": "manifest.yml" })),
            ("read_file", json!({ "path": "docs/README.md" })),
            ("read_file", json!({ "path": "../outside.txt" })),
            ("list_directory", json!({ "path": "." })),
            ("get_readme_template", json!({})),
            ("list_examples", json!({})),
            ("get_example", json!({ "name": "no such example" })),
        ],
    )
    .await;
    assert!(results[0].contains("Open the gate"), "{}", results[0]);
    assert!(results[1].contains("acme_gate"), "{}", results[1]);
    assert!(results[2].contains("is not shown"), "{}", results[2]);
    assert!(!results[3].contains("secret"), "{}", results[3]);
    assert!(results[4].contains("data_stream"), "{}", results[4]);
    assert!(results[5].contains("What it is for."), "{}", results[5]);
    assert!(results[6].contains("\"success\":true"), "{}", results[6]);
    assert!(results[7].contains("there is no example"), "{}", results[7]);
}

#[tokio::test]
async fn files_of_the_generator_are_written_with_the_document_and_only_in_their_folder() {
    // SEC-128
    let place = Place::new();
    let results = results(
        &place,
        &[
            ("get_service_info", json!({ "readme_section": "Setup" })),
            ("write_file", json!({ "path": "_dev/build/docs/more.md", "content": "More.\n" })),
            ("write_file", json!({ "path": "manifest.yml", "content": "broken" })),
            ("write_file", json!({ "path": "_dev/build/docs/README.md", "content": "broken" })),
        ],
    )
    .await;
    assert!(results[2].contains("below `_dev/build/docs/` only"), "{}", results[2]);
    assert!(results[3].contains("is the document"), "{}", results[3]);
    assert_eq!(place.read("pkg/_dev/build/docs/more.md"), "More.\n");
    assert!(place.read("pkg/manifest.yml").contains("acme_gate"));
}

#[tokio::test]
async fn prompts_hold_the_rules_the_instructions_and_the_template_of_the_section() {
    // SEC-52, SEC-84, SEC-85, SEC-87, SEC-88, SEC-163, SEC-176, SEC-178, SEC-179
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", "# Old\n\n## Overview\n\nEarlier words.\n");
    let words = writes("Words");
    let model = SectionsModel::new(move |ask| match ask.label.as_str() {
        "generator" if !ask.is_first() => text(format!("## {}\n\nWords.\n", ask.title)),
        _ => words(ask),
    });
    Writing::with(&model).run(&place).await.unwrap();
    let generator = &model.about("generator", "Overview")[0];
    let system = &generator.request.messages[0].content;
    assert!(system.contains("numbered list, one action a step"), "{system}");
    assert!(generator.task().contains("What it is for."), "{}", generator.task());
    assert!(generator.task().contains("which product the package is for"), "{}", generator.task());
    assert!(generator.task().contains("Earlier words."), "the earlier text: {}", generator.task());
    assert!(generator.task().contains("data stream log (logs, acme_gate.log)"), "{}", generator.task());
    let critic = &model.about("critic", "Overview")[0];
    let system = &critic.request.messages[0].content;
    assert!(
        system.contains("numbered list, one action a step") && system.contains("The text advertises"),
        "{system}"
    );
}
