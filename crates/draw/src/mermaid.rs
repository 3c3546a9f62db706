//! Writes Mermaid flowcharts. A name is its own id where Mermaid accepts it, otherwise the id is a number. Labels are always quoted.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::DISPATCH_LABEL;
use super::chart::{Chart, ChartJoin, Vertex, VertexKind};
use super::palette::{TAKEN, class_name, fill_and_stroke};
use super::text::{describe_run, describe_visit, replace_controls};
use stategraph_core::EdgeKind;
use stategraph_core::VisitStatus;

/// Keywords of Mermaid's grammar, which cannot be ids because they end a graph or begin a statement. They
/// are case-sensitive, so `END` is a valid id.
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

/// Renders a chart as a Mermaid flowchart.
pub(super) fn render(chart: &Chart<'_>) -> String {
    let mut writer = MermaidWriter {
        out: String::new(),
        edges: String::new(),
        edge_count: 0,
        taken: Vec::new(),
        next_id: 0,
    };
    writer.out = format!("---\ntitle: {}\n---\nflowchart TD\n", quote_title(&chart.graph.name));
    let mut classes = BTreeMap::new();
    writer.write_chart(chart, 1, &mut classes);
    writer.out += &writer.edges;
    if let Some(run) = chart.run {
        let _ = writeln!(writer.out, "    %% {}", replace_controls(&describe_run(run)));
        writer.write_styles(&classes);
    }
    writer.out
}

/// Ids of the visited vertices by the status of the run there; written as `class` statements.
type Classes = BTreeMap<VisitStatus, Vec<String>>;

/// Writer of a flowchart: the statements written so far.
struct MermaidWriter {
    out: String,
    /// Statements of edges. They follow all vertices, because a vertex that is first named inside a sub-graph would belong to it.
    edges: String,
    /// Number of edges so far; `linkStyle` refers to edges by number.
    edge_count: usize,
    /// Numbers of the edges that the run took.
    taken: Vec<String>,
    /// Next free number for a generated id.
    next_id: usize,
}

impl MermaidWriter {
    /// Writes the vertices, joins and edges of a chart. `depth` is the indent level, 1 for the outermost
    /// graph. Adds the ids of visited vertices to `classes`. Returns for each vertex two ids: where its
    /// incoming edges end, and where its outgoing edges begin.
    fn write_chart(
        &mut self,
        chart: &Chart<'_>,
        depth: usize,
        classes: &mut Classes,
    ) -> Vec<(String, String)> {
        let first = self.next_id;
        self.next_id += chart.vertices.len();
        let mut ports = Vec::new();
        for (at, vertex) in chart.vertices.iter().enumerate() {
            let outermost = depth == 1 && is_id(vertex.name);
            let id = if outermost { vertex.name.to_owned() } else { format!("node_{}", first + at) };
            if let Some(standing) = vertex.standing() {
                classes.entry(standing).or_default().push(id.clone());
            }
            ports.push(self.write_vertex(vertex, id, depth, classes));
        }
        self.write_joins(chart, first, depth, &ports);
        for link in &chart.edges {
            let (from, to) = (&ports[link.from].1, &ports[link.to].0);
            let line = match link.kind {
                EdgeKind::Static => format!("{from} --> {to}"),
                EdgeKind::Branch { label } => format!("{from} -. {} .-> {to}", quote_label(label)),
                EdgeKind::Goto => format!("{from} -.-> {to}"),
                EdgeKind::Dispatch => format!("{from} == {} ==> {to}", quote_label(DISPATCH_LABEL)),
                EdgeKind::Join { .. } => continue,
            };
            self.write_edge(&line, link.taken);
        }
        ports
    }

    /// Writes a vertex, or the sub-graph that it opens. Returns two ids: where its incoming edges end, and
    /// where its outgoing edges begin.
    fn write_vertex(
        &mut self,
        vertex: &Vertex<'_>,
        id: String,
        depth: usize,
        classes: &mut Classes,
    ) -> (String, String) {
        let indent = "    ".repeat(depth);
        let mut label = quote_label(vertex.name);
        if let Some(visit) = vertex.visit {
            label.insert_str(label.len() - 1, &format!("<br/>{}", describe_visit(visit)));
        }
        let Some(inner) = &vertex.inner else {
            let line = match vertex.kind {
                VertexKind::Start | VertexKind::End => format!("{indent}{id}([{label}])\n"),
                VertexKind::Node => format!("{indent}{id}[{label}]\n"),
            };
            self.out += &line;
            return (id.clone(), id);
        };
        let _ = writeln!(self.out, "{indent}subgraph {id}[{label}]");
        let inside = self.write_chart(inner, depth + 1, classes);
        let _ = writeln!(self.out, "{indent}end");
        let port = |kind| &inside[inner.terminal(kind)];
        (port(VertexKind::Start).0.clone(), port(VertexKind::End).1.clone())
    }

    /// Writes a vertex for each join and the edges to and from it. `first` is the first id number of the
    /// chart.
    fn write_joins(&mut self, chart: &Chart<'_>, first: usize, depth: usize, ports: &[(String, String)]) {
        for ChartJoin { number, from, to, taken } in chart.joins() {
            let id = if depth == 1 { format!("join_{number}") } else { format!("join_{first}_{number}") };
            let _ = writeln!(self.out, "{}{id}{{{{\"all\"}}}}", "    ".repeat(depth));
            for from in from {
                self.write_edge(&format!("{} --- {id}", ports[from].1), taken);
            }
            self.write_edge(&format!("{id} --> {}", ports[to].0), taken);
        }
    }

    /// Writes the statement of an edge and notes its number if the run took it.
    fn write_edge(&mut self, line: &str, taken: u64) {
        let _ = writeln!(self.edges, "    {line}");
        if taken > 0 {
            self.taken.push(self.edge_count.to_string());
        }
        self.edge_count += 1;
    }

    /// Writes the colours of the visited vertices (`classDef`, `class`) and of the taken edges
    /// (`linkStyle`).
    fn write_styles(&mut self, classes: &Classes) {
        for (standing, ids) in classes {
            let (class, (fill, stroke)) = (class_name(*standing), fill_and_stroke(*standing));
            let _ = writeln!(self.out, "    classDef {class} fill:{fill},stroke:{stroke},color:#1a202c");
            let _ = writeln!(self.out, "    class {} {class}", ids.join(","));
        }
        if !self.taken.is_empty() {
            let _ =
                writeln!(self.out, "    linkStyle {} stroke:{TAKEN},stroke-width:2px", self.taken.join(","));
        }
    }
}

/// Returns true if a node's name can serve as a Mermaid id: ASCII letters, digits and `_`, not a keyword,
/// and not in conflict with generated ids (`node_…`, `join_…`).
fn is_id(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    first
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["node_", "join_"].iter().any(|ours| name.starts_with(ours))
        && !KEYWORDS.contains(&name)
}

/// Quotes a text as a label. Characters that could end it, or begin markup, a comment, a directive or a
/// list, become character codes such as `#35;`.
fn quote_label(text: &str) -> String {
    let mut out = String::from("\"");
    for c in replace_controls(text).chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '_' | '(' | ')' | ',' | '?' | '!' | '=' => out.push(c),
            // `---` would begin front matter, and a digit before a full stop a list.
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

/// Quotes the title for the YAML front matter; a JSON string is valid YAML.
fn quote_title(name: &str) -> String {
    serde_json::to_string(&replace_controls(name)).expect("text is always JSON")
}
