//! What is drawn: a topology with numbers for names, opened to a depth, and what a run did there. Every format draws this and
//! nothing else, so that all show the same.

use std::collections::BTreeMap;

use stategraph_core::{END, START};
use stategraph_core::{EdgeKind, Topology};
use stategraph_core::{RunPath, Standing, Visit};

/// A graph to be drawn, or the inside of one of its nodes.
pub(super) struct Chart<'a> {
    pub(super) graph: &'a Topology,
    /// `START`, the nodes by name, `END`; the ends where an edge has them, and always in sub-graphs, as what leads in and out
    /// hangs on them.
    pub(super) places: Vec<Place<'a>>,
    pub(super) links: Vec<Link<'a>>,
    pub(super) run: Option<&'a RunPath>,
}

/// A place of a chart.
pub(super) struct Place<'a> {
    pub(super) name: &'a str,
    /// With the names of the sub-graphs round it: `outer/inner`.
    pub(super) path: String,
    pub(super) about: &'a str,
    pub(super) kind: PlaceKind,
    /// Whether it runs once for each item that another one hands out.
    pub(super) runs: Runs,
    /// What is inside, when it is shown.
    pub(super) inner: Option<Chart<'a>>,
    /// What the run did here.
    pub(super) visit: Option<&'a Visit>,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind {
    Start,
    Node,
    End,
}

/// How many tasks of a node one step plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    Once,
    PerItem,
}

/// An edge of a chart.
pub(super) struct Link<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: &'a EdgeKind,
    /// How often the run went along.
    pub(super) taken: u64,
}

/// Where several edges meet that wait for one another.
pub(super) struct Meeting {
    pub(super) number: usize,
    pub(super) from: Vec<usize>,
    pub(super) to: usize,
    pub(super) taken: u64,
}

impl<'a> Chart<'a> {
    /// The graph with its sub-graphs opened so many levels deep.
    pub(super) fn of(graph: &'a Topology, depth: usize, run: Option<&'a RunPath>) -> Self {
        Self::below(graph, depth, run, "")
    }

    fn below(graph: &'a Topology, depth: usize, run: Option<&'a RunPath>, prefix: &str) -> Self {
        // Of a sub-graph of whose inside nothing is known, nothing is said.
        let run = run.filter(|run| run.visits.keys().any(|path| path.starts_with(prefix)));
        let used = |name: &str| graph.edges.iter().any(|edge| edge.from == name || edge.to == name);
        let mut places = Vec::new();
        let end = |name: &'a str, kind| Place::new(name, prefix, kind);
        if used(START) || !prefix.is_empty() {
            places.push(end(START, PlaceKind::Start));
        }
        for node in &graph.nodes {
            let mut place = Place { about: &node.about, ..Place::new(&node.name, prefix, PlaceKind::Node) };
            place.visit = run.and_then(|run| run.visits.get(&place.path));
            let dispatched =
                |to: &str| graph.edges.iter().any(|edge| edge.kind == EdgeKind::Dispatch && edge.to == to);
            if dispatched(&node.name) {
                place.runs = Runs::PerItem;
            }
            if let (Some(inner), Some(depth)) = (&node.inner, depth.checked_sub(1)) {
                place.inner = Some(Self::below(inner, depth, run, &format!("{}/", place.path)));
            }
            places.push(place);
        }
        if used(END) || !prefix.is_empty() {
            places.push(end(END, PlaceKind::End));
        }
        let links = links(graph, &places, run);
        Self { graph, places, links, run }
    }

    /// The joins by number.
    pub(super) fn meetings(&self) -> Vec<Meeting> {
        let mut meetings: BTreeMap<usize, Meeting> = BTreeMap::new();
        for link in &self.links {
            if let EdgeKind::Join { join } = link.kind {
                let new = Meeting { number: *join, from: Vec::new(), to: link.to, taken: link.taken };
                let meeting = meetings.entry(*join).or_insert(new);
                meeting.from.push(link.from);
                meeting.taken = meeting.taken.min(link.taken);
            }
        }
        meetings.into_values().collect()
    }

    /// The place where an opened sub-graph is entered, or left.
    pub(super) fn end(&self, kind: PlaceKind) -> usize {
        let at = self.places.iter().position(|place| place.kind == kind);
        at.expect("an opened sub-graph has both ends")
    }
}

impl<'a> Place<'a> {
    fn new(name: &'a str, prefix: &str, kind: PlaceKind) -> Self {
        let path = format!("{prefix}{name}");
        Self { name, path, about: "", kind, runs: Runs::Once, inner: None, visit: None }
    }

    /// Where the run stands here; none when it was never here.
    pub(super) fn standing(&self) -> Option<Standing> {
        self.visit.map(|visit| visit.standing)
    }
}

/// The edges whose places there are.
fn links<'a>(graph: &'a Topology, places: &[Place<'a>], run: Option<&RunPath>) -> Vec<Link<'a>> {
    let numbers: BTreeMap<&str, usize> =
        places.iter().enumerate().map(|(at, place)| (place.name, at)).collect();
    let moves = |from: usize, to: usize| {
        let moves = &run?.moves;
        moves.get(&places[from].path)?.get(&places[to].path).copied()
    };
    let ran = |at: usize| places[at].visit.map_or(0, |visit| visit.count);
    let link = |edge: &'a stategraph_core::TopologyEdge| {
        let (from, to) = (*numbers.get(edge.from.as_str())?, *numbers.get(edge.to.as_str())?);
        let taken = match &edge.kind {
            // Its sources may have run in different steps.
            EdgeKind::Join { .. } => ran(from).min(ran(to)),
            _ => moves(from, to).unwrap_or(0),
        };
        Some(Link { from, to, kind: &edge.kind, taken })
    };
    graph.edges.iter().filter_map(link).collect()
}

/// A chart without nesting, for formats that have none.
pub(super) struct Flat<'a> {
    pub(super) places: Vec<&'a Place<'a>>,
    pub(super) links: Vec<Link<'a>>,
    pub(super) meetings: Vec<Meeting>,
}

impl<'a> Flat<'a> {
    /// Opened nodes become what is in them; what leads to one leads to its `START`, what leaves it leaves its `END`.
    pub(super) fn of(chart: &'a Chart<'a>) -> Self {
        let mut flat = Self { places: Vec::new(), links: Vec::new(), meetings: Vec::new() };
        flat.add(chart);
        flat
    }

    /// Gives the numbers of the places at which each place of the chart is entered and left.
    fn add(&mut self, chart: &'a Chart<'a>) -> Vec<(usize, usize)> {
        let mut doors = Vec::new();
        for place in &chart.places {
            if let Some(inner) = &place.inner {
                let inside = self.add(inner);
                doors.push((inside[inner.end(PlaceKind::Start)].0, inside[inner.end(PlaceKind::End)].1));
            } else {
                doors.push((self.places.len(), self.places.len()));
                self.places.push(place);
            }
        }
        let (into, out_of) = (|at: usize| doors[at].0, |at: usize| doors[at].1);
        for link in &chart.links {
            if !matches!(link.kind, EdgeKind::Join { .. }) {
                self.links.push(Link { from: out_of(link.from), to: into(link.to), ..*link });
            }
        }
        for meeting in chart.meetings() {
            let number = self.meetings.len();
            let from = meeting.from.iter().map(|at| out_of(*at)).collect();
            self.meetings.push(Meeting { number, from, to: into(meeting.to), ..meeting });
        }
        doors
    }
}
