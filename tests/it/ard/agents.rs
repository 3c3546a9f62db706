//! The requests to the agents, and the handling of answers that break the protocol.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph::engine::RunError;
use stategraph::llm::{AskError, Scripted};
use stategraph::workflows::ard::exchange::DesignDraft;
use stategraph::workflows::ard::input::settings::OnBadDraft;
use stategraph::workflows::ard::state::DebateStatus;

use super::kit::{IDEA, Kit, challenged, draft, labels, last_message, script, two_rounds, verified};

fn said(texts: &[String]) -> Arc<Scripted> {
    Arc::new(texts.iter().fold(Scripted::new("test/model"), Scripted::answer))
}

#[tokio::test]
async fn every_prompt_holds_the_whole_state() {
    // ARD-16, ARD-29, ARD-42
    let kit = Kit::new(10);
    let model = script(two_rounds());
    kit.done(&model).await;
    let asked = model.requests();
    let held = |call: usize, part: &str| last_message(&asked[call]).contains(part);
    for call in 0..4 {
        assert!(held(call, IDEA), "call {call}");
    }
    assert!(!held(0, "<reviews>"), "the first time the history is empty");
    assert!(held(1, "\"Shop\""), "the reviewer reads the draft");
    assert!(held(2, "Where is the oven?") && held(2, "Who mills?") && held(2, "\"Shop\""));
    assert!(held(3, "\"Oven\"") && held(3, "Who mills?") && held(3, "\"answer\":\"dealt with.\""));
    let system = |call: usize| asked[call].messages[0].content.as_str();
    assert_eq!((system(0), system(1)), (system(2), system(3)), "agents are stateless");
    assert!(asked.iter().all(|request| request.messages.len() == 2));
}

#[tokio::test]
async fn a_rejected_draft_is_asked_for_once_more_with_the_exact_objection() {
    // ARD-33, ARD-34, ARD-35, ARD-37, ARD-38, ARD-39
    let no_purpose = json!({ "components": [{ "name": "Shop", "type": "API" }], "design_rationale": "" });
    let not_pascal = json!({ "components": [{ "name": "my shop", "type": "API", "purpose": "Sells." }], "design_rationale": "" });
    for (bad, objection) in [
        (json!({ "design_rationale": "" }), "\"components\" is a required property"),
        (no_purpose, "\"purpose\" is a required property"),
        (
            not_pascal,
            "components[0].name `my shop` is not PascalCase: use letters and digits only, a capital first",
        ),
        (draft(&[], 0), "`components` is empty: at least one component is needed"),
        (draft(&["Shop", "Shop"], 0), "components[1].name `Shop` is taken by an earlier component"),
        (json!("Here is a design."), "is not of type \"object\""),
    ] {
        let kit = Kit::new(10);
        let model = script([bad.clone(), draft(&["Shop"], 0), verified()]);
        let debate = kit.done(&model).await;
        assert_eq!(labels(&model), ["architect", "architect", "reviewer"], "{bad}");
        let asked = model.requests();
        assert!(last_message(&asked[1]).contains(objection), "{}", last_message(&asked[1]));
        assert_eq!(asked[1].messages[2].content, bad.to_string(), "it sees its own answer");
        assert_eq!(debate.architect.calls, 2, "both are counted");
    }
}

#[tokio::test]
async fn a_rationale_that_comes_too_early_goes_without_a_further_question() {
    // ARD-36
    let kit = Kit::new(10);
    let model = script([draft(&["Shop"], 1), verified()]);
    let debate = kit.done(&model).await;
    assert_eq!(labels(&model), ["architect", "reviewer"]);
    assert_eq!(debate.current_draft.expect("a draft").design_rationale, "");
}

#[tokio::test]
async fn what_is_sent_says_what_an_answer_has_to_keep() {
    // ARD-31, ARD-36, ARD-37, ARD-39, ARD-46
    let kit =
        Kit::new(10).set(|settings| (settings.max_components, settings.max_challenges) = (Some(7), Some(5)));
    let model = script(two_rounds());
    kit.done(&model).await;
    let sent: Vec<Value> = model
        .requests()
        .iter()
        .map(|request| request.answer.as_ref().expect("a schema").schema.as_value().clone())
        .collect();
    let takes = |call: usize, answer: &Value| {
        jsonschema::validator_for(&sent[call]).expect("a schema").is_valid(answer)
    };
    for (call, answer) in two_rounds().iter().enumerate() {
        let is_rationale_in_text = call == 2;
        assert_eq!(takes(call, answer), !is_rationale_in_text, "{answer}");
    }
    let answer = |id: u32| json!({ "challenge": id, "disposition": "fixed", "text": "There it is." });
    let mut answered = draft(&["Shop", "Oven"], 0);
    answered["answers"] = json!([answer(1), answer(2)]);
    assert!(takes(2, &answered));
    answered["answers"] = json!([answer(1)]);
    assert!(!takes(2, &answered), "an answer for each challenge");
    for (call, refused) in [
        (0, draft(&[], 0)),
        (0, draft(&["my shop"], 0)),
        (0, draft(&["Shop"], 1)),
        (0, draft(&["A", "B", "C", "D", "E", "F", "G", "H"], 0)),
        (1, json!({ "status": "verified", "challenges": challenged(&[("ambiguity", "x")])["challenges"] })),
        (1, json!({ "status": "needs_revision", "challenges": [] })),
        (1, challenged(&[("ambiguity", "x"); 6])),
        (2, draft(&["Shop"], 0)),
    ] {
        assert!(!takes(call, &refused), "{refused}");
    }
    assert!(kit_says(&model, 0, "at most 7") && kit_says(&model, 1, "at most 5"), "the prompt says so too");
}

fn kit_says(model: &Scripted, call: usize, words: &str) -> bool {
    model.requests()[call].messages[0].content.contains(words)
}

#[tokio::test]
async fn more_than_was_asked_for_is_no_reason_to_reject() {
    // ARD-47
    let kit =
        Kit::new(10).set(|settings| (settings.max_components, settings.max_challenges) = (Some(1), Some(1)));
    let model = script(two_rounds());
    let debate = kit.done(&model).await;
    assert_eq!((model.requests().len(), debate.challenge_history[0].challenges.len()), (4, 2));
}

#[tokio::test]
async fn a_revision_that_forgets_a_challenge_is_rejected() {
    // ARD-37
    let kit = Kit::new(10);
    let mut answers = two_rounds();
    answers.insert(2, draft(&["Shop", "Oven"], 1));
    let model = script(answers);
    kit.done(&model).await;
    let objection = "`design_rationale` does not refer to challenge 2 of the latest review by number";
    assert!(last_message(&model.requests()[3]).contains(objection));
}

#[tokio::test]
async fn fences_and_synonyms_are_no_reason_to_reject() {
    // ARD-38, ARD-40, ENG-14
    let kit = Kit::new(10);
    let fenced = |value: serde_json::Value| format!("```json\n{value}\n```");
    let synonym = json!({
        "components": [{ "name": "Orders", "type": "database", "purpose": "Keeps orders." }],
        "design_rationale": "",
    });
    let model = said(&[fenced(synonym), fenced(verified())]);
    let debate = kit.done(&model).await;
    assert_eq!(model.requests().len(), 2);
    let draft: DesignDraft = debate.current_draft.expect("a draft");
    assert_eq!(draft.components[0].kind.as_str(), "DataStore");
}

fn malformed(error: &RunError) -> (&str, &str) {
    let RunError::Node { node, source, .. } = error else { panic!("{error:?}") };
    let Some(AskError::Malformed { raw, attempts: 2, .. }) = source.downcast_ref() else {
        panic!("{source:?}")
    };
    (node, raw)
}

#[tokio::test]
async fn a_second_bad_answer_is_an_error_with_the_raw_text() {
    // ARD-35, ARD-49, ENG-14, ENG-29
    let kit = Kit::new(10);
    let twice = said(&["first".to_owned(), "second".to_owned(), "never asked for".to_owned()]);
    let error = kit.run(&twice).await.expect_err("two bad drafts");
    assert_eq!(malformed(&error), ("architect", "second"));
    assert_eq!(error.to_string(), "node `architect` failed in step 1");
    assert!(error.hint().expect("a hint").ends_with("Its answer: second"), "{:?}", error.hint());
    assert_eq!(twice.requests().len(), 2);

    let kit = Kit::new(10);
    let torn = json!({ "status": "verified", "challenges": [{ "id": 1, "category": "ambiguity", "description": "x" }] });
    let gap = json!({ "status": "needs_revision", "challenges": [{ "id": 2, "category": "ambiguity", "description": "x" }] });
    let model = script([draft(&["Shop"], 0), torn, gap.clone()]);
    let error = kit.run(&model).await.expect_err("two bad reviews");
    assert_eq!(malformed(&error), ("reviewer", gap.to_string().as_str()));
    let objection = "`challenges` must be empty when `status` is \"verified\", it holds 1";
    assert!(last_message(&model.requests()[2]).contains(objection), "ARD-46");
}

#[tokio::test]
async fn a_malformed_review_is_asked_for_once_more() {
    // ARD-46, ARD-49, ARD-50
    let kit = Kit::new(10);
    let empty = json!({ "status": "needs_revision", "challenges": [] });
    let model = script([draft(&["Shop"], 0), empty, verified()]);
    let debate = kit.done(&model).await;
    assert_eq!(debate.status, DebateStatus::Verified);
    assert_eq!((debate.challenge_history.len(), debate.reviewer.calls), (1, 2));
}

#[tokio::test]
async fn the_earlier_draft_is_kept_only_if_the_settings_say_so_and_there_is_one() {
    // ARD-41
    let answers = || {
        let mut answers = two_rounds();
        answers.splice(2..3, [json!("no"), json!("no again")]);
        answers
    };
    let keeping = |kit: Kit| kit.set(|settings| settings.on_bad_draft = OnBadDraft::KeepPrevious);
    Kit::new(10).run(&script(answers())).await.expect_err("an error by default");

    let kit = keeping(Kit::new(10));
    let debate = kit.done(&script(answers())).await;
    assert_eq!(debate.current_draft.expect("a draft").components.len(), 1, "the first draft stayed");
    assert_eq!(debate.rationales, [None], "nothing is passed off as an answer");
    assert_eq!(debate.architect.calls, 3, "the refused answers are counted");
    let spec = kit.spec();
    assert!(
        spec.contains("the architect's revision broke the rules twice, so the earlier draft stayed"),
        "{spec}"
    );

    let first = keeping(Kit::new(10)).run(&script([json!("no"), json!("no again")])).await;
    first.expect_err("there is no earlier draft");
}

#[tokio::test]
async fn no_minimum_and_no_maximum_of_challenges() {
    // ARD-47
    let many: Vec<_> = (0..200).map(|_| ("completeness", "Something is missing.")).collect();
    let kit = Kit::new(10);
    let model = script([draft(&["Shop"], 0), challenged(&many), draft(&["Shop"], 200), verified()]);
    assert_eq!(kit.done(&model).await.challenge_history[0].challenges.len(), 200);
}
