//! Debates of capable models, written by hand: an architect and a reviewer who knew nothing but their requests. Replayed, they end as
//! they did, and their documents keep what was promised.

use serde::Deserialize;
use serde_json::Value;
use stategraph::workflows::ard::analysis::IdeaAnalysis;
use stategraph::workflows::ard::state::Ending;

use super::kit::{Kit, script};

/// A debate: the idea, and the answers of architect and reviewer in turn.
#[derive(Deserialize)]
struct WrittenDebate {
    idea: String,
    answers: Vec<Value>,
}

async fn replay(name: &str) -> String {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/ideas/debates/{name}.json"));
    let written: WrittenDebate = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut kit = Kit::new(4);
    kit.idea = written.idea;
    let model = script(written.answers.clone());
    let debate = kit.done(&model).await;
    assert_eq!(debate.ending(), Ending::Verified, "{name}");
    assert_eq!(model.requests().len(), written.answers.len(), "{name}: every answer is taken as it is");
    let (spec, analysis) = (kit.spec(), IdeaAnalysis::of(&kit.idea));
    let trace = spec.split("\n## Traceability\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    for statement in &analysis.statements {
        assert!(trace.contains(&format!("| S{} |", statement.number)), "{name}: {trace}");
    }
    assert!(!trace.contains("not covered"), "{name}: {trace}");
    spec
}

#[tokio::test]
async fn a_tool_shed_without_internet() {
    let spec = replay("tool-shed").await;
    // Help for people without a phone, and hours without a network, are asked for and not left out.
    assert!(spec.contains("Not built: deposits") && spec.contains("Not built: ratings"), "{spec}");
    assert_eq!(spec.matches("Not built: ").count(), 2, "{spec}");
}

#[tokio::test]
async fn a_watch_over_licences() {
    let spec = replay("licence-watch").await;
    assert!(!spec.contains("Not built: "), "a second run without network is asked for: {spec}");
}

#[tokio::test]
async fn loggers_in_vans() {
    let spec = replay("vaccine-vans").await;
    for part in
        ["> **Verified**", "## Quality goals", "stateDiagram-v2", "Not built: remote control of the cooling"]
    {
        assert!(spec.contains(part), "{part}: {spec}");
    }
    // Measures that the idea does not give are proposals.
    assert!(spec.contains("| proposed, for S"), "{spec}");
}

#[tokio::test]
async fn lunches_of_schools() {
    let spec = replay("school-lunches").await;
    // A sentence is not cut at "8 a.m."; numbers and people are in the requirements of the design.
    assert!(spec.contains("order or cancel until 8 a.m. of the same day. | R"), "{spec}");
    assert!(!spec.contains("## Actors") && !spec.contains("## Numbers"), "{spec}");
}

#[tokio::test]
async fn an_archive_of_a_radio_station() {
    let spec = replay("radio-archive").await;
    // An answer that a later challenge takes up again may still hold.
    assert!(spec.contains("(taken up again in round 2, challenge "), "{spec}");
}

#[tokio::test]
async fn questions_to_manuals() {
    let spec = replay("manuals").await;
    // The requirement about the load comes from the statement about it.
    let load = "| S8 | 40 users at most at a time, first words of an answer within 3 seconds. | R13, ";
    assert!(spec.contains(load), "{spec}");
    // "No customer data may reach a third party" forbids; it rules out no data of customers.
    assert!(spec.contains("no customer data may reach a third party. | R3, R4 → "), "{spec}");
    assert!(!spec.contains("Not built: "), "{spec}");
}

#[tokio::test]
async fn plots_of_an_allotment_club() {
    let spec = replay("allotment-plots").await;
    // "We take no payments online" limits what is built, and names nothing that is left out.
    assert!(!spec.contains("Not built: "), "{spec}");
}

#[tokio::test]
async fn a_tool_that_repairs_subtitles() {
    let spec = replay("subtitle-repair").await;
    assert!(!spec.contains("**Contradiction.**") && !spec.contains("Not built: cut"), "{spec}");
    assert_eq!(spec.matches("Not built: ").count(), 3, "{spec}");
}

#[tokio::test]
async fn meals_on_wheels() {
    let spec = replay("meals-on-wheels").await;
    assert_eq!(
        spec.matches("Not built: ").count(),
        1,
        "the only thing left out is an app for relatives: {spec}"
    );
}

#[tokio::test]
async fn nights_at_a_telescope() {
    let spec = replay("telescope-nights").await;
    assert!(!spec.contains("Not built: "), "{spec}");
}

#[tokio::test]
async fn lost_property_of_buses() {
    let spec = replay("lost-property").await;
    assert!(spec.contains("Not built: mobile app") && spec.contains("Not built: shipping by post"), "{spec}");
    // The notes speak of terms and requirements, so they stand behind these.
    let at = |heading: &str| spec.find(heading).unwrap_or_else(|| panic!("{heading}: {spec}"));
    assert!(at("## Requirements") < at("## Notes of the reviewer"), "{spec}");
}
