//! Debates with a history above the token limit of their models.

use serde_json::{Value, json};
use stategraph::workflows::ard::input::settings::{DebateSettings, OnBadDraft};

use super::kit::{Kit, challenged, draft, labels, last_message, script};

fn summary(number: usize) -> Value {
    json!({ "paragraph": format!("Paragraph {number}.\n\nOn two lines.") })
}

fn forgetful(settings: &mut DebateSettings) {
    settings.history.default = 1;
}

/// Seven rounds; a summary before each call of the architect that has more than three rounds behind it.
fn seven_rounds() -> Vec<Value> {
    let mut answers = Vec::new();
    for round in 1..=7_usize {
        if round > 4 {
            answers.push(summary(round - 4));
        }
        answers.push(draft(&["Shop"], usize::from(round > 1)));
        answers.push(challenged(&[("completeness", &format!("Objection {round}."))]));
    }
    answers
}

#[tokio::test]
async fn the_last_three_rounds_stay_and_earlier_ones_become_a_paragraph() {
    // ARD-52, ARD-53, ARD-54: no round is summarised twice, and the paragraph serves both agents
    let kit = Kit::new(6).set(forgetful);
    let model = script(seven_rounds());
    let debate = kit.done(&model).await;
    assert_eq!(debate.challenge_history.len(), 7, "the state keeps all of them");
    let kept = debate.condensed.expect("a paragraph");
    assert_eq!((kept.paragraph.as_str(), kept.rounds_covered), ("Paragraph 3. On two lines.", 3));

    let asked = model.requests();
    let summaries: Vec<_> = asked
        .iter()
        .filter(|request| request.task.as_ref().is_some_and(|task| task.name == "ard.summarise"))
        .map(last_message)
        .collect();
    assert_eq!(summaries.len(), 3);
    for (number, prompt) in (1..).zip(&summaries) {
        let objections: Vec<_> = (1..=7).filter(|n| prompt.contains(&format!("Objection {n}."))).collect();
        assert_eq!(objections, [number], "each is summarised once: {prompt}");
    }
    assert!(summaries[1].contains("Paragraph 1. On two lines."), "the paragraph before goes into the next");

    let last_draft = last_message(&asked[asked.len() - 2]);
    let last_review = last_message(&asked[asked.len() - 1]);
    for prompt in [last_draft, last_review] {
        let paragraph = prompt.find("Paragraph 3. On two lines.").expect("the paragraph");
        assert!(!prompt.contains("Objection 3."), "{prompt}");
        for round in 4..=6 {
            let at = prompt.find(&format!("Objection {round}.")).expect("verbatim");
            assert!(paragraph < at, "the paragraph stands before the rounds: {prompt}");
        }
    }
}

#[tokio::test]
async fn the_limit_is_a_models_own() {
    // ARD-54: only the reviewer's model is small, so it is the one that condenses
    let kit = Kit::new(4).set(|settings| {
        settings.history.per_model.insert("test/reviewer".to_owned(), 1);
    });
    let mut answers = Vec::new();
    for round in 1..=5_usize {
        answers.push(draft(&["Shop"], usize::from(round > 1)));
        if round > 4 {
            answers.push(summary(1));
        }
        answers.push(challenged(&[("completeness", &format!("Objection {round}."))]));
    }
    let model = script(answers);
    let debate = kit.done(&model).await;
    assert_eq!(labels(&model)[8..], ["architect", "reviewer", "reviewer"]);
    assert!(last_message(&model.requests()[8]).contains("Objection 1."), "the architect reads all of it");
    assert!(!last_message(&model.requests()[10]).contains("Objection 1."));
    assert_eq!((debate.reviewer.calls, debate.architect.calls), (6, 5));
}

#[tokio::test]
async fn a_blank_paragraph_is_asked_for_once_more() {
    // ARD-53, ENG-14
    let kit = Kit::new(6).set(forgetful);
    let mut answers = seven_rounds();
    answers.insert(8, json!({ "paragraph": " " }));
    let model = script(answers);
    kit.done(&model).await;
    assert!(last_message(&model.requests()[9]).contains("`paragraph` is blank"));
}

#[tokio::test]
async fn a_paragraph_that_is_refused_twice_is_written_by_rules_if_the_settings_say_so() {
    let kit = Kit::new(6).set(forgetful).set(|settings| settings.on_bad_draft = OnBadDraft::FallBack);
    let mut answers = seven_rounds();
    answers[8] = json!({ "paragraph": " " });
    answers.insert(8, json!({ "paragraph": " " }));
    let debate = kit.done(&script(answers)).await;
    assert_eq!(debate.challenge_history.len(), 7);
    assert!(kit.spec().contains("The summary of earlier rounds was written by rules"), "{}", kit.spec());
}
