//! Writes Graphviz's DOT. Names are quoted ids, so no name can be a keyword or end its statement.

use std::fmt::Write;

use super::DISPATCH_LABEL;
use super::chart::{Chart, ChartJoin, Multiplicity, Vertex, VertexKind};
use super::palette::{TAKEN, fill_and_stroke};
use super::text::{describe_run, describe_visit, replace_controls};
use stategraph_core::EdgeKind;

/// Renders a chart as a Graphviz digraph.
pub(super) fn render(chart: &Chart<'_>) -> String {
    let mut writer =
        DotWriter { out: format!("digraph {} {{\n", quote(&chart.graph.name)), edges: String::new() };
    writer.out += "    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\", fontsize=10];\n";
    if let Some(run) = chart.run {
        let _ = writeln!(
            writer.out,
            "    label={}; labelloc=b; fontname=\"Helvetica\";",
            quote(&describe_run(run))
        );
    }
    writer.write_chart(chart, "", 1);
    writer.out + &writer.edges + "}\n"
}

/// Writer of a DOT document: the statements written so far.
struct DotWriter {
    out: String,
    /// Statements of edges. They follow all vertices, because a vertex that is first named inside a cluster would belong to it.
    edges: String,
}

impl DotWriter {
    /// Writes the vertices, joins and edges of a chart. `prefix` is prepended to their ids; `depth` is the
    /// indent level. Returns for each vertex two ids: where its incoming edges end, and where its outgoing
    /// edges begin.
    fn write_chart(&mut self, chart: &Chart<'_>, prefix: &str, depth: usize) -> Vec<(String, String)> {
        let mut ports = Vec::new();
        for vertex in &chart.vertices {
            ports.push(self.write_vertex(vertex, prefix, depth));
        }
        for ChartJoin { number, from, to, taken } in chart.joins() {
            // Names of nodes have no colon, so this id is free.
            let id = quote(&format!("{prefix}join:{number}"));
            let _ = writeln!(
                self.out,
                "{}{id} [label=\"\", tooltip=\"all\", shape=box, style=filled, fillcolor=black, height=0.05, width=0.6];",
                "    ".repeat(depth)
            );
            for from in from {
                self.write_edge(&ports[from].1, &id, &["dir=none"], taken);
            }
            self.write_edge(&id, &ports[to].0, &[], taken);
        }
        for link in &chart.edges {
            let (from, to) = (&ports[link.from].1, &ports[link.to].0);
            match link.kind {
                EdgeKind::Static => self.write_edge(from, to, &[], link.taken),
                EdgeKind::Branch { label } => {
                    self.write_edge(
                        from,
                        to,
                        &["style=dashed", &format!("label={}", quote(label))],
                        link.taken,
                    );
                }
                EdgeKind::Goto => self.write_edge(from, to, &["style=dotted"], link.taken),
                EdgeKind::Dispatch => {
                    self.write_edge(
                        from,
                        to,
                        &["style=bold", &format!("label={}", quote(DISPATCH_LABEL))],
                        link.taken,
                    );
                }
                EdgeKind::Join { .. } => {}
            }
        }
        ports
    }

    /// Writes a vertex, or the cluster of an opened sub-graph. Returns two ids: where its incoming edges
    /// end, and where its outgoing edges begin.
    fn write_vertex(&mut self, vertex: &Vertex<'_>, prefix: &str, depth: usize) -> (String, String) {
        let indent = "    ".repeat(depth);
        let id = quote(&format!("{prefix}{}", vertex.name));
        let mut label = quote(vertex.name);
        if let Some(visit) = vertex.visit {
            label.insert_str(label.len() - 1, &format!("\\n{}", describe_visit(visit)));
        }
        if let Some(inner) = &vertex.inner {
            let name = quote(&format!("cluster:{prefix}{}", vertex.name));
            let _ = writeln!(self.out, "{indent}subgraph {name} {{");
            let fill = vertex.standing().map_or("gray70", |standing| fill_and_stroke(standing).1);
            let _ = writeln!(
                self.out,
                "{indent}    label={label}; style=rounded; color=\"{fill}\"; fontname=\"Helvetica\";"
            );
            let inside = self.write_chart(inner, &format!("{prefix}{}:", vertex.name), depth + 1);
            let _ = writeln!(self.out, "{indent}}}");
            let port = |kind| &inside[inner.terminal(kind)];
            return (port(VertexKind::Start).0.clone(), port(VertexKind::End).1.clone());
        }
        let shape = if vertex.kind == VertexKind::Node { "" } else { ", shape=oval, style=solid" };
        let tooltip = if vertex.about.is_empty() {
            String::new()
        } else {
            format!(", tooltip={}", quote(vertex.about))
        };
        let many = if vertex.multiplicity == Multiplicity::PerItem { ", peripheries=2" } else { "" };
        let colour = vertex.standing().map_or_else(String::new, |standing| {
            let (fill, stroke) = fill_and_stroke(standing);
            format!(", style=\"rounded,filled\", fillcolor=\"{fill}\", color=\"{stroke}\"")
        });
        let _ = writeln!(self.out, "{indent}{id} [label={label}{shape}{tooltip}{many}{colour}];");
        (id.clone(), id)
    }

    /// Writes an edge between two quoted ids; an edge that the run took is highlighted.
    fn write_edge(&mut self, from: &str, to: &str, attributes: &[&str], taken: u64) {
        let mut attributes: Vec<String> =
            attributes.iter().map(|attribute| (*attribute).to_owned()).collect();
        if taken > 0 {
            attributes.push(format!("color=\"{TAKEN}\", penwidth=2"));
        }
        let _ = if attributes.is_empty() {
            writeln!(self.edges, "    {from} -> {to};")
        } else {
            writeln!(self.edges, "    {from} -> {to} [{}];", attributes.join(", "))
        };
    }
}

/// Quotes a text as a DOT string with escapes: backslashes are doubled, because they begin escapes, and `&`
/// becomes `&amp;`, because it begins an HTML entity.
fn quote(text: &str) -> String {
    let text = replace_controls(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{text}\"")
}
