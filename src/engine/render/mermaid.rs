//! Mermaid's flowcharts. Ids are the names where Mermaid takes them, numbers otherwise; labels are always quoted and escaped.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::draft::{END, START};
use super::super::topology::{EdgeKind, Topology};
use super::one_line;

/// Words of Mermaid's grammar: as ids they end a graph or begin a statement. `END` is none, only `end` is.
const KEYWORDS: &[&str] = &[
    "accDescr",
    "accTitle",
    "call",
    "class",
    "classDef",
    "click",
    "default",
    "direction",
    "end",
    "flowchart",
    "graph",
    "href",
    "interpolate",
    "linkStyle",
    "style",
    "subgraph",
];

pub(super) fn mermaid(graph: &Topology) -> String {
    let ids = ids(graph);
    let mut out = format!("---\ntitle: {}\n---\nflowchart TD\n", title(&graph.name));
    for name in graph.places() {
        let (id, label) = (&ids[name], label(name));
        let line = match name {
            START | END => format!("    {id}([{label}])\n"),
            _ => format!("    {id}[{label}]\n"),
        };
        out += &line;
    }
    for (number, (sources, to)) in graph.joins() {
        let _ = writeln!(out, "    join_{number}{{{{\"all\"}}}}");
        for from in sources {
            let _ = writeln!(out, "    {} --- join_{number}", ids[from]);
        }
        let _ = writeln!(out, "    join_{number} --> {}", ids[to]);
    }
    for edge in &graph.edges {
        let (from, to) = (&ids[edge.from.as_str()], &ids[edge.to.as_str()]);
        let _ = match &edge.kind {
            EdgeKind::Static => writeln!(out, "    {from} --> {to}"),
            EdgeKind::Branch { label: said } => writeln!(out, "    {from} -. {} .-> {to}", label(said)),
            EdgeKind::Goto | EdgeKind::Dispatch => writeln!(out, "    {from} -.-> {to}"),
            EdgeKind::Join { .. } => Ok(()),
        };
    }
    out
}

/// An id per place.
fn ids(graph: &Topology) -> BTreeMap<&str, String> {
    let id = |(at, name): (usize, &str)| if is_id(name) { name.to_owned() } else { format!("node_{at}") };
    graph.places().into_iter().enumerate().map(|(at, name)| (name, id((at, name)))).collect()
}

/// Whether Mermaid reads the name as one word that means nothing else, and we make no such id ourselves.
fn is_id(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    first
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["node_", "join_"].iter().any(|ours| name.starts_with(ours))
        && !KEYWORDS.contains(&name)
}

/// Text in quotes. Everything that could end it, begin markup, a comment, a directive or a list becomes a character code.
fn label(text: &str) -> String {
    let mut out = String::from("\"");
    for c in one_line(text).chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '_' | '(' | ')' | ',' | '?' | '!' | '=' => out.push(c),
            // Three in a row would begin front matter or a list.
            '-' | '.' | '/'
                if !out.ends_with(['"', '-', '.']) && !out.ends_with(|c: char| c.is_ascii_digit()) =>
            {
                out.push(c);
            }
            c if c.is_ascii() => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The title is YAML: a JSON text is one.
fn title(name: &str) -> String {
    serde_json::to_string(&one_line(name)).expect("text is always JSON")
}
