//! Ambiguities that the user resolves.

use serde_json::{Value, json};
use stategraph::engine::{Outcome, Question as Open, Status};
use stategraph::workflows::ard::exchange::{Clarification, ClarificationQuestion};
use stategraph::workflows::ard::input::settings::OnAmbiguity;
use stategraph::workflows::ard::state::{Debate, DebateStatus};

use super::kit::{Kit, challenged, draft, labels, last_message, script, thread, verified};

fn asking(max_iterations: u32) -> Kit {
    Kit::new(max_iterations).set(|settings| settings.on_ambiguity = OnAmbiguity::Ask)
}

/// A review with an objection and two ambiguities.
fn ambiguous() -> Value {
    let options = |texts: &[&str]| -> Value {
        let option = |(at, text): (usize, &&str)| json!({ "text": text, "recommended": at == 0 });
        texts.iter().enumerate().map(option).collect()
    };
    json!({
        "status": "needs_revision",
        "challenges": [
            { "id": 1, "category": "completeness", "description": "Where is the oven?" },
            { "id": 2, "category": "ambiguity", "description": "Which bread?", "options": options(&["Rye.", "Any."]) },
            { "id": 3, "category": "ambiguity", "description": "Who buys?", "options": options(&["All.", "Few.", "None."]) },
        ],
    })
}

fn answers() -> [Value; 4] {
    [draft(&["Shop"], 0), ambiguous(), draft(&["Shop", "Oven"], 3), verified()]
}

fn waiting(outcome: &Outcome<Debate>) -> Vec<Open> {
    assert!(matches!(outcome.status, Status::Waiting(_)), "{:?}", outcome.status);
    outcome.status.questions().to_vec()
}

fn put(open: &Open) -> ClarificationQuestion {
    serde_json::from_str(open.payload.get()).expect("a question")
}

#[tokio::test]
async fn an_ambiguity_becomes_a_question_and_the_answer_goes_into_the_debate() {
    // ARD-72, ENG-7
    let kit = asking(10);
    let model = script(answers());
    let outcome = kit.run(&model).await.expect("it waits");
    let open = waiting(&outcome);
    assert_eq!(open.len(), 2, "an objection is no question");
    assert!(open.iter().all(|question| question.node == "clarify"));
    let (bread, buyers) = (put(&open[0]), put(&open[1]));
    assert_eq!((bread.round, bread.challenge, bread.question.as_str()), (1, 2, "Which bread?"));
    assert_eq!(bread.options.iter().filter(|option| option.recommended).count(), 1);
    assert_eq!(buyers.options.len(), 3);
    assert_eq!(labels(&model), ["architect", "reviewer"], "nobody goes on without the answers");

    let graph = kit.graph(&model);
    let partly = graph.resume(&thread()).answer(open[1].id, &2).await.expect("one is open");
    assert_eq!(waiting(&partly)[0].id, open[0].id);
    let done = graph.resume(&thread()).answer(open[0].id, &"Spelt, on Fridays only.").await.expect("it ends");
    assert!(matches!(done.status, Status::Done));
    let debate = done.state;
    assert_eq!(debate.status, DebateStatus::Verified);
    let decided = |challenge, question: &str, option, answer: &str| Clarification {
        iteration: 0,
        round: 1,
        challenge,
        question: question.to_owned(),
        option,
        answer: answer.to_owned(),
    };
    let expected = [
        decided(2, "Which bread?", None, "Spelt, on Fridays only."),
        decided(3, "Who buys?", Some(2), "Few."),
    ];
    assert_eq!(debate.clarifications, expected);
    for call in [2, 3] {
        let asked = model.requests();
        let prompt = last_message(&asked[call]);
        assert!(prompt.contains("Spelt, on Fridays only.") && prompt.contains("\"Few.\""), "{prompt}");
    }
    let spec = kit.spec();
    assert!(
        spec.contains("2. **ambiguity**: Which bread?\n   - *Decision:* Spelt, on Fridays only.\n"),
        "{spec}"
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_where_it_is_given() {
    // ARD-72
    let kit = asking(10);
    let model = script(answers());
    let open = waiting(&kit.run(&model).await.expect("it waits"));
    let graph = kit.graph(&model);
    graph.resume(&thread()).answer(open[1].id, &"Few.").await.expect("one is open");
    for unusable in [json!(true), json!(0), json!(" "), json!([1]), json!(3)] {
        let error = graph.resume(&thread()).answer(open[0].id, &unusable).await.expect_err("no answer");
        assert!(error.to_string().contains("does not fit"), "{unusable}: {error}");
    }
    let done = graph.resume(&thread()).answer(open[0].id, &1).await.expect("it ends");
    let chosen: Vec<_> = done.state.clarifications.iter().map(|it| (it.option, it.answer.as_str())).collect();
    assert_eq!(chosen, [(Some(1), "Rye."), (Some(2), "Few.")], "the text of an option is that option");
}

#[tokio::test]
async fn a_review_without_proper_options_is_rejected() {
    // ARD-72, ARD-49
    let kit = asking(0);
    let bare = challenged(&[("ambiguity", "Which bread?")]);
    let model = script([draft(&["Shop"], 0), bare, verified()]);
    kit.done(&model).await;
    let asked = model.requests();
    assert!(last_message(&asked[2]).contains("challenge 1 needs 2 to 4 `options`, it has 0"));
    assert!(asked[1].messages[0].content.contains("2 to 4 different `options`"));
}

#[tokio::test]
async fn nobody_is_asked_when_the_debate_is_over_or_nothing_is_ambiguous() {
    // ARD-10, ARD-72
    let kit = asking(0);
    let over = kit.done(&script([draft(&["Shop"], 0), ambiguous()])).await;
    assert_eq!(over.status, DebateStatus::MaxIterationsReached);
    let clear = challenged(&[("completeness", "Where is the oven?")]);
    let kit = asking(10);
    let debate = kit.done(&script([draft(&["Shop"], 0), clear, draft(&["Shop"], 1), verified()])).await;
    assert!(debate.clarifications.is_empty());
}

#[tokio::test]
async fn the_architect_settles_ambiguities_by_default() {
    // ARD-72: off by default, and options that nobody asked for are outside of the schema
    let kit = Kit::new(10);
    let model = script([
        draft(&["Shop"], 0),
        ambiguous(),
        challenged(&[("ambiguity", "Which bread?")]),
        draft(&["Shop"], 1),
        verified(),
    ]);
    let debate = kit.done(&model).await;
    assert!(debate.clarifications.is_empty());
    assert!(!model.requests()[1].messages[0].content.contains("options"));
}
