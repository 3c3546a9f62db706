//! Questions and answers. ENG-7, parity D5-D7, F53-F57, clauses 41-46.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use stategraph_core::{
    Command, Cx, EventKinds, NodePolicy, NodeResult, QuestionId, RetryPolicy, RunError, State, Status,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, line, memory, played, say, thread, wired,
};

fn compiled(graph: Builder<Calls>, edges: &[&str]) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    (wired(graph, edges).compile_with(calls.clone()).unwrap().with_store(memory()), calls)
}

fn id(text: &str) -> QuestionId {
    text.parse().unwrap()
}

// ENG-7, F53; what ports get wrong: "an interrupt that cannot be resumed past"
#[tokio::test]
async fn a_run_stops_with_a_question_and_goes_on_with_the_answer() {
    let builder = Builder::new("q").node("a", say).node("b", ask).node("c", say);
    let (graph, calls) = compiled(builder, &["START a", "a b", "b c", "c END"]);
    let stopped = graph.run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!(asked(&stopped), [("2.0.0".into(), "\"b?\"".into())]);
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().next, ["b"]);
    let end = graph.resume(&thread("t")).answer(id("2.0.0"), &"yes").await.unwrap();
    assert!(matches!(end.status, Status::Done));
    assert_eq!(end.state.log(), ["a", "b=yes", "c"]);
    assert_eq!((calls.of("a"), calls.of("b"), calls.of("c")), (1, 2, 1));
}

// D5, F55
#[tokio::test]
async fn a_question_without_a_store_is_an_error() {
    let (graph, _) = compiled(Builder::new("q").node("b", ask), &["START b", "b END"]);
    let no_store = wired(Builder::new("q").node("b", ask), &["START b", "b END"]);
    let error = no_store.compile_with(Calls::default()).unwrap().run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "the node asks a question, and the run has no checkpoint store to wait in");
    assert!(graph.run(empty()).await.is_ok());
}

async fn asks_twice(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("runs");
    let first: String = cx.interrupt(&"first").await?;
    let second: String = cx.interrupt(&format!("second after {first}")).await?;
    Ok(Trail::update().log(first).log(second))
}

// Clause 41
#[tokio::test]
async fn questions_one_after_the_other_have_different_ids() {
    let (graph, calls) = compiled(Builder::new("q").node("n", asks_twice), &["START n", "n END"]);
    let t = thread("t");
    assert_eq!(asked(&graph.run(empty()).thread(t.clone()).await.unwrap())[0].0, "1.0.0");
    let second = graph.resume(&t).answer(id("1.0.0"), &"x").await.unwrap();
    assert_eq!(asked(&second), [("1.0.1".into(), "\"second after x\"".into())]);
    let end = graph.resume(&t).answer(id("1.0.1"), &"y").await.unwrap();
    assert_eq!((end.state.log(), calls.of("runs")), (vec!["x", "y"], 3));
}

async fn asks_both(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("runs");
    let (one, two) = tokio::join!(cx.interrupt::<u32>(&"one"), cx.interrupt::<u32>(&"two"));
    Ok(Trail::update().log(format!("{} {}", one?, two?)))
}

// P3: a task is parked until all its answers are there
#[tokio::test]
async fn a_node_may_ask_two_questions_at_once_and_runs_again_when_both_are_answered() {
    for order in [["1.0.0", "1.0.1"], ["1.0.1", "1.0.0"]] {
        let (graph, calls) = compiled(Builder::new("q").node("n", asks_both), &["START n", "n END"]);
        let t = thread("t");
        let both = asked(&graph.run(empty()).thread(t.clone()).await.unwrap());
        assert_eq!(both, [("1.0.0".into(), "\"one\"".into()), ("1.0.1".into(), "\"two\"".into())]);
        let half = graph.resume(&t).answer(id(order[0]), &1).await.unwrap();
        assert_eq!(asked(&half).len(), 1);
        assert_eq!((asked(&half)[0].0.as_str(), calls.of("runs")), (order[1], 1));
        let end = graph.resume(&t).answer(id(order[1]), &2).await.unwrap();
        let expected = if order[0] == "1.0.0" { "1 2" } else { "2 1" };
        assert_eq!((end.state.log(), calls.of("runs")), (vec![expected], 2));
    }
}

fn three() -> (Graph<Calls>, Calls) {
    let builder = Builder::new("three").node("a", ask).node("b", ask).node("c", say).node("end", say);
    compiled(builder, &["START a", "START b", "START c", "a+b+c end", "end END"])
}

// D6, F54, P4, clause 42
#[tokio::test]
async fn answers_reach_their_questions_in_any_order_together_or_apart() {
    for (first, second) in [("1.0.0", "1.1.0"), ("1.1.0", "1.0.0")] {
        let (graph, calls) = three();
        let t = thread("t");
        assert_eq!(asked(&graph.run(empty()).thread(t.clone()).await.unwrap()).len(), 2);
        let waiting = graph.resume(&t).answer(id(first), &first).await.unwrap();
        assert_eq!(asked(&waiting)[0].0, second);
        let end = graph.resume(&t).answer(id(second), &second).await.unwrap();
        assert_eq!(end.state.log(), ["a=1.0.0", "b=1.1.0", "c", "end"]);
        assert_eq!((calls.of("a"), calls.of("b"), calls.of("c")), (2, 2, 1));
    }
    let (graph, _) = three();
    graph.run(empty()).thread(thread("t")).await.unwrap();
    let end = graph.resume(&thread("t")).answer(id("1.1.0"), &"B").answer(id("1.0.0"), &"A");
    assert_eq!(end.await.unwrap().state.log(), ["a=A", "b=B", "c", "end"]);
}

// D6: what still waits is not run again
#[tokio::test]
async fn a_resume_without_answers_asks_again_and_runs_nothing() {
    let (graph, calls) = three();
    let t = thread("t");
    let first = asked(&graph.run(empty()).thread(t.clone()).await.unwrap());
    for _ in 0..3 {
        assert_eq!(asked(&graph.resume(&t).await.unwrap()), first);
    }
    assert_eq!((calls.of("a"), calls.of("b"), calls.of("c")), (1, 1, 1));
}

// D6: unknown and repeated ids are errors, and nothing of the other answers counts
#[tokio::test]
async fn an_answer_to_what_is_not_asked_is_an_error_that_names_what_is() {
    let (graph, calls) = three();
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    for wrong in ["1.2.0", "1.0.1", "9.0.0"] {
        let answered = graph.resume(&t).answer(id("1.0.0"), &"A").answer(id(wrong), &"?");
        let error = answered.await.unwrap_err();
        assert_eq!(error.to_string(), format!("there is no open question {wrong}"));
        assert_eq!(error.hint().unwrap(), "open: 1.0.0, 1.1.0");
    }
    let twice = graph.resume(&t).answer(id("1.0.0"), &"A").answer(id("1.0.0"), &"B");
    assert!(matches!(twice.await.unwrap_err(), RunError::AnsweredTwice { .. }));
    assert_eq!(graph.state(&t, None).await.unwrap().questions.len(), 2);
    graph.resume(&t).answer(id("1.0.0"), &"A").await.unwrap();
    let again = graph.resume(&t).answer(id("1.0.0"), &"B").await.unwrap_err();
    assert!(matches!(again, RunError::NotAsked { .. }));
    assert_eq!(calls.of("a"), 2);
    let fresh = graph.run(empty()).thread(thread("other")).answer(id("1.0.0"), &"A").await.unwrap_err();
    assert_eq!(fresh.hint().unwrap(), "nothing waits for an answer");
}

#[derive(Serialize, Deserialize)]
struct Approval {
    by: String,
    until: u32,
}

async fn approve(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("runs");
    let approval: Approval = cx.interrupt(&"approve?").await?;
    Ok(Trail::update().log(format!("{} until {}", approval.by, approval.until)))
}

// Clause 44
#[tokio::test]
async fn an_answer_of_another_type_is_an_error_and_the_question_open_again() {
    // Not retried either: the same answer would be read again.
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(3));
    let (graph, calls) = compiled(Builder::new("q").node_with("n", policy, approve), &["START n", "n END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let error = graph.resume(&t).answer(id("1.0.0"), &"yes").await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.starts_with("the answer to question 0 of this task does not fit: invalid type"), "{cause}");
    assert_eq!(calls.of("runs"), 2);
    let open = graph.state(&t, None).await.unwrap();
    assert_eq!((open.questions.len(), open.questions[0].payload.get()), (1, "\"approve?\""));
    assert_eq!(asked(&graph.resume(&t).await.unwrap())[0].0, "1.0.0");
    let good = Approval { by: "Ada".into(), until: 3 };
    let end = graph.resume(&t).answer(id("1.0.0"), &good).await.unwrap();
    assert_eq!((end.state.log(), calls.of("runs")), (vec!["Ada until 3"], 3));
    assert_eq!(graph.state(&t, None).await.unwrap().errors, []);
}

async fn asks_more(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    if cx.services().count("runs") == 0 {
        let number: u32 = cx.interrupt(&"number").await?;
        return Ok(Trail::update().sum(i64::from(number)));
    }
    let (number, word) = tokio::join!(cx.interrupt::<u32>(&"number"), cx.interrupt::<String>(&"word"));
    Ok(Trail::update().log(format!("{} {}", number?, word?)))
}

#[tokio::test]
async fn a_wrong_answer_beside_a_new_question_leaves_both_open() {
    let (graph, _) = compiled(Builder::new("q").node("n", asks_more), &["START n", "n END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let both = graph.resume(&t).answer(id("1.0.0"), &"seven").await.unwrap();
    assert_eq!(asked(&both), [("1.0.0".into(), "\"number\"".into()), ("1.0.1".into(), "\"word\"".into())]);
    let end = graph.resume(&t).answer(id("1.0.1"), &"w").answer(id("1.0.0"), &7).await.unwrap();
    assert_eq!(end.state.log(), ["7 w"]);
}

// Clause 43, F32: interrupts are never retried and never time out
#[tokio::test(start_paused = true)]
async fn a_question_is_neither_a_failure_nor_a_delay_whatever_the_policy() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(3)).timeout(Duration::from_secs(1));
    let (graph, calls) = compiled(Builder::new("q").node_with("n", policy, ask), &["START n", "n END"]);
    let stopped = graph.run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!((asked(&stopped).len(), calls.of("n")), (1, 1));
    let end = graph.resume(&thread("t")).answer(id("1.0.0"), &"ok").await.unwrap();
    assert_eq!((end.state.log(), calls.of("n")), (vec!["n=ok"], 2));
}

async fn fails_after_its_answer(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let answer: String = cx.interrupt(&"?").await?;
    match cx.services().count("answered") {
        0 | 1 => Err(stategraph_core::NodeError::msg("flaky")),
        _ => Ok(Trail::update().log(answer)),
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_keeps_the_answers_already_given_and_so_does_a_resume() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let builder = Builder::new("q").node_with("n", policy, fails_after_its_answer);
    let (graph, calls) = compiled(builder, &["START n", "n END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    assert!(graph.resume(&t).answer(id("1.0.0"), &"kept").await.is_err());
    assert_eq!(calls.of("answered"), 2);
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["kept"]);
}

/// Asks, but does not wait.
async fn asks_in_passing(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    tokio::select! {
        biased;
        answer = cx.interrupt::<String>(&"anything?") => Ok(Trail::update().log(answer?)),
        () = std::future::ready(()) => Ok(Trail::update().log("no answer")),
    }
}

async fn yields(_: &Trail) -> TrailUpdate {
    tokio::task::yield_now().await;
    Trail::update().log("after")
}

// A question that its node does not wait for must not stop the next node.
#[tokio::test]
async fn a_question_that_nobody_waits_for_stops_nobody() {
    let builder = Builder::new("q").node("a", asks_in_passing).node("b", yields).node("c", yields);
    let (graph, _) = compiled(builder, &["START a", "a b", "b c", "c END"]);
    let end = graph.run(empty()).thread(thread("t")).await.unwrap();
    assert!(matches!(end.status, Status::Done));
    assert_eq!(end.state.log(), ["no answer", "after", "after"]);
}

// Clause 46, F49, F57: another future has other questions
#[tokio::test]
async fn a_fork_and_a_new_input_drop_the_old_questions_and_answers() {
    let builder = Builder::new("q").node("a", say).node("b", ask);
    let (graph, _) = compiled(builder, &["START a", "a b", "b END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.resume(&t).answer(id("2.0.0"), &"old").await.unwrap();
    let before = "t@2".parse().unwrap();
    let stale = graph.resume_at(&before).answer(id("2.0.0"), &"old").await;
    assert!(matches!(stale, Err(RunError::NotAsked { .. })));
    let again = asked(&graph.resume_at(&before).await.unwrap());
    assert_eq!(again, [("4.0.0".into(), "\"b?\"".into())]);
    let other = graph.resume(&t).answer(id("4.0.0"), &"new").await.unwrap();
    assert_eq!(other.state.log(), ["a", "b=new"]);
    let restarted = graph.continue_with(&t, Trail::update().log("more")).await.unwrap();
    assert_eq!(restarted.state.log(), ["a", "b=new", "more", "a"]);
    let stale = graph.resume(&t).answer(id("4.0.0"), &"old").await;
    assert!(matches!(stale, Err(RunError::NotAsked { .. })));
    let started_over = graph.run(empty()).thread(t.clone()).await.unwrap();
    assert_eq!(asked(&started_over).len(), 1);
    assert_eq!(started_over.state.log(), ["a"]);
}

// F44, F57: what is dropped is named, in the outcome and as an event
#[tokio::test]
async fn a_run_that_starts_over_names_the_question_that_it_drops() {
    let builder = Builder::new("q").node("a", say).node("b", ask);
    let (graph, _) = compiled(builder, &["START a", "a b", "b END"]);
    let t = thread("t");
    let first = graph.invoke(&t, Trail::update()).await.unwrap();
    assert!(first.dropped.is_empty());
    let again = [
        ("2.0.0", graph.invoke(&t, Trail::update().log("more"))),
        ("4.0.0", graph.continue_with(&t, Trail::update())),
        ("6.0.0", graph.run(empty()).thread(t.clone())),
        ("8.0.0", graph.command(&t, Command::none().goto("a"))),
    ];
    for (question, request) in again {
        let (events, ended) = played(request.stream(EventKinds::RUN).await.unwrap()).await;
        let dropped = ended.unwrap().dropped;
        let [only] = dropped.as_slice() else { panic!("{dropped:?}") };
        assert_eq!((only.id, only.node.as_str(), only.payload.get()), (id(question), "b", "\"b?\""));
        assert!(line(&events[1]).ends_with(&format!("dropped {question} of b \"b?\"")), "{events:?}");
    }
    let resumed = graph.resume(&t).await.unwrap();
    assert!(resumed.dropped.is_empty());
}
