//! Sub-graphs in the nodes of a file, seen from outside: shapes, states, changes.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use stategraph_core::store::MemoryStore;
use stategraph_core::{HistoryQuery, RunPath, Status, ThreadId, VisitStatus};
use stategraph_draw::Draw as _;
use stategraph_files::Definition;
use stategraph_kinds::{graph, origin};

use super::kinds::{offline, one, start};

const CHILD: &str = "name: child\ninputs: { x: integer }\nstate: { y: integer }\noutputs: [y]\nnodes:\n  double: { set: { y: state.x * 2 } }\n  \
                     ask: { interrupt: \"{{ state.y }}?\" }\nedges:\n  - { from: START, to: double }\n  - { from: double, to: ask }\n  - { from: ask, to: END }\n";
const STATE: &str = "{ list: { type: list, default: [1, 2] }, out: any }";
const NODE: &str = "{ subgraph: { file: child.yaml, with: { x: 21 } }, to: out }";
const MAP: &str =
    "{ map: { over: state.list, do: { subgraph: { file: child.yaml, with: { x: item } } } }, to: out }";

fn parent(folder: &Path, node: &str, child: &str) -> (Definition, String) {
    std::fs::write(folder.join("child.yaml"), child).unwrap();
    let text = one(STATE, node);
    (Definition::parse(&text, folder.join("t.yaml").display().to_string()).unwrap(), text)
}

// F30, F61: the graph of a file inside a node is part of the shape, and its state is seen while it waits.
#[tokio::test]
async fn the_graph_inside_a_node_is_drawn_and_looked_into() {
    for (node, standing) in [(NODE, vec![42]), (MAP, vec![2, 4])] {
        let folder = tempfile::tempdir().unwrap();
        let (definition, text) = parent(folder.path(), node, CHILD);
        let graph = graph(&definition).unwrap();
        let drawn = graph.topology().drawing().xray(1).mermaid();
        assert!(drawn.contains("double") && drawn.contains("ask"), "{drawn}");
        let graph = graph.compile_with(offline()).unwrap().with_store(Arc::new(MemoryStore::new()));
        let thread = ThreadId::new("t").unwrap();
        let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
        assert!(matches!(end.status, Status::Waiting(_)));
        let inner = graph.state(&thread, None).await.unwrap().inner;
        let seen: Vec<_> = inner
            .iter()
            .map(|inner| {
                assert_eq!(inner.next, ["ask"]);
                let state: serde_json::Value =
                    serde_json::from_str(inner.state.as_ref().unwrap().get()).unwrap();
                state["y"].clone()
            })
            .collect();
        assert_eq!(seen, standing.into_iter().map(|y| json!(y)).collect::<Vec<_>>());
    }
}

// F30: a changed inside is a changed graph.
#[test]
fn a_changed_sub_graph_changes_the_graph_and_what_threads_remember() {
    let folder = tempfile::tempdir().unwrap();
    let (definition, _) = parent(folder.path(), NODE, CHILD);
    let (before, shape) = (origin(&definition).unwrap(), graph(&definition).unwrap().topology().digest());
    assert!(before.changed_since(&before).is_empty());
    // Another expression is another file, and the same shape.
    parent(folder.path(), NODE, &CHILD.replace("* 2", "* 3"));
    let after = origin(&definition).unwrap();
    let child = folder.path().join("child.yaml").display().to_string();
    assert_eq!(after.changed_since(&before), [child.as_str()]);
    assert_eq!(graph(&definition).unwrap().topology().digest(), shape);
    // Another node is another shape.
    parent(folder.path(), NODE, &CHILD.replace("double", "twice"));
    assert_ne!(graph(&definition).unwrap().topology().digest(), shape);
}

// F56: the breakpoints of a sub-graph stop the run around it.
#[tokio::test]
async fn the_breakpoints_of_a_sub_graph_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let child = CHILD.replace("nodes:", "interrupt_before: [ask]\nnodes:");
    let (definition, text) = parent(folder.path(), NODE, &child);
    let graph = graph(&definition).unwrap().compile_with(offline()).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Paused(at) = end.status else { panic!("{:?}", end.status) };
    assert_eq!((at.before, at.after), (vec!["n/ask".to_owned()], Vec::new()));
    let end = graph.resume(&thread).await.unwrap();
    assert!(matches!(end.status, Status::Waiting(_)), "{:?}", end.status);
}

// Issue 3, point 4: the path of a run goes into sub-graphs, those of all items of a map together.
#[tokio::test]
async fn the_path_of_a_run_goes_into_sub_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let (definition, text) = parent(folder.path(), MAP, CHILD);
    let graph = graph(&definition).unwrap().compile_with(offline()).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let mut end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let path = async || {
        RunPath::of(&thread, &graph.history(&thread, &HistoryQuery::default()).await.unwrap()).unwrap()
    };
    let waiting = path().await;
    let seen = |path: &RunPath, node: &str| (path.visits[node].count, path.visits[node].standing);
    assert_eq!(seen(&waiting, "n/double"), (2, VisitStatus::Done));
    assert_eq!(seen(&waiting, "n/ask"), (0, VisitStatus::Waits));
    assert_eq!(waiting.moves["n/START"]["n/double"], 2);
    while let Status::Waiting(questions) = &end.status {
        let resumed = graph.resume(&thread);
        let resumed = questions.iter().fold(resumed, |run, question| run.answer(question.id, &true));
        end = resumed.await.unwrap();
    }
    let done = path().await;
    assert_eq!((seen(&done, "n/ask"), done.standing), ((2, VisitStatus::Done), VisitStatus::Done));
}
