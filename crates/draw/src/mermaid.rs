//! Mermaid's flowcharts. Ids are the names where Mermaid takes them, numbers otherwise; labels are always quoted and escaped.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::EACH;
use super::chart::{Chart, Meeting, Place, PlaceKind};
use super::text::{caption, one_line, visited};
use super::tone::{TAKEN, class, colours};
use stategraph_core::EdgeKind;
use stategraph_core::Standing;

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

pub(super) fn mermaid(chart: &Chart<'_>) -> String {
    let mut sheet = Sheet { out: String::new(), edges: String::new(), links: 0, taken: Vec::new(), free: 0 };
    sheet.out = format!("---\ntitle: {}\n---\nflowchart TD\n", title(&chart.graph.name));
    let mut classes = BTreeMap::new();
    sheet.chart(chart, 1, &mut classes);
    sheet.out += &sheet.edges;
    if let Some(run) = chart.run {
        let _ = writeln!(sheet.out, "    %% {}", one_line(&caption(run)));
        sheet.styles(&classes);
    }
    sheet.out
}

/// Which places get which class.
type Classes = BTreeMap<Standing, Vec<String>>;

/// The text as it grows.
struct Sheet {
    out: String,
    /// The edges follow all places: one that is first named in a sub-graph would belong to it.
    edges: String,
    /// How many edges there are; styles go by their number.
    links: usize,
    taken: Vec<String>,
    /// The next number for an id of our own.
    free: usize,
}

impl Sheet {
    /// Writes a chart; gives the ids at which each of its places is entered and left.
    fn chart(&mut self, chart: &Chart<'_>, depth: usize, classes: &mut Classes) -> Vec<(String, String)> {
        let first = self.free;
        self.free += chart.places.len();
        let mut doors = Vec::new();
        for (at, place) in chart.places.iter().enumerate() {
            let outermost = depth == 1 && is_id(place.name);
            let id = if outermost { place.name.to_owned() } else { format!("node_{}", first + at) };
            if let Some(standing) = place.standing() {
                classes.entry(standing).or_default().push(id.clone());
            }
            doors.push(self.place(place, id, depth, classes));
        }
        self.meetings(chart, first, depth, &doors);
        for link in &chart.links {
            let (from, to) = (&doors[link.from].1, &doors[link.to].0);
            let line = match link.kind {
                EdgeKind::Static => format!("{from} --> {to}"),
                EdgeKind::Branch { label: said } => format!("{from} -. {} .-> {to}", label(said)),
                EdgeKind::Goto => format!("{from} -.-> {to}"),
                EdgeKind::Dispatch => format!("{from} == {} ==> {to}", label(EACH)),
                EdgeKind::Join { .. } => continue,
            };
            self.link(&line, link.taken);
        }
        doors
    }

    fn place(
        &mut self,
        place: &Place<'_>,
        id: String,
        depth: usize,
        classes: &mut Classes,
    ) -> (String, String) {
        let indent = "    ".repeat(depth);
        let mut label = label(place.name);
        if let Some(visit) = place.visit {
            label.insert_str(label.len() - 1, &format!("<br/>{}", visited(visit)));
        }
        let Some(inner) = &place.inner else {
            let line = match place.kind {
                PlaceKind::Start | PlaceKind::End => format!("{indent}{id}([{label}])\n"),
                PlaceKind::Node => format!("{indent}{id}[{label}]\n"),
            };
            self.out += &line;
            return (id.clone(), id);
        };
        let _ = writeln!(self.out, "{indent}subgraph {id}[{label}]");
        let inside = self.chart(inner, depth + 1, classes);
        let _ = writeln!(self.out, "{indent}end");
        let door = |kind| &inside[inner.end(kind)];
        (door(PlaceKind::Start).0.clone(), door(PlaceKind::End).1.clone())
    }

    fn meetings(&mut self, chart: &Chart<'_>, first: usize, depth: usize, doors: &[(String, String)]) {
        for Meeting { number, from, to, taken } in chart.meetings() {
            let id = if depth == 1 { format!("join_{number}") } else { format!("join_{first}_{number}") };
            let _ = writeln!(self.out, "{}{id}{{{{\"all\"}}}}", "    ".repeat(depth));
            for from in from {
                self.link(&format!("{} --- {id}", doors[from].1), taken);
            }
            self.link(&format!("{id} --> {}", doors[to].0), taken);
        }
    }

    fn link(&mut self, line: &str, taken: u64) {
        let _ = writeln!(self.edges, "    {line}");
        if taken > 0 {
            self.taken.push(self.links.to_string());
        }
        self.links += 1;
    }

    /// The colours of a run.
    fn styles(&mut self, classes: &Classes) {
        for (standing, ids) in classes {
            let (class, (fill, stroke)) = (class(*standing), colours(*standing));
            let _ = writeln!(self.out, "    classDef {class} fill:{fill},stroke:{stroke},color:#1a202c");
            let _ = writeln!(self.out, "    class {} {class}", ids.join(","));
        }
        if !self.taken.is_empty() {
            let _ =
                writeln!(self.out, "    linkStyle {} stroke:{TAKEN},stroke-width:2px", self.taken.join(","));
        }
    }
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
