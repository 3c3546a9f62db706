//! What a node knows of its run, and what others are told of its life. Parity F26, F29, F38, P16.

use std::sync::{Arc, Mutex};

use stategraph_core::{
    Breakpoints, Cx, Durability, END, HistoryQuery, Hooks, Interrupt, RunInfo, START, State,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, memory, saying, thread, wired,
};

async fn counts_down(_: &Trail, cx: &Cx) -> TrailUpdate {
    Trail::update().log(format!("{} left", cx.remaining_steps()))
}

fn looping(turns: usize) -> Graph {
    let graph = Builder::new("loop").node("a", counts_down).edge(START, "a");
    let again = move |t: &Trail| t.log.len() < turns;
    graph.branch("a", again, [(true, "a"), (false, END)]).compile().unwrap()
}

// F26 (LangGraph: limit 5 on a 4-step loop -> 4,3,2,1)
#[tokio::test]
async fn a_node_knows_how_many_steps_the_run_may_still_do() {
    let end = looping(4).run(empty()).step_limit(5).await.unwrap();
    assert_eq!(end.state.log(), ["4 left", "3 left", "2 left", "1 left"]);
    let graph = looping(4).with_store(memory());
    graph.run(empty()).thread(thread("t")).step_limit(2).await.unwrap_err();
    // Every run has a budget of its own (D3).
    let end = graph.resume(&thread("t")).step_limit(2).await.unwrap();
    assert_eq!(end.state.log(), ["1 left", "0 left", "1 left", "0 left"]);
}

async fn tells(_: &Trail, cx: &Cx) -> TrailUpdate {
    let checkpoint = cx.checkpoint().map_or_else(|| "none".to_owned(), |id| id.to_string());
    Trail::update().log(format!("{} [{}] run {} at {checkpoint}", cx.graph(), cx.namespace(), cx.run()))
}

// F29
#[tokio::test]
async fn a_node_knows_its_graph_run_and_checkpoint() {
    let inner = wired(Builder::<()>::new("inner").node("x", tells), &["START x", "x END"]).compile().unwrap();
    let graph = Builder::new("outer").node("a", tells).node("b", inner);
    let graph = wired(graph, &["START a", "a b", "b END"]).compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    let end = graph.resume(&t).await.unwrap();
    assert_eq!(end.state.log(), ["outer [] run 1 at t@1", "inner [b:2.0] run 2 at none"]);
    let exit = graph.run(empty()).durability(Durability::Exit).step_limit(1);
    exit.await.unwrap_err();
    let again = graph.continue_with(&t, Trail::update().overwrite_log([])).await.unwrap();
    assert_eq!(again.state.log[0], "outer [] run 3 at t@4");
    let anew = graph.run(empty()).thread(t.clone()).await.unwrap();
    assert!(anew.state.log[0].starts_with("outer [] run 4 at "), "{:?}", anew.state.log);
}

// Every run has a number in its checkpoints; the first needs no word for it
#[tokio::test]
async fn checkpoints_say_which_run_wrote_them() {
    let graph = saying(&["a", "b"], &["START a", "a b", "b END"]).compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    graph.resume(&t).await.unwrap();
    graph.resume_at(&"t@2".parse().unwrap()).await.unwrap();
    graph.update(&t, Trail::update().log("x"), None).await.unwrap();
    let history = graph.history(&t, &HistoryQuery::default()).await.unwrap();
    let runs: Vec<u64> = history.iter().rev().map(|entry| entry.checkpoint.run).collect();
    assert_eq!(runs, [1, 1, 2, 3, 3, 4]);
    assert!(!serde_json::to_string(&history.last().unwrap().checkpoint).unwrap().contains("\"run\""));
}

/// Writes down what it is told.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Diary {
    fn note(&self, what: &str, run: &RunInfo<'_>) {
        let checkpoint = run.checkpoint.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        self.0.lock().unwrap().push(format!("{what} {} run {} {checkpoint}", run.graph, run.run));
    }
}

impl Hooks for Diary {
    fn on_start(&self, run: &RunInfo<'_>) {
        self.note("start", run);
    }

    fn on_resume(&self, run: &RunInfo<'_>) {
        self.note("resume", run);
    }

    fn on_interrupt(&self, run: &RunInfo<'_>, interrupt: Interrupt<'_>) {
        match interrupt {
            Interrupt::Questions(questions) => self.note(&format!("asked {}", questions.len()), run),
            Interrupt::Breakpoint(at) => self.note(&format!("stopped before {}", at.before.join("+")), run),
        }
    }

    fn on_end(&self, run: &RunInfo<'_>, status: &'static str) {
        self.note(status, run);
    }
}

// F38
#[tokio::test]
async fn hooks_are_told_of_starts_interrupts_resumes_and_ends() {
    let diary = Arc::new(Diary::default());
    let graph = wired(
        Builder::<Calls>::new("g").node("q", ask).node("z", super::kit::say),
        &["START q", "q z", "z END"],
    );
    let graph = graph.breakpoints(Breakpoints::none().before(["z"])).compile_with(Calls::default()).unwrap();
    let graph = graph.with_store(memory()).with_hooks(diary.clone());
    let t = thread("t");
    let waiting = graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.resume(&t).answer(asked(&waiting)[0].0.parse().unwrap(), &"y").await.unwrap();
    graph.resume(&t).await.unwrap();
    assert_eq!(
        *diary.0.lock().unwrap(),
        [
            "start g run 1 -",
            "asked 1 g run 1 t@1",
            "waiting g run 1 t@1",
            "resume g run 2 t@1",
            "stopped before z g run 2 t@2",
            "paused g run 2 t@2",
            "resume g run 3 t@2",
            "done g run 3 t@3",
        ]
    );
}
