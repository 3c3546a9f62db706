//! The course of a debate: the order of its nodes, its state, its end.

use stategraph::engine::{EventKind, EventKinds, State as _, Status};
use stategraph::llm::ModelErrorKind;
use stategraph::workflows::ard::exchange::ReviewStatus;
use stategraph::workflows::ard::state::{Debate, DebateStatus};

use super::kit::{
    Kit, challenged, draft, endless, labels, nodes, script, thread, two_rounds, verified, watched,
};

#[tokio::test]
async fn two_agents_argue_an_idea_into_a_specification() {
    // ARD-1, ARD-2, ARD-4, ARD-8, ARD-9, ARD-11, ARD-12, ARD-56
    let kit = Kit::new(10);
    let model = script(two_rounds());
    let run = kit.graph(&model).run(kit.state()).thread(thread());
    let (events, outcome) = watched(run, EventKinds::TASKS).await;
    assert_eq!(nodes(&events), ["architect", "reviewer", "architect", "reviewer", "write"]);
    let debate = outcome.state;
    assert_eq!((debate.status, debate.iteration), (DebateStatus::Verified, 1));
    assert_eq!(debate.rough_idea.as_str(), kit.idea);
    let components = debate.current_draft.expect("a draft").components;
    assert_eq!(components.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["Shop", "Oven"]);
    let spec = kit.spec();
    assert!(spec.contains("status: verified") && spec.contains("**Oven**"), "{spec}");
}

#[tokio::test]
async fn a_debate_starts_in_progress_at_iteration_0_and_counts_up() {
    // ARD-6, ARD-7, ARD-10, ARD-11, ENG-5: every update can be watched
    use DebateStatus::{InProgress, MaxIterationsReached};
    let kit = Kit::new(2);
    let start = kit.state();
    assert_eq!((start.iteration, start.status), (0, DebateStatus::InProgress));
    let run = kit.graph(&script(endless(3))).run(start).thread(thread());
    let (events, _) = watched(run, EventKinds::VALUES | EventKinds::UPDATES).await;
    let mut seen = Vec::new();
    for event in &events {
        if let EventKind::Values { state, .. } = &event.kind {
            let debate: Debate = serde_json::from_str(state.get()).expect("a state");
            seen.push((debate.iteration, debate.challenge_history.len(), debate.status));
        }
    }
    let expected = [
        (0, 0, InProgress),
        (0, 0, InProgress),
        (1, 1, InProgress),
        (1, 1, InProgress),
        (2, 2, InProgress),
        (2, 2, InProgress),
        (2, 3, MaxIterationsReached),
        (2, 3, MaxIterationsReached),
    ];
    assert_eq!(seen, expected);
    let updates: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Updates { node, update, .. } => Some((node.as_str(), update.as_ref()?.get())),
            _ => None,
        })
        .collect();
    assert_eq!(updates.len(), 7);
    assert!(updates[0].0 == "architect" && updates[0].1.contains("current_draft"), "{updates:?}");
    assert!(updates[1].0 == "reviewer" && updates[1].1.contains("Objection 1."), "{updates:?}");
}

#[tokio::test]
async fn n_iterations_allow_n_plus_one_drafts() {
    // ARD-10, ARD-13, ARD-57, ENG-20
    for limit in [0, 1, 10] {
        let kit = Kit::new(limit);
        let passes = limit as usize + 1;
        let model = script(endless(passes));
        let debate = kit.done(&model).await;
        let agents = labels(&model);
        assert_eq!(agents.iter().filter(|agent| *agent == "architect").count(), passes, "limit {limit}");
        assert_eq!(agents.len(), 2 * passes);
        assert_eq!((debate.iteration, debate.status), (limit, DebateStatus::MaxIterationsReached));
        let spec = kit.spec();
        let log = spec.split("## ARD Trace Log — Max Iterations Reached").nth(1).expect("a trace log");
        assert!(log.contains(&format!("1. [completeness] Objection {passes}.")), "{log}");
        assert_eq!(log.matches("Objection").count(), 1, "only those of the last review: {log}");
    }
}

#[tokio::test]
async fn verified_on_the_last_round_counts_as_verified() {
    // ARD-14, ARD-15
    for limit in [0, 1, 2] {
        let kit = Kit::new(limit);
        let mut answers = endless(limit as usize + 1);
        *answers.last_mut().expect("a review") = verified();
        let debate = kit.done(&script(answers)).await;
        assert_eq!(debate.status, DebateStatus::Verified, "limit {limit}");
        assert_eq!(debate.iteration, limit);
        assert!(!kit.spec().contains("Trace Log"));
    }
}

#[tokio::test]
async fn all_reviews_are_kept_the_verified_one_too() {
    // ARD-5, ARD-12, ARD-15
    let kit = Kit::new(10);
    let history = kit.done(&script(two_rounds())).await.challenge_history;
    assert_eq!(history.len(), 2);
    assert_eq!((history[0].challenges.len(), history[1].status), (2, ReviewStatus::Verified));
}

#[tokio::test]
async fn a_state_above_the_limit_ends_too() {
    // ARD-13: resumed with an iteration that the limit should have stopped
    let kit = Kit::new(3);
    let refused = ModelErrorKind::Failed { code: None, message: "out of order".to_owned() };
    let answers = endless(2).into_iter().map(|answer| answer.to_string());
    let model = answers.fold(stategraph::llm::Scripted::new("test/model"), stategraph::llm::Scripted::answer);
    let model = std::sync::Arc::new(
        model
            .fail(refused)
            .answer(draft(&["Shop"], 1).to_string())
            .answer(challenged(&[("ambiguity", "What is a shop?")]).to_string()),
    );
    kit.run(&model).await.expect_err("the model is out of order");
    let graph = kit.graph(&model);
    graph.update(&thread(), Debate::update().iteration(99), None).await.expect("updated from outside");
    let outcome = graph.resume(&thread()).await.expect("it ends");
    assert!(matches!(outcome.status, Status::Done));
    assert_eq!((outcome.state.status, outcome.state.iteration), (DebateStatus::MaxIterationsReached, 99));
}

#[tokio::test]
async fn the_idea_and_the_thread_stay_what_they_are() {
    // ARD-3
    let mut kit = Kit::new(1);
    kit.idea = "  An idea \"with\" ```fences``` and\nlines. ".to_owned();
    let debate = kit.done(&script(endless(2))).await;
    assert_eq!(debate.rough_idea.as_str(), kit.idea.trim());
    assert!(kit.spec().contains("thread: \"debate\""));
}

#[tokio::test]
async fn equal_answers_give_equal_events_and_an_equal_specification() {
    // ARD-74, ENG-12
    let mut runs = Vec::new();
    for _ in 0..2 {
        let kit = Kit::new(10);
        let run = kit.graph(&script(two_rounds())).run(kit.state()).thread(thread());
        let (events, _) = watched(run, EventKinds::ALL).await;
        let log: Vec<_> =
            events.iter().map(|event| serde_json::to_string(event).expect("plain data")).collect();
        runs.push((log.join("\n"), kit.spec()));
    }
    assert!(runs[0].0.contains("\"event\":\"message\""), "tokens are watched too");
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn two_agents_can_be_two_models_and_their_use_is_counted_apart() {
    // ARD-25, ARD-73, ENG-13
    let kit = Kit::new(10);
    let [d1, r1, d2, r2] = <[_; 4]>::try_from(two_rounds()).expect("four answers");
    let (architect, reviewer) = (script([d1, d2]), script([r1, r2]));
    let outcome = kit.graph_of(architect.clone(), reviewer.clone()).run(kit.state()).await;
    let debate = outcome.expect("the debate ends").state;
    assert_eq!(labels(&architect), ["architect", "architect"]);
    assert_eq!(labels(&reviewer), ["reviewer", "reviewer"]);
    let sent = |model: &stategraph::llm::Scripted| -> u64 {
        model.requests().iter().map(stategraph::llm::ChatRequest::estimated_tokens).sum()
    };
    assert_eq!((debate.architect.calls, debate.architect.prompt_tokens), (2, sent(&architect)));
    assert_eq!((debate.reviewer.calls, debate.reviewer.prompt_tokens), (2, sent(&reviewer)));
    let spec = kit.spec();
    assert!(spec.contains(&format!("  prompt_tokens: {}\n", sent(&architect))), "{spec}");
    assert!(spec.contains("model: \"test/architect\"") && spec.contains("model: \"test/reviewer\""));
}
