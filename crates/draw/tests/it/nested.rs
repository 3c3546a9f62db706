//! Sub-graphs in drawings: closed they are nodes, opened they are boxes round what is in them.

use stategraph_core::{END, START, Topology};
use stategraph_draw::Draw as _;

use super::kit::*;

// Issue 3, point 4; F70
#[test]
fn drawings_of_sub_graphs_are_what_they_were() {
    let graph = report();
    for (depth, name) in [(0, "report"), (1, "report_opened"), (usize::MAX, "report_all")] {
        let drawing = graph.drawing().xray(depth);
        check(&format!("{name}.mmd"), &drawing.mermaid());
        check(&format!("{name}.dot"), &drawing.dot());
        check(&format!("{name}.txt"), &drawing.ascii(100));
        check(&format!("{name}.json"), &drawing.json());
        check(&format!("{name}.svg"), &drawing.svg());
    }
}

#[test]
fn a_sub_graph_is_a_node_unless_it_is_opened() {
    let graph = report();
    for drawn in [graph.mermaid(), graph.dot(), graph.ascii(), graph.svg(), graph.drawing().json()] {
        assert!(drawn.contains("research") && !drawn.contains("fetch") && !drawn.contains("plan"), "{drawn}");
    }
    let opened = graph.drawing().xray(1);
    for drawn in [opened.mermaid(), opened.dot(), opened.ascii(100), opened.svg(), opened.json()] {
        assert!(drawn.contains("plan") && drawn.contains("each") | drawn.contains("dispatch"), "{drawn}");
        assert!(!drawn.contains("fetch"), "{drawn}");
    }
    assert!(graph.drawing().xray(2).ascii(100).contains("[research/read/fetch]"));
    // As what it is in the graph: a topology with a topology in it.
    let whole: serde_json::Value = serde_json::from_str(&graph.drawing().xray(9).json()).unwrap();
    assert_eq!(whole, serde_json::to_value(&graph).unwrap());
}

// D9, P5: a thread does not go on in a graph whose inside has changed.
#[test]
fn the_digest_knows_the_inside_of_sub_graphs() {
    let (one, mut other) = (report(), report());
    other.nodes[4].about = "says something else".into();
    assert_eq!(one.digest(), other.digest());
    let inside =
        |graph: &mut Topology, change: fn(&mut Topology)| change(graph.nodes[4].inner.as_mut().unwrap());
    inside(&mut other, |inner| inner.nodes[0].about = "and so does this".into());
    assert_eq!(one.digest(), other.digest());
    inside(&mut other, |inner| drop(inner.edges.pop()));
    assert_ne!(one.digest(), other.digest());
}

#[test]
fn names_inside_may_be_those_outside() {
    let inner = graph("same", &["same"], vec![edge(START, "same"), edge("same", END)]);
    let mut outer = inner.clone();
    outer.nodes[0].inner = Some(Box::new(inner));
    let drawing = outer.drawing().xray(1);
    assert_eq!(drawing.mermaid().matches("[\"same\"]").count(), 2, "one node in one sub-graph");
    assert_eq!(drawing.dot().matches("[label=\"same\"]").count(), 1);
    assert!(drawing.dot().contains("\"same:same\" [label=\"same\"]"), "{}", drawing.dot());
    assert!(drawing.ascii(80).contains("[same/same]"));
    roxmltree::Document::parse(&drawing.svg()).unwrap();
}

/// Hand-made, and entered or left by nothing.
#[test]
fn a_sub_graph_without_edges_can_be_opened() {
    let mut outer = graph("g", &["a", "b"], vec![edge(START, "a"), edge("a", "b"), edge("b", END)]);
    outer.nodes[0].inner = Some(Box::new(graph("empty", &[], vec![])));
    let drawing = outer.drawing().xray(1);
    assert!(drawing.ascii(80).contains("(a/START)") && drawing.ascii(80).contains("(a/END)"));
    roxmltree::Document::parse(&drawing.svg()).unwrap();
    assert!(drawing.mermaid().contains("subgraph a[\"a\"]"));
}
