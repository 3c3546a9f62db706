//! A function as a whole graph: its steps are journaled where they stand (LangGraph's `@entrypoint` and `@task`). Parity F72, D7,
//! clause 59.

use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use stategraph_core::{CompiledGraph, Cx, END, NodeError, NodeResult, START, State, StateGraph};

use super::kit::{Calls, memory, thread};

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Essay {
    topic: String,
    /// What is saved for the next run.
    #[state(append)]
    written: Vec<String>,
    /// What this run returns, and nobody saves.
    #[state(untracked)]
    #[serde(skip)]
    answer: String,
}

fn function<M>(
    calls: &Calls,
    body: impl stategraph_core::IntoNode<Essay, Calls, M>,
) -> CompiledGraph<Essay, Calls> {
    let graph = StateGraph::new("function").node("body", body).edge(START, "body").edge("body", END);
    graph.compile_with(calls.clone()).unwrap().with_store(memory())
}

/// One step of a function.
async fn step(cx: &Cx<Calls>, name: &str, text: String) -> NodeResult<String> {
    let work = async {
        cx.services().count(name);
        tokio::task::yield_now().await;
        Ok::<_, NodeError>(text)
    };
    cx.once(name, work).await
}

async fn essay(essay: &Essay, cx: &Cx<Calls>) -> NodeResult<EssayUpdate> {
    let runs = cx.services().count("body");
    let outline = step(cx, "outline", format!("on {}", essay.topic)).await?;
    let (left, right) =
        try_join(step(cx, "left", format!("{outline}: pro")), step(cx, "right", format!("{outline}: con")))
            .await?;
    let title: String = cx.interrupt(&format!("a title for: {left}, {right}?")).await?;
    let whole = step(cx, "whole", format!("{title}, {left}, {right}")).await?;
    if runs == 1 {
        return Err(NodeError::msg("the printer is on fire"));
    }
    let printed = step(cx, "print", whole.to_uppercase()).await?;
    Ok(Essay::update().written(whole).answer(printed))
}

// F72 [ran: tasks 1,2,3 once]: a question and a failure in the middle
#[tokio::test]
async fn each_step_of_a_function_is_done_once_however_often_it_is_resumed() {
    let (calls, t) = (Calls::default(), thread("t"));
    let graph = function(&calls, essay);
    let input = Essay { topic: "rust".into(), ..Essay::default() };
    let waiting = graph.run(input).thread(t.clone()).await.unwrap();
    let question = &waiting.status.questions()[0];
    assert_eq!(question.payload.get(), "\"a title for: on rust: pro, on rust: con?\"");
    let failed = graph.resume(&t).answer(question.id, &"Rust").await.unwrap_err();
    assert_eq!(failed.to_string(), "node `body` failed in step 1");
    let end = graph.resume(&t).await.unwrap().state;
    assert_eq!(end.written, ["Rust, on rust: pro, on rust: con"]);
    assert_eq!(end.answer, "RUST, ON RUST: PRO, ON RUST: CON");
    assert_eq!(calls.of("body"), 3);
    for name in ["outline", "left", "right", "whole", "print"] {
        assert_eq!(calls.of(name), 1, "{name}");
    }
}

async fn continues(essay: &Essay, cx: &Cx<Calls>) -> NodeResult<EssayUpdate> {
    let previous = essay.written.last().cloned().unwrap_or_default();
    let next = step(cx, "next", format!("{previous}{}", essay.topic)).await?;
    Ok(Essay::update().written(next).answer(format!("after `{previous}`")))
}

// F72: `previous`, and `entrypoint.final(value=, save=)`: what is returned is not what is saved
#[tokio::test]
async fn a_function_sees_what_its_last_run_saved_and_not_what_it_returned() {
    let (calls, t) = (Calls::default(), thread("t"));
    let graph = function(&calls, continues);
    let first = graph.run(Essay { topic: "a".into(), ..Essay::default() }).thread(t.clone()).await.unwrap();
    assert_eq!((first.state.answer.as_str(), first.state.written.join(" ")), ("after ``", "a".to_owned()));
    let second = graph.continue_with(&t, Essay::update().topic("b")).await.unwrap();
    assert_eq!(
        (second.state.answer.as_str(), second.state.written.join(" ")),
        ("after `a`", "a ab".to_owned())
    );
    let saved = graph.state(&t, None).await.unwrap().state;
    assert_eq!((saved.answer.as_str(), saved.written.len()), ("", 2));
    assert_eq!(calls.of("next"), 2);
}

async fn nothing_much(_: &Essay, cx: &Cx<Calls>) -> NodeResult<EssayUpdate> {
    let none = cx.once("none", async { counted(cx, "none", None::<String>) }).await?;
    let zero = cx.once("zero", async { counted(cx, "zero", 0) }).await?;
    let blank = cx.once("blank", async { counted(cx, "blank", String::new()) }).await?;
    cx.once("unit", async { counted(cx, "unit", ()) }).await?;
    let _: bool = cx.interrupt(&"go on?").await?;
    Ok(Essay::update().answer(format!("{none:?} {zero} {blank:?}")))
}

#[allow(clippy::unnecessary_wraps, reason = "the work of `once` may fail")]
fn counted<T>(cx: &Cx<Calls>, name: &str, result: T) -> Result<T, NodeError> {
    cx.services().count(name);
    Ok(result)
}

// F72, clause 59: falsy results are kept
#[tokio::test]
async fn a_step_that_gives_nothing_has_been_done_all_the_same() {
    let (calls, t) = (Calls::default(), thread("t"));
    let graph = function(&calls, nothing_much);
    let waiting = graph.run(Essay::default()).thread(t.clone()).await.unwrap();
    let end = graph.resume(&t).answer(waiting.status.questions()[0].id, &true).await.unwrap();
    assert_eq!(end.state.answer, "None 0 \"\"");
    for name in ["none", "zero", "blank", "unit"] {
        assert_eq!(calls.of(name), 1, "{name}");
    }
}

async fn falls_back(_: &Essay, cx: &Cx<Calls>) -> NodeResult<EssayUpdate> {
    let failing = async { Err::<String, _>(NodeError::msg("no paper")) };
    let text = match cx.once("paper", failing).await {
        Ok(text) => text,
        Err(error) => format!("on slate: {error}"),
    };
    Ok(Essay::update().answer(text))
}

// F72, clause 59: the exception of a task reaches the caller
#[tokio::test]
async fn the_error_of_a_step_is_the_functions_to_handle() {
    let graph = function(&Calls::default(), falls_back);
    assert_eq!(graph.run(Essay::default()).await.unwrap().state.answer, "on slate: no paper");
}
