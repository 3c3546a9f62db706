//! What a debate can be asked to do besides the seed's rules: weigh challenges, check that a design can be built, last longer.

use serde_json::{Value, json};
use stategraph::workflows::ard::input::settings::{Buildability, SeverityRule};
use stategraph::workflows::ard::state::DebateStatus;

use super::kit::{Kit, draft, labels, script, verified};

fn minor(text: &str) -> Value {
    json!({
        "status": "needs_revision",
        "challenges": [{ "id": 1, "category": "ambiguity", "description": text, "severity": "minor" }],
    })
}

#[tokio::test]
async fn minor_challenges_pass_as_notes_if_challenges_are_weighed() {
    // ARD-51
    let kit = Kit::new(10).set(|settings| settings.severity = SeverityRule::CriticalOnly);
    let model = script([draft(&["Shop"], 0), minor("Which colour?")]);
    let debate = kit.done(&model).await;
    assert_eq!(debate.status, DebateStatus::Verified);
    let spec = kit.spec();
    assert!(spec.contains("Which colour?") && spec.contains("they stand as notes"), "{spec}");
    assert!(!spec.contains("Trace Log"));
    let asked = &model.requests()[1];
    assert!(asked.messages[0].content.contains("critical or minor"));
    assert!(asked.answer.as_ref().expect("a schema").schema.as_value().to_string().contains("severity"));
}

#[tokio::test]
async fn challenges_are_not_weighed_by_default() {
    // ARD-51: a minor challenge asks for a revision like any other
    let kit = Kit::new(10);
    let model = script([draft(&["Shop"], 0), minor("Which colour?"), draft(&["Shop"], 1), verified()]);
    let debate = kit.done(&model).await;
    assert_eq!((labels(&model).len(), debate.challenge_history.len()), (4, 2));
}

#[tokio::test]
async fn a_verified_draft_that_cannot_be_built_goes_back_if_that_is_checked() {
    // ARD-70
    let circle = json!({
        "components": [
            { "name": "Shop", "type": "Subsystem", "purpose": "Asks Oven." },
            { "name": "Oven", "type": "Utility", "purpose": "Asks Shop." },
        ],
        "design_rationale": "",
    });
    let answers = || [circle.clone(), verified(), draft(&["Shop"], 1), verified()];
    let kit = Kit::new(10).set(|settings| settings.buildability = Buildability::Checked);
    let model = script(answers());
    let debate = kit.done(&model).await;
    assert_eq!((debate.challenge_history.len(), debate.iteration), (2, 1));
    let found = &debate.challenge_history[0].challenges[0].description;
    assert_eq!(found, "Shop and Oven depend on one another in a circle, so none of them can be built first.");
    assert!(model.requests()[2].messages[1].content.contains("in a circle"), "the architect is told");
    let unchecked = script(answers());
    Kit::new(10).done(&unchecked).await;
    assert_eq!(unchecked.requests().len(), 2, "off by default");
}

#[tokio::test]
async fn what_passes_with_notes_has_to_be_buildable_too() {
    // ARD-51, ARD-70
    let torn = json!({
        "components": [{ "name": "Shop", "type": "Subsystem", "purpose": "Asks BreadStore." }],
        "design_rationale": "",
    });
    let kit = Kit::new(10).set(|settings| {
        settings.buildability = Buildability::Checked;
        settings.severity = SeverityRule::CriticalOnly;
    });
    let debate = kit.done(&script([torn, minor("Which?"), draft(&["Shop"], 2), verified()])).await;
    let first = &debate.challenge_history[0].challenges;
    assert_eq!(first.iter().map(|challenge| challenge.id).collect::<Vec<_>>(), [1, 2]);
    assert!(first[0].description.contains("BreadStore") && first[1].description == "Which?");
}

#[tokio::test]
async fn a_thorough_debate_lasts_its_rounds_but_not_beyond_the_limit() {
    // ARD-71, ENG-20
    for (rounds, limit, held) in [(0, 10, 1), (1, 10, 1), (2, 10, 2), (3, 10, 3), (9, 1, 2)] {
        let kit = Kit::new(limit).set(|settings| settings.minimum_rounds = rounds);
        let model = script((0..held).flat_map(|_| [draft(&["Shop"], 0), verified()]));
        let debate = kit.done(&model).await;
        assert_eq!(debate.challenge_history.len(), held, "{rounds} rounds, limit {limit}");
        assert_eq!(debate.status, DebateStatus::Verified);
    }
}
