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

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::draft::{END, START};
use super::super::topology::{EdgeKind, Topology};
use super::lanes::{Lane, paint};
use super::layers::rows;
use super::one_line;

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
enum Goal<'a> {
    Place(&'a str),
    Join(usize),
}

pub(super) fn ascii(graph: &Topology, columns: usize) -> String {
    let columns = columns.max(NARROWEST);
    let width = NAME_WIDTH.min((columns - 12) / 2);
    let mut sketch = Sketch { joins: graph.joins(), width, lines: Vec::new(), lanes: BTreeMap::new() };
    let rows = rows(graph);
    let leaving = leaving(graph);
    let straight = |at: usize| {
        let below = Goal::Place(rows.get(at + 1)?);
        leaving.get(rows[at])?.iter().find(|((goal, _), _)| *goal == below)
    };
    // Which lanes there are is known before the first line is drawn: their ends may lie above their beginnings.
    for (at, name) in rows.iter().enumerate() {
        let through = straight(at).map(|(key, _)| *key);
        let goals =
            leaving.get(name).into_iter().flat_map(BTreeMap::keys).filter(|key| Some(**key) != through);
        for (goal, _) in goals {
            sketch.open(*goal);
        }
    }
    for (at, name) in rows.iter().enumerate() {
        sketch.node(name);
        let through = straight(at);
        for (key, labels) in leaving.get(name).into_iter().flatten() {
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
    paint(&sketch.lines, lanes, columns)
}

type Leaving<'a> = BTreeMap<&'a str, BTreeMap<(Goal<'a>, Stroke), Vec<&'a str>>>;

/// What leaves each place: goal and stroke with the labels that lead there.
fn leaving(graph: &Topology) -> Leaving<'_> {
    let mut all: Leaving<'_> = BTreeMap::new();
    for edge in &graph.edges {
        let (goal, stroke, label) = match &edge.kind {
            EdgeKind::Static => (Goal::Place(&edge.to), Stroke::Solid, None),
            EdgeKind::Branch { label } => (Goal::Place(&edge.to), Stroke::Dashed, Some(label.as_str())),
            EdgeKind::Goto => (Goal::Place(&edge.to), Stroke::Dashed, Some("goto")),
            EdgeKind::Dispatch => (Goal::Place(&edge.to), Stroke::Dashed, Some("each")),
            EdgeKind::Join { join } => (Goal::Join(*join), Stroke::Solid, None),
        };
        all.entry(&edge.from).or_default().entry((goal, stroke)).or_default().extend(label);
    }
    all
}

struct Sketch<'a> {
    /// The joins with their sources and target, by number.
    joins: BTreeMap<usize, (Vec<&'a str>, &'a str)>,
    /// The longest name, in columns.
    width: usize,
    lines: Vec<Line>,
    lanes: BTreeMap<Goal<'a>, Lane>,
}

impl<'a> Sketch<'a> {
    fn open(&mut self, goal: Goal<'a>) {
        let target = match goal {
            Goal::Place(name) => boxed(name, self.width),
            Goal::Join(join) => format!("all {}", boxed(self.joins[&join].1, self.width)),
        };
        let number = self.lanes.len();
        self.lanes.entry(goal).or_insert_with(|| Lane { number, target, touches: Vec::new() });
    }

    fn line(&mut self, text: String) {
        self.lines.push(Line { text, lane: None, end: LineEnd::Leaves, stroke: Stroke::Solid });
    }

    fn join_lane(&mut self, text: String, goal: Goal<'a>, end: LineEnd, stroke: Stroke) {
        let lane =
            self.lanes.get_mut(&goal).expect("`open` was called for every goal that is not straight below");
        lane.touches.push(self.lines.len());
        self.lines.push(Line { text, lane: Some(lane.number), end, stroke });
    }

    /// The line of a node, and a line below it for each further lane that arrives.
    fn node(&mut self, name: &'a str) {
        let here = |goal: &Goal<'_>| match goal {
            Goal::Place(place) => *place == name,
            Goal::Join(join) => self.joins[join].1 == name,
        };
        let arriving: Vec<Goal<'a>> = self.lanes.keys().copied().filter(here).collect();
        let mut text = boxed(name, self.width);
        for goal in &arriving {
            let waits = if matches!(goal, Goal::Join(_)) { "- all " } else { "" };
            self.join_lane(format!("{text} <{waits}"), *goal, LineEnd::Arrives, Stroke::Solid);
            "   ^".clone_into(&mut text);
        }
        if arriving.is_empty() {
            self.line(text);
        }
    }

    fn leave(&mut self, (goal, stroke): (Goal<'a>, Stroke), labels: &[&str]) {
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

fn boxed(name: &str, width: usize) -> String {
    match name {
        START | END => format!("({name})"),
        _ => format!("[{}]", cut(&one_line(name), width)),
    }
}

/// The text in at most `width` columns; what is cut off is counted: `a_long_na...+12`.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        // Room for `...+` and the digits.
        used += c.width().unwrap_or(0);
        if used + 8 > width {
            break;
        }
        kept.push(c);
    }
    let rest = text.chars().count() - kept.chars().count();
    format!("{kept}...+{rest}")
}
