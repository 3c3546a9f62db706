//! A graph with everything that leaves records: parallel tasks, journaled effects, questions, a fan-out, a shared and a mapped
//! sub-graph, joins, a loop. For tests that break its store or kill its process at each of those records.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use stategraph_core::{
    CompiledGraph, Cx, Durability, END, HistoryQuery, NodeError, NodeResult, RunError, START, State,
    StateGraph, Status, StoreError, Subgraph, ThreadId,
};

/// How often the graph goes round.
const ROUNDS: u32 = 2;

/// The items of its fan-out.
const PARTS: u32 = 4;

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tale {
    #[state(append)]
    pub(crate) lines: Vec<String>,
    #[state(add)]
    words: u64,
    round: u32,
}

/// The state of the mapped sub-graph.
#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Words {
    round: u32,
    #[state(add)]
    words: u64,
}

/// What nodes did outside the graph: a line `did <effect>` for each time, `kept <effect>` once the graph has said that it is
/// journaled. Clones write to the same place.
#[derive(Clone)]
pub(crate) struct Notes(Arc<dyn Fn(&str) + Send + Sync>);

impl Notes {
    /// Passes the lines on.
    pub(crate) fn to(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// Keeps the lines.
    pub(crate) fn kept(lines: &Arc<Mutex<Vec<String>>>) -> Self {
        let lines = lines.clone();
        Self::to(move |line| lines.lock().unwrap().push(line.to_owned()))
    }
}

/// Asserts that every effect of the undisturbed run happened, no other, and none again that was journaled.
pub(crate) fn check_effects<'a>(lines: impl IntoIterator<Item = &'a str>) {
    let (mut did, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        if let Some(effect) = line.strip_prefix("did ") {
            assert!(!kept.contains(effect), "`{effect}` was journaled and happened again");
            did.insert(effect);
        }
        kept.extend(line.strip_prefix("kept "));
    }
    let rounds = 0..ROUNDS;
    let expected: BTreeSet<String> = rounds
        .flat_map(|round| {
            let parts = (0..PARTS).map(move |part| format!("part {part} in {round}"));
            let nodes = ["left", "right", "page", "proof", "tally"];
            parts.chain(nodes.map(|node| format!("{node} in {round}")))
        })
        .collect();
    assert!(expected.iter().map(String::as_str).eq(did.iter().copied()), "{did:?}");
}

async fn effect(cx: &Cx<Notes>, effect: &str) -> NodeResult<()> {
    tokio::task::yield_now().await;
    let note = &cx.services().0;
    let work = async {
        note(&format!("did {effect}"));
        Ok::<_, NodeError>(())
    };
    cx.once("effect", work).await?;
    note(&format!("kept {effect}"));
    Ok(())
}

async fn say(_: &Tale, cx: &Cx<Notes>) -> TaleUpdate {
    Tale::update().lines(cx.node()).words(1)
}

async fn work(tale: &Tale, cx: &Cx<Notes>) -> NodeResult<TaleUpdate> {
    effect(cx, &format!("{} in {}", cx.node(), tale.round)).await?;
    Ok(Tale::update().lines(cx.node()).words(1))
}

async fn ask(tale: &Tale, cx: &Cx<Notes>) -> NodeResult<TaleUpdate> {
    let answer: String = cx.interrupt(&format!("{} in {}?", cx.node(), tale.round)).await?;
    Ok(Tale::update().lines(answer))
}

async fn part(tale: &Tale, cx: &Cx<Notes>) -> NodeResult<TaleUpdate> {
    let part: u32 = *cx.item()?;
    effect(cx, &format!("part {part} in {}", tale.round)).await?;
    let mut line = format!("part {part}");
    if part == 2 {
        let answer: String = cx.interrupt(&format!("part in {}?", tale.round)).await?;
        line.push_str(&answer);
    }
    Ok(Tale::update().lines(line).words(u64::from(part)))
}

async fn close(tale: &Tale) -> TaleUpdate {
    Tale::update().lines(format!("round {} of {} words", tale.round, tale.words)).round(tale.round + 1)
}

async fn tally(words: &Words, cx: &Cx<Notes>) -> NodeResult<WordsUpdate> {
    effect(cx, &format!("tally in {}", words.round)).await?;
    Ok(Words::update().words(10))
}

async fn more(_: &Words) -> WordsUpdate {
    Words::update().words(1)
}

fn chapter(notes: &Notes) -> CompiledGraph<Tale, Notes> {
    let graph = StateGraph::<Tale, Notes>::new("chapter")
        .node("page", work)
        .node("editor", ask)
        .node("proof", work)
        .node("print", say);
    let graph = graph.edge(START, "page").edge("page", "editor").edge("page", "proof");
    let graph = graph.join(["editor", "proof"], "print").edge("print", END);
    graph.compile_with(notes.clone()).expect("it has no defects")
}

fn counted(notes: &Notes) -> Subgraph<Tale, Words, Notes> {
    let graph = StateGraph::<Words, Notes>::new("words").node("tally", tally).node("more", more);
    let graph = graph.edge(START, "tally").edge("tally", "more").edge("more", END);
    Subgraph::mapped(
        &graph.compile_with(notes.clone()).expect("it has no defects"),
        |tale: &Tale| Words { round: tale.round, words: 0 },
        |words: &Words| Tale::update().words(words.words),
    )
}

/// The graph, without a store.
pub(crate) fn tale(notes: &Notes) -> CompiledGraph<Tale, Notes> {
    let graph = StateGraph::<Tale, Notes>::new("tale")
        .node("open", say)
        .node("left", work)
        .node("right", work)
        .node("reader", ask)
        .node("gather", say)
        .node("part", part)
        .node("chapter", chapter(notes))
        .node("count", counted(notes))
        .node("close", close);
    let graph = ["left", "right", "reader"]
        .iter()
        .fold(graph.edge(START, "open"), |graph, node| graph.edge("open", *node));
    graph
        .join(["left", "right", "reader"], "gather")
        .fan_out("gather", |_: &Tale| 0..PARTS, "part")
        .edge("part", "chapter")
        .edge("part", "count")
        .join(["chapter", "count"], "close")
        .branch("close", |tale: &Tale| tale.round < ROUNDS, [(true, "open"), (false, END)])
        .compile_with(notes.clone())
        .expect("it has no defects")
}

/// Takes a thread as far as it goes at once, answering what is asked; gives the state when it is done. A thread that does not
/// exist is begun.
pub(crate) async fn turn(
    graph: &CompiledGraph<Tale, Notes>,
    thread: &ThreadId,
    durability: Durability,
) -> Result<Option<Tale>, RunError> {
    let request = match graph.state(thread, None).await {
        Err(RunError::Store(StoreError::NoThread { .. })) => {
            graph.run(Tale::default()).thread(thread.clone())
        }
        Err(error) => return Err(error),
        Ok(seen) => seen.questions.iter().fold(graph.resume(thread), |request, question| {
            request.answer(question.id, &format!("{} yes", question.payload.get().trim_matches('"')))
        }),
    };
    let outcome = request.durability(durability).await?;
    graph.history(thread, &HistoryQuery::default()).await?;
    Ok(matches!(outcome.status, Status::Done).then_some(outcome.state))
}

/// The state that a run ends with which nothing disturbs.
pub(crate) async fn undisturbed() -> Tale {
    let lines = Arc::default();
    let graph = tale(&Notes::kept(&lines)).with_store(super::kit::memory());
    let end = told(&graph, &super::kit::thread("t")).await;
    check_effects(lines.lock().unwrap().iter().map(String::as_str));
    assert_eq!(lines.lock().unwrap().iter().filter(|line| line.starts_with("did")).count(), 18);
    end
}

/// Goes on to the end.
pub(crate) async fn told(graph: &CompiledGraph<Tale, Notes>, thread: &ThreadId) -> Tale {
    loop {
        if let Some(end) = turn(graph, thread, Durability::Sync).await.unwrap() {
            return end;
        }
    }
}
