//! Graphviz's DOT. Names are quoted ids, so no name can be a keyword or end the statement.

use std::fmt::Write;

use super::super::draft::{END, START};
use super::super::topology::{EdgeKind, Topology};
use super::one_line;

pub(super) fn dot(graph: &Topology) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&graph.name));
    out += "    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\", fontsize=10];\n";
    for name in graph.places() {
        let about = graph.nodes.iter().find(|node| node.name == name).map_or("", |node| &node.about);
        let shape = if matches!(name, START | END) { ", shape=oval, style=solid" } else { "" };
        let tooltip = if about.is_empty() { String::new() } else { format!(", tooltip={}", quoted(about)) };
        let _ = writeln!(out, "    {} [label={}{shape}{tooltip}];", quoted(name), quoted(name));
    }
    for (number, (sources, to)) in graph.joins() {
        // No name of a node has a colon: this id is free.
        let id = format!("\"join:{number}\"");
        let _ = writeln!(
            out,
            "    {id} [label=\"\", tooltip=\"all\", shape=box, style=filled, fillcolor=black, height=0.05, width=0.6];"
        );
        for from in sources {
            let _ = writeln!(out, "    {} -> {id} [dir=none];", quoted(from));
        }
        let _ = writeln!(out, "    {id} -> {};", quoted(to));
    }
    for edge in &graph.edges {
        let (from, to) = (quoted(&edge.from), quoted(&edge.to));
        let _ = match &edge.kind {
            EdgeKind::Static => writeln!(out, "    {from} -> {to};"),
            EdgeKind::Branch { label } => {
                writeln!(out, "    {from} -> {to} [style=dashed, label={}];", quoted(label))
            }
            EdgeKind::Goto | EdgeKind::Dispatch => writeln!(out, "    {from} -> {to} [style=dashed];"),
            EdgeKind::Join { .. } => Ok(()),
        };
    }
    out + "}\n"
}

/// Text in quotes. A backslash would begin an escape, an ampersand an HTML entity.
fn quoted(text: &str) -> String {
    let text = one_line(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{text}\"")
}
