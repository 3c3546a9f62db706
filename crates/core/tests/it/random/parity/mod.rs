//! Random graphs as LangGraph has them, too: joins, deferred nodes, cycles, `goto`, items with and without a value, conditional writes,
//! updates from outside. Which nodes run in which superstep depends on neither their names nor on how often the run is resumed.
//! `tests/real/langgraph.sh` has LangGraph run the same graphs and compares states, plans and histories.
//!
//! Two things are left out, because LangGraph does them otherwise: no graph has deferred nodes as well as items (F20), and no worker has
//! a fan-out (F21).

mod build;
mod draw;
mod session;
mod shape;
mod told;

use std::io::Write as _;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use stategraph_core::{DefectKind, EventKind, EventKinds, RunError};

use self::draw::shapes;
use self::session::play;
use self::shape::{Node, Shape, Walk};
use self::told::told;
use super::super::kit::{memory, played, thread};
use crate::cases::cases;

/// The limit of supersteps of a run from its input.
const STEPS: u64 = 24;

/// The file that graphs and what they did are appended to, a line each.
const OUT: &str = "STATEGRAPH_TEST_SUPERSTEPS";

/// The nodes of each superstep, each as often as it runs.
type Supersteps = Vec<Vec<usize>>;

impl Shape {
    /// Returns the supersteps of a run, and the part of its last state that does not depend on names.
    async fn supersteps(&self) -> (Supersteps, Option<Walk>) {
        let run = self.built().run(Walk::default()).step_limit(STEPS);
        let (events, ended) = played(run.stream(EventKinds::TASKS).await.unwrap()).await;
        let mut supersteps = Supersteps::new();
        for event in &events {
            if let EventKind::TaskStarted { node, .. } = &event.kind {
                let step = usize::try_from(event.step).unwrap();
                supersteps.resize(supersteps.len().max(step), Vec::new());
                supersteps[step - 1].push(self.number(node));
            }
        }
        supersteps.iter_mut().for_each(|step| step.sort_unstable());
        let state = match ended {
            Ok(outcome) => Some(Walk { log: Vec::new(), ..outcome.state }),
            Err(RunError::StepLimit { .. } | RunError::WriteConflict { .. }) => None,
            Err(error) => panic!("{error}"),
        };
        (supersteps, state)
    }

    /// Returns the same of a run that ends after every superstep and is resumed.
    async fn supersteps_resumed(&self) -> (Supersteps, Option<Walk>) {
        let (graph, thread) = (self.built().with_store(memory()), thread("t"));
        let mut supersteps = Supersteps::new();
        let mut ended = graph.run(Walk::default()).thread(thread.clone()).step_limit(0).await;
        while let (Err(RunError::StepLimit { next, .. }), true) = (&ended, (supersteps.len() as u64) < STEPS)
        {
            let mut step: Vec<usize> = next.iter().map(|node| self.number(node)).collect();
            step.sort_unstable();
            supersteps.push(step);
            ended = graph.resume(&thread).step_limit(1).await;
        }
        (supersteps, ended.ok().map(|outcome| Walk { log: Vec::new(), ..outcome.state }))
    }

    /// Asserts that the graph is refused where a node that goes somewhere has edges besides, and for no other reason.
    fn refused_with_edges_besides(&self) {
        let defects = self.with_edges_besides().defects();
        let goes_besides = self.nodes.iter().any(Node::goes_besides_edges);
        assert_eq!(defects.is_empty(), !goes_besides, "{defects:?}");
        assert!(defects.iter().all(|defect| matches!(defect.kind, DefectKind::GotoAndEdge { .. })));
    }
}

proptest! {
    #![proptest_config(cases(128))]

    // F3, F4, F9, F17, F20, F21, F22, F47, D2
    #[test]
    fn the_supersteps_of_a_graph_depend_on_neither_names_nor_resumes((shape, renamed, script) in shapes()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let session = runtime.block_on(async {
            let straight = shape.supersteps().await;
            assert_eq!(renamed.supersteps().await, straight);
            assert_eq!(shape.supersteps_resumed().await, straight);
            shape.refused_with_edges_besides();
            play(&shape, &script).await
        });
        if let Some(out) = std::env::var_os(OUT) {
            append(Path::new(&out), &told(&shape, &session));
        }
    }
}

fn append(out: &Path, line: &Value) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(out);
    writeln!(file.unwrap(), "{line}").unwrap();
}
