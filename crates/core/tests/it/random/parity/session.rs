//! Runs a random graph on a thread: with breakpoints, with updates from outside where it stops and where it has ended.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;
use stategraph_core::{
    Breakpoints, CompiledGraph, HistoryQuery, Outcome, PlannedTask, RunError, Source, State as _, Status,
    ThreadId,
};

use super::super::super::kit::{memory, thread};
use super::STEPS;
use super::shape::{Shape, Walk};

/// The limit of supersteps of a run that goes on.
const MORE_STEPS: u64 = 12;

/// The operations on a thread, in order.
#[derive(Debug, Clone)]
pub(super) struct Script {
    /// The nodes before which runs stop.
    pub(super) breakpoints: BTreeSet<usize>,
    /// The update at each of the first stops.
    pub(super) paused: Vec<Hand>,
    /// The author of the update at the end.
    pub(super) ended: usize,
}

/// The author of an update from outside, by any number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hand {
    Nothing,
    /// One of the planned nodes.
    Planned(usize),
    Any(usize),
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Done,
    Paused,
    Limit,
    Conflict,
}

/// Something that was done to a thread.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// A run from the input, or one that goes on.
    Run {
        breakpoints: Vec<String>,
        limit: u64,
        ending: RunEnd,
    },
    Update {
        node: usize,
    },
}

/// A checkpoint as it is read back.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) source: Source,
    /// The planned tasks: the node, and the item as JSON.
    pub(super) next: Vec<(String, Option<Value>)>,
    pub(super) state: Walk,
}

#[derive(Debug)]
pub(super) struct ThreadTale {
    pub(super) acts: Vec<Act>,
    /// Oldest first.
    pub(super) history: Vec<Stored>,
}

/// A thread that is worked on.
struct Player<'a> {
    shape: &'a Shape,
    graph: CompiledGraph<Walk>,
    thread: ThreadId,
    acts: Vec<Act>,
}

pub(super) async fn play(shape: &Shape, script: &Script) -> ThreadTale {
    let graph = shape.built().with_store(memory());
    let mut player = Player { shape, graph, thread: thread("t"), acts: Vec::new() };
    let breakpoints = script.breakpoints.iter().filter(|at| **at < shape.nodes.len());
    let breakpoints: Vec<String> = breakpoints.map(|at| shape.name(*at).to_owned()).collect();
    let mut ending = player.start(&breakpoints).await;
    for hand in &script.paused {
        if ending != RunEnd::Paused {
            break;
        }
        player.interfere(*hand).await;
        ending = player.resume(&breakpoints).await;
    }
    if ending != RunEnd::Conflict {
        player.interfere(Hand::Any(script.ended)).await;
        player.resume(&[]).await;
    }
    ThreadTale { history: player.history().await, acts: player.acts }
}

impl Player<'_> {
    async fn start(&mut self, breakpoints: &[String]) -> RunEnd {
        let run = self.graph.run(Walk::default()).thread(self.thread.clone()).step_limit(STEPS);
        let ended = run.breakpoints(Breakpoints::none().before(breakpoints)).await;
        self.note(breakpoints, STEPS, ended)
    }

    async fn resume(&mut self, breakpoints: &[String]) -> RunEnd {
        let run = self.graph.resume(&self.thread).step_limit(MORE_STEPS);
        let ended = run.breakpoints(Breakpoints::none().before(breakpoints)).await;
        self.note(breakpoints, MORE_STEPS, ended)
    }

    fn note(&mut self, breakpoints: &[String], limit: u64, ended: Result<Outcome<Walk>, RunError>) -> RunEnd {
        let ending = match ended {
            Ok(Outcome { status: Status::Done, .. }) => RunEnd::Done,
            Ok(Outcome { status: Status::Paused(_), .. }) => RunEnd::Paused,
            Err(RunError::StepLimit { .. }) => RunEnd::Limit,
            Err(RunError::WriteConflict { .. }) => RunEnd::Conflict,
            other => panic!("{other:?}"),
        };
        self.acts.push(Act::Run { breakpoints: breakpoints.to_vec(), limit, ending });
        ending
    }

    /// Writes as a node. Not as one that has edges besides its `goto` in LangGraph, which follows them after the update (D2).
    async fn interfere(&mut self, hand: Hand) {
        let all = || (0..self.shape.nodes.len()).collect();
        let (chosen, mut authors): (usize, BTreeSet<usize>) = match hand {
            Hand::Nothing => return,
            Hand::Any(chosen) => (chosen, all()),
            Hand::Planned(chosen) => {
                let next = self.graph.state(&self.thread, None).await.unwrap().next;
                (chosen, next.iter().map(|node| self.shape.number(node)).collect())
            }
        };
        authors.retain(|at| !self.shape.nodes[*at].goes_besides_edges());
        let Some(node) = authors.iter().copied().cycle().nth(chosen % authors.len().max(1)) else { return };
        let update = Walk::update().runs(node).log("by hand").sum(100).last(100);
        self.graph.update(&self.thread, update, Some(self.shape.name(node))).await.unwrap();
        self.acts.push(Act::Update { node });
    }

    async fn history(&self) -> Vec<Stored> {
        let mut history = Vec::new();
        for entry in self.graph.history(&self.thread, &HistoryQuery::default()).await.unwrap() {
            let checkpoint = &entry.checkpoint;
            let state = self.graph.state(&self.thread, Some(checkpoint.seq)).await.unwrap().state;
            let item = |item: &RawValue| serde_json::from_str(item.get()).unwrap();
            let task = |task: &PlannedTask| (task.node.as_ref().to_owned(), task.item.as_deref().map(item));
            let next = checkpoint.next.iter().map(task);
            history.push(Stored { source: checkpoint.source, next: next.collect(), state });
        }
        history.reverse();
        history
    }
}
