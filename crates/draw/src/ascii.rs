//! The drawing in text: a line per node from top to bottom, and lines for what leaves it. Edges to the node below go straight
//! down; all others leave to a lane on the right, one lane per target. `lanes.rs` places and paints the lanes.
//!
//! ```text
//! [architect] <-----.      a lane arrives
//!    |              :
//!    v              :
//! [reviewer]        :
//!    +.. revise ....'      a branch leaves for a lane
//!    : verified            a branch to the node below
//!    v
//! [write]
//! ```

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::EACH;
use super::chart::{Chart, Flat, Place, PlaceKind};
use super::lanes::{Lane, paint};
use super::layers::rows;
use super::text::{caption, cut, one_line, visited};
use stategraph_core::END;
use stategraph_core::EdgeKind;

/// The widest drawing, in columns, unless told otherwise.
pub const ASCII_WIDTH: usize = 100;

/// The narrowest drawing, in columns.
const NARROWEST: usize = 40;

/// The longest name or label, in columns; of longer ones it is said how many characters are left out (ENG-21).
const NAME_WIDTH: usize = 32;

/// A line of the drawing: what stands at its left, and the lane that it leads to or comes from.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) lane: Option<usize>,
    pub(super) end: LineEnd,
    pub(super) stroke: Stroke,
}

/// What a line has to do with its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// It leads there.
    Leaves,
    /// It comes from there.
    Arrives,
}

/// How an edge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stroke {
    Solid,
    Dashed,
}

/// Where an edge leads: to a place, or to where a join meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    Place(usize),
    Join(usize),
}

pub(super) fn ascii(chart: &Chart<'_>, columns: usize) -> String {
    let columns = columns.max(NARROWEST);
    let width = NAME_WIDTH.min((columns - 12) / 2);
    let flat = Flat::of(chart);
    let rows = rows_of(&flat);
    let leaving = leaving(&flat);
    let straight = |at: usize| {
        let below = Goal::Place(*rows.get(at + 1)?);
        leaving.get(&rows[at])?.iter().find(|((goal, _), _)| *goal == below)
    };
    let mut sketch = Sketch { flat: &flat, width, columns, lines: Vec::new(), lanes: BTreeMap::new() };
    // Which lanes there are is known before the first line is drawn: their ends may lie above their beginnings.
    for (at, place) in rows.iter().enumerate() {
        let through = straight(at).map(|(key, _)| *key);
        let goals =
            leaving.get(place).into_iter().flat_map(BTreeMap::keys).filter(|key| Some(**key) != through);
        for (goal, _) in goals {
            sketch.open(*goal);
        }
    }
    for (at, place) in rows.iter().enumerate() {
        sketch.node(*place);
        let through = straight(at);
        for (key, labels) in leaving.get(place).into_iter().flatten() {
            if Some(*key) != through.map(|(key, _)| *key) {
                sketch.leave(*key, labels);
            }
        }
        match through {
            Some(((_, stroke), labels)) => sketch.straight(*stroke, labels),
            None if at + 1 < rows.len() => sketch.line(String::new()),
            None => {}
        }
    }
    let lanes = sketch.lanes.into_values().collect();
    let drawn = paint(&sketch.lines, lanes, columns);
    match chart.run {
        Some(run) => format!("{drawn}\n{}\n", cut(&caption(run), columns)),
        None => drawn,
    }
}

fn rows_of(flat: &Flat<'_>) -> Vec<usize> {
    let joined = flat.meetings.iter().flat_map(|join| join.from.iter().map(|from| (*from, join.to)));
    let edges: Vec<(usize, usize)> =
        flat.links.iter().map(|link| (link.from, link.to)).chain(joined).collect();
    let last = |(at, place): (usize, &&Place<'_>)| (place.path == END).then_some(at);
    rows(flat.places.len(), &edges, &flat.places.iter().enumerate().filter_map(last).collect())
}

type Leaving<'a> = BTreeMap<usize, BTreeMap<(Goal, Stroke), Vec<&'a str>>>;

/// What leaves each place: goal and stroke with the labels that lead there.
fn leaving<'a>(flat: &Flat<'a>) -> Leaving<'a> {
    let mut all: Leaving<'_> = BTreeMap::new();
    for link in &flat.links {
        let (stroke, label) = match link.kind {
            EdgeKind::Static | EdgeKind::Join { .. } => (Stroke::Solid, None),
            EdgeKind::Branch { label } => (Stroke::Dashed, Some(label.as_str())),
            EdgeKind::Goto => (Stroke::Dashed, Some("goto")),
            EdgeKind::Dispatch => (Stroke::Solid, Some(EACH)),
        };
        let goal = Goal::Place(link.to);
        all.entry(link.from).or_default().entry((goal, stroke)).or_default().extend(label);
    }
    for join in &flat.meetings {
        for from in &join.from {
            all.entry(*from).or_default().entry((Goal::Join(join.number), Stroke::Solid)).or_default();
        }
    }
    all
}

struct Sketch<'a> {
    flat: &'a Flat<'a>,
    /// The longest name, in columns.
    width: usize,
    columns: usize,
    lines: Vec<Line>,
    lanes: BTreeMap<Goal, Lane>,
}

impl Sketch<'_> {
    fn open(&mut self, goal: Goal) {
        let target = match goal {
            Goal::Place(place) => self.boxed(place),
            Goal::Join(join) => format!("all {}", self.boxed(self.flat.meetings[join].to)),
        };
        let number = self.lanes.len();
        self.lanes.entry(goal).or_insert_with(|| Lane { number, target, touches: Vec::new() });
    }

    fn boxed(&self, place: usize) -> String {
        let place = self.flat.places[place];
        let name = cut(&one_line(&place.path), self.width);
        if place.kind == PlaceKind::Node { format!("[{name}]") } else { format!("({name})") }
    }

    fn line(&mut self, text: String) {
        self.lines.push(Line { text, lane: None, end: LineEnd::Leaves, stroke: Stroke::Solid });
    }

    fn join_lane(&mut self, text: String, goal: Goal, end: LineEnd, stroke: Stroke) {
        let lane =
            self.lanes.get_mut(&goal).expect("`open` was called for every goal that is not straight below");
        lane.touches.push(self.lines.len());
        self.lines.push(Line { text, lane: Some(lane.number), end, stroke });
    }

    /// The line of a node, a line below it for each further lane that arrives, and one for what the run did there.
    fn node(&mut self, place: usize) {
        let here = |goal: &Goal| match goal {
            Goal::Place(goal) => *goal == place,
            Goal::Join(join) => self.flat.meetings[*join].to == place,
        };
        let arriving: Vec<Goal> = self.lanes.keys().copied().filter(here).collect();
        let mut text = self.boxed(place);
        for goal in &arriving {
            let waits = if matches!(goal, Goal::Join(_)) { "- all " } else { "" };
            self.join_lane(format!("{text} <{waits}"), *goal, LineEnd::Arrives, Stroke::Solid);
            "   ^".clone_into(&mut text);
        }
        if arriving.is_empty() {
            self.line(text);
        }
        if let Some(visit) = self.flat.places[place].visit {
            // Narrower than the drawing, so that lanes pass.
            self.line(cut(&format!(" * {}", visited(visit)), self.columns / 2));
        }
    }

    fn leave(&mut self, (goal, stroke): (Goal, Stroke), labels: &[&str]) {
        let lead = if stroke == Stroke::Solid { "   +--" } else { "   +.." };
        if labels.is_empty() {
            return self.join_lane(lead.to_owned(), goal, LineEnd::Leaves, stroke);
        }
        for label in self.shortened(labels) {
            self.join_lane(format!("{lead} {label} "), goal, LineEnd::Leaves, stroke);
        }
    }

    fn straight(&mut self, stroke: Stroke, labels: &[&str]) {
        let bar = if stroke == Stroke::Solid { "   |" } else { "   :" };
        if labels.is_empty() {
            self.line(bar.to_owned());
        }
        for label in self.shortened(labels) {
            self.line(format!("{bar} {label}"));
        }
        self.line("   v".to_owned());
    }

    /// All labels on one line if they fit, else each on its own.
    fn shortened(&self, labels: &[&str]) -> Vec<String> {
        let joined = labels.join(", ");
        if labels.len() < 2 || joined.width() > self.width {
            return labels.iter().map(|label| cut(&one_line(label), self.width)).collect();
        }
        vec![one_line(&joined)]
    }
}
