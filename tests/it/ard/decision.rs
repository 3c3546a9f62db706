//! Ambiguities between rules: what they propose, and that every decision ends the matter.

use std::sync::Arc;

use stategraph::engine::Status;
use stategraph::workflows::ard::exchange::{
    Category, Component, ComponentKind, DesignDraft, Review, ReviewRequest,
};
use stategraph::workflows::ard::input::settings::OnAmbiguity;
use stategraph::workflows::ard::offline::review;
use stategraph::workflows::ard::services::offline_model;
use stategraph::workflows::ard::state::{Debate, Ending};

use super::kit::{Kit, thread};

/// An idea whose first sentence says nothing that can be built.
const VAGUE: &str = "A module manages things. It is free of charge.";

fn kit(idea: &str) -> Kit {
    let mut kit = Kit::new(10).set(|settings| settings.on_ambiguity = OnAmbiguity::Ask);
    idea.clone_into(&mut kit.idea);
    kit
}

/// Debates by rules; each question is answered with `answer`, a number or a text.
async fn debated(idea: &str, answer: impl serde::Serialize) -> (Debate, usize) {
    let kit = kit(idea);
    let graph = kit.graph_of(Arc::new(offline_model()), Arc::new(offline_model()));
    let mut outcome = graph.run(kit.state()).thread(thread()).await.expect("it ends or waits");
    let mut asked = 0;
    while let Status::Waiting(open) = &outcome.status {
        asked += open.len();
        assert!(asked < 20, "the same is asked for ever: {open:?}");
        let run = open.iter().fold(graph.resume(&thread()), |run, open| run.answer(open.id, &answer));
        outcome = run.await.expect("it goes on");
    }
    (outcome.state, asked)
}

#[tokio::test]
async fn every_decision_ends_the_matter() {
    // ARD-72 by rules
    for answer in [
        serde_json::json!(1),
        serde_json::json!(2),
        serde_json::json!("Handles it."),
        serde_json::json!("Reads PDF files."),
    ] {
        let (debate, asked) = debated(VAGUE, &answer).await;
        assert_eq!(asked, 1, "{answer}: {debate:#?}");
        assert_eq!(debate.ending(), Ending::NotJudged, "{answer}: {debate:#?}");
        let draft = serde_json::to_string(&debate.current_draft).expect("plain data");
        if let Some(text) = answer.as_str() {
            assert!(draft.contains(text), "the purpose says what was decided: {draft}");
        }
    }
}

#[tokio::test]
async fn ideas_that_say_what_they_want_lead_to_no_question() {
    let (debate, asked) = debated("It validates orders and stores them in a database.", 1).await;
    assert_eq!((asked, debate.ending()), (0, Ending::NotJudged));
}

#[test]
fn rules_propose_two_to_four_options_for_any_vague_component() {
    // ARD-72
    let vague =
        |name: &str| Component::new(name.to_owned(), ComponentKind::Subsystem, "Processes data.".to_owned());
    for (idea, names) in [
        ("Chat", vec!["Chat"]),
        ("Chat", vec!["Chat", "Core", "Thing"]),
        ("The parser parses invoices.", vec!["Parser", "Core"]),
    ] {
        let draft = DesignDraft {
            components: names.iter().map(|name| vague(name)).collect(),
            ..DesignDraft::default()
        };
        let request =
            ReviewRequest { on_ambiguity: OnAmbiguity::Ask, ..ReviewRequest::new(idea, draft.clone(), 1) };
        let reviewed: Review = review(&request);
        assert_eq!(reviewed.check(OnAmbiguity::Ask), Ok(()), "{reviewed:#?}");
        assert_eq!(reviewed.ambiguities().count(), names.len());
        let plain = review(&ReviewRequest::new(idea, draft, 1));
        assert!(plain.challenges.iter().all(|challenge| challenge.options.is_empty()));
        assert!(plain.challenges.iter().any(|challenge| challenge.category == Category::Ambiguity));
    }
}
