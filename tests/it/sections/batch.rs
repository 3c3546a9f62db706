//! Evaluations of one package and of a batch.

use std::sync::Arc;

use serde_json::Value;
use stategraph::workflows::Timestamp;
use stategraph::workflows::sections::input::{ResultFormat, SectionsTask};
use stategraph::workflows::sections::services::SectionsResources;
use stategraph::workflows::sections::{sections_graph, state::SectionsRun};

use super::kit::{Place, Writing, thread};

fn results(place: &Place) -> Value {
    serde_json::from_str(&place.read("evaluations/results.json")).unwrap()
}

#[tokio::test]
async fn an_evaluation_writes_its_result_and_leaves_the_package_as_it_was() {
    // SEC-10, SEC-132, SEC-133, SEC-136, SEC-137, SEC-139, SEC-164, SEC-169
    let place = Place::new();
    std::fs::remove_file(place.path().join("pkg/_dev/build/docs/README.template.md")).unwrap();
    let before = place.files();
    let writing = Writing::by_rules().set(|to| {
        to.task = SectionsTask::Evaluate;
        to.format = ResultFormat::Promptfoo;
    });
    writing.run(&place).await.unwrap();
    assert_eq!(place.files(), before);
    let results = results(&place);
    let entry = &results["entries"][0];
    assert_eq!(entry["package"], "pkg");
    assert!(entry["scores"]["composite"].as_f64().unwrap() > 50.0, "{}", entry["scores"]);
    assert!(entry["generated"].as_str().unwrap().contains("Acme Gate"));
    let promptfoo: Value = serde_json::from_str(&place.read("evaluations/promptfoo.json")).unwrap();
    assert_eq!(promptfoo["results"]["version"], 3);
}

#[tokio::test]
async fn a_batch_has_an_entry_for_each_package_in_the_order_of_the_list() {
    // SEC-11, SEC-134, SEC-138, SEC-165
    let place = Place::new();
    let packages = ["pkg", "missing", "pkg"].map(|name| place.path().join(name));
    let writing = Writing::by_rules().set(|to| {
        to.task = SectionsTask::Batch(packages.to_vec());
        to.parallel = 2;
    });
    let mut resources = writing.resources(&place);
    let (each, folder) = (writing.clone(), place.path().to_owned());
    resources.packages = Some(Arc::new(move |package: &std::path::Path| {
        if !package.is_dir() {
            return Err(format!("{} is no folder", package.display()));
        }
        let prompts = Arc::new(
            stategraph::llm::Prompts::new(stategraph::workflows::sections::services::PROMPTS).unwrap(),
        );
        let settings = stategraph::workflows::sections::input::SectionsSettings {
            task: SectionsTask::Evaluate,
            ..each.settings.clone()
        };
        let mut own = SectionsResources::new(None, prompts, settings, package.to_owned());
        own.folder.clone_from(&folder);
        own.is_in_batch = true;
        Ok(own)
    }));
    let run = SectionsRun::new(writing.settings.clone(), place.path().into(), Timestamp::from_ms(0));
    let ended = sections_graph(resources).run(run).thread(thread()).await.unwrap();
    assert_eq!(ended.state.evaluations.len(), 3);
    let results = results(&place);
    let names: Vec<_> =
        results["entries"].as_array().unwrap().iter().map(|entry| entry["package"].clone()).collect();
    assert_eq!(names, ["pkg", "missing", "pkg"]);
    assert!(results["entries"][1]["error"].as_str().unwrap().contains("is no folder"));
    assert_eq!(results["entries"][0]["scores"], results["entries"][2]["scores"]);
    assert_eq!(
        (results["totals"]["evaluated"].clone(), results["totals"]["failed"].clone()),
        (2.into(), 1.into())
    );
}

#[tokio::test]
async fn two_runs_are_compared() {
    let place = Place::new();
    let writing = Writing::by_rules().set(|to| to.task = SectionsTask::Evaluate);
    writing.run(&place).await.unwrap();
    std::fs::rename(place.path().join("evaluations/results.json"), place.path().join("earlier.json"))
        .unwrap();
    let writing = Writing::by_rules().set(|to| {
        to.task = SectionsTask::Evaluate;
        to.compare = Some("earlier.json".into());
    });
    let ended = writing.run(&place).await.unwrap();
    assert!(ended.state.notes.join("\n").contains("pkg"), "{:?}", ended.state.notes);
    place.write("earlier.json", "no results");
    let error = writing.run(&place).await.unwrap_err();
    assert!(format!("{error:?}").contains("cannot compare with"), "{error:?}");
}
