//! Debates that fail and go on: nothing that was answered is asked for again.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph::engine::RunError;
use stategraph::llm::{ModelErrorKind, Scripted};
use stategraph::workflows::ard::state::DebateStatus;

use super::kit::{Kit, distinct, draft, script, thread, two_rounds};

/// A debate with a refused draft and a refused review in it: six calls.
fn eventful() -> Vec<Value> {
    let mut answers = two_rounds();
    answers.insert(2, draft(&["Shop", "Oven"], 1));
    answers.insert(4, json!({ "status": "needs_revision", "challenges": [] }));
    answers
}

/// A script that fails at one call, once.
fn failing_at(call: usize, answers: &[Value]) -> Arc<Scripted> {
    let answers = distinct(answers.iter().cloned());
    let mut model = Scripted::new("test/model");
    for (number, answer) in answers.iter().enumerate() {
        if number == call {
            model = model.fail(ModelErrorKind::Unreachable { reason: "connection refused".to_owned() });
        }
        model = model.answer(answer.to_string());
    }
    Arc::new(model)
}

#[tokio::test]
async fn a_debate_goes_on_after_a_failure_at_any_call() {
    // ARD-75, ENG-6, ENG-29
    let undisturbed = Kit::new(10);
    let model = script(eventful());
    let expected = undisturbed.done(&model).await;
    let calls = model.requests();
    for call in 0..calls.len() {
        let kit = Kit::new(10);
        let model = failing_at(call, &eventful());
        let error = kit.run(&model).await.expect_err("the model fails");
        let RunError::Node { node, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*node, calls[call].label);
        assert!(error.hint().expect("a hint").contains("base_url"), "the model's hint is kept");

        let graph = kit.graph(&model);
        let snapshot = graph.state(&thread(), None).await.expect("readable");
        let reviews = usize::from(call > 1);
        assert_eq!(snapshot.state.status, DebateStatus::InProgress, "call {call}");
        assert_eq!(snapshot.state.challenge_history.len(), reviews, "call {call}");
        assert_eq!(snapshot.state.iteration as usize, reviews, "call {call}");
        assert_eq!((snapshot.next, snapshot.errors.len()), (vec![node.clone()], 1));

        let outcome = graph.resume(&thread()).await.expect("it goes on");
        assert_eq!(
            serde_json::to_value(&outcome.state).ok(),
            serde_json::to_value(&expected).ok(),
            "call {call}"
        );
        assert_eq!(kit.spec(), undisturbed.spec(), "call {call}");
        let mut asked = model.requests();
        let repeated = asked.remove(call);
        assert_eq!(repeated, asked[call], "the call that failed is made again as it was");
        assert_eq!(asked, calls, "and no other is");
    }
}

#[tokio::test]
async fn a_resumed_debate_asks_once_more_after_answers_that_were_all_refused() {
    // ARD-35, ARD-75: those answers are not asked for again, and their objections stand
    let kit = Kit::new(10);
    let model = Arc::new(
        Scripted::new("test/model")
            .answer("first")
            .answer("second")
            .answer("third")
            .answer(draft(&["Shop"], 0).to_string())
            .answer(super::kit::verified().to_string()),
    );
    kit.run(&model).await.expect_err("two bad drafts");
    assert_eq!(model.requests().len(), 2);
    let graph = kit.graph(&model);
    graph.resume(&thread()).await.expect_err("a third");
    assert_eq!(model.requests().len(), 3);
    let outcome = graph.resume(&thread()).await.expect("a good one");
    assert_eq!((outcome.state.status, outcome.state.architect.calls), (DebateStatus::Verified, 4));
    let conversation: Vec<_> = model.requests()[3].messages.iter().map(|it| it.content.clone()).collect();
    assert_eq!((conversation[2].as_str(), conversation[4].as_str()), ("first", "second"));
}

#[tokio::test]
async fn a_specification_that_cannot_be_written_loses_nothing() {
    // ARD-60, ARD-75
    let kit = Kit::new(10);
    std::fs::create_dir_all(kit.path()).expect("a folder in the way");
    let model = script(two_rounds());
    let error = kit.run(&model).await.expect_err("it is in the way");
    assert!(error.hint().expect("a hint").contains("then resume"), "{error:?}");
    std::fs::remove_dir(kit.path()).expect("out of the way");
    let outcome = kit.graph(&model).resume(&thread()).await.expect("it goes on");
    assert_eq!(outcome.state.status, DebateStatus::Verified);
    assert_eq!(model.requests().len(), 4, "no model is asked again");
    assert!(kit.spec().contains("**Oven**"));
}
