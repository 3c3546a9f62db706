//! Graphviz's DOT. Names are quoted ids, so no name can be a keyword or end the statement.

use std::fmt::Write;

use super::EACH;
use super::chart::{Chart, Meeting, Place, PlaceKind, Runs};
use super::text::{caption, one_line, visited};
use super::tone::{TAKEN, colours};
use stategraph_core::EdgeKind;

pub(super) fn dot(chart: &Chart<'_>) -> String {
    let mut sheet =
        Sheet { out: format!("digraph {} {{\n", quoted(&chart.graph.name)), edges: String::new() };
    sheet.out += "    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\", fontsize=10];\n";
    if let Some(run) = chart.run {
        let _ =
            writeln!(sheet.out, "    label={}; labelloc=b; fontname=\"Helvetica\";", quoted(&caption(run)));
    }
    sheet.chart(chart, "", 1);
    sheet.out + &sheet.edges + "}\n"
}

struct Sheet {
    out: String,
    /// The edges follow all places: one that is first named in a cluster would belong to it.
    edges: String,
}

impl Sheet {
    /// Writes a chart whose ids begin with `prefix`; gives the ids at which each of its places is entered and left.
    fn chart(&mut self, chart: &Chart<'_>, prefix: &str, depth: usize) -> Vec<(String, String)> {
        let mut doors = Vec::new();
        for place in &chart.places {
            doors.push(self.place(place, prefix, depth));
        }
        for Meeting { number, from, to, taken } in chart.meetings() {
            // No name of a node has a colon: this id is free.
            let id = quoted(&format!("{prefix}join:{number}"));
            let _ = writeln!(
                self.out,
                "{}{id} [label=\"\", tooltip=\"all\", shape=box, style=filled, fillcolor=black, height=0.05, width=0.6];",
                "    ".repeat(depth)
            );
            for from in from {
                self.link(&doors[from].1, &id, &["dir=none"], taken);
            }
            self.link(&id, &doors[to].0, &[], taken);
        }
        for link in &chart.links {
            let (from, to) = (&doors[link.from].1, &doors[link.to].0);
            match link.kind {
                EdgeKind::Static => self.link(from, to, &[], link.taken),
                EdgeKind::Branch { label } => {
                    self.link(from, to, &["style=dashed", &format!("label={}", quoted(label))], link.taken);
                }
                EdgeKind::Goto => self.link(from, to, &["style=dotted"], link.taken),
                EdgeKind::Dispatch => {
                    self.link(from, to, &["style=bold", &format!("label={}", quoted(EACH))], link.taken);
                }
                EdgeKind::Join { .. } => {}
            }
        }
        doors
    }

    fn place(&mut self, place: &Place<'_>, prefix: &str, depth: usize) -> (String, String) {
        let indent = "    ".repeat(depth);
        let id = quoted(&format!("{prefix}{}", place.name));
        let mut words = quoted(place.name);
        if let Some(visit) = place.visit {
            words.insert_str(words.len() - 1, &format!("\\n{}", visited(visit)));
        }
        if let Some(inner) = &place.inner {
            let name = quoted(&format!("cluster:{prefix}{}", place.name));
            let _ = writeln!(self.out, "{indent}subgraph {name} {{");
            let fill = place.standing().map_or("gray70", |standing| colours(standing).1);
            let _ = writeln!(
                self.out,
                "{indent}    label={words}; style=rounded; color=\"{fill}\"; fontname=\"Helvetica\";"
            );
            let inside = self.chart(inner, &format!("{prefix}{}:", place.name), depth + 1);
            let _ = writeln!(self.out, "{indent}}}");
            let door = |kind| &inside[inner.end(kind)];
            return (door(PlaceKind::Start).0.clone(), door(PlaceKind::End).1.clone());
        }
        let shape = if place.kind == PlaceKind::Node { "" } else { ", shape=oval, style=solid" };
        let tooltip =
            if place.about.is_empty() { String::new() } else { format!(", tooltip={}", quoted(place.about)) };
        let many = if place.runs == Runs::PerItem { ", peripheries=2" } else { "" };
        let colour = place.standing().map_or_else(String::new, |standing| {
            let (fill, stroke) = colours(standing);
            format!(", style=\"rounded,filled\", fillcolor=\"{fill}\", color=\"{stroke}\"")
        });
        let _ = writeln!(self.out, "{indent}{id} [label={words}{shape}{tooltip}{many}{colour}];");
        (id.clone(), id)
    }

    fn link(&mut self, from: &str, to: &str, attributes: &[&str], taken: u64) {
        let mut attributes: Vec<String> = attributes.iter().map(|said| (*said).to_owned()).collect();
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

/// Text in quotes. A backslash would begin an escape, an ampersand an HTML entity.
fn quoted(text: &str) -> String {
    let text = one_line(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{text}\"")
}
