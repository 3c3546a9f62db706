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
async fn a_bike_cafe() {
    let spec = replay("bike-cafe").await;
    for part in
        ["> **Verified**", "## Quality goals", "sequenceDiagram", "stateDiagram-v2", "Not built: payments"]
    {
        assert!(spec.contains(part), "{part}: {spec}");
    }
}

#[tokio::test]
async fn a_ledger_checker() {
    let spec = replay("ledger-checker").await;
    assert!(spec.contains("| 20,000 payments should be matched in under one minute. | R9, "), "{spec}");
}

#[tokio::test]
async fn twelve_greenhouses() {
    replay("greenhouses").await;
}

#[tokio::test]
async fn a_housing_cooperative() {
    let spec = replay("housing").await;
    assert!(spec.contains("Not built: chat") && spec.contains("stateDiagram-v2"), "{spec}");
}

#[tokio::test]
async fn questions_to_manuals() {
    let spec = replay("manuals").await;
    // The number with its whole unit; the actor without "every week".
    assert!(spec.contains("| 3,000 PDF pages | S1 |") && spec.contains("- documentation team\n"), "{spec}");
    // The requirement about the load comes from the statement about it.
    assert!(
        spec.contains(
            "| S8 | 40 users at most at a time, first words of an answer within 3 seconds. | R13, "
        ),
        "{spec}"
    );
    // "No customer data may reach a third party" forbids; it rules out no data of customers.
    assert!(spec.contains("no customer data may reach a third party. | R3, R4 → "), "{spec}");
    assert!(!spec.contains("Not built: "), "{spec}");
}
