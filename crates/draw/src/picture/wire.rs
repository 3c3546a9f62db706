//! The lines of a picture: edges of one kind between two places are one line with all their labels, a join is a line from each
//! source to a bar and one on from there.

use std::collections::BTreeMap;

use super::super::EACH;
use super::super::chart::Chart;
use super::super::text::{cut, one_line};
use super::ink::Line;
use super::item::ABOUT;
use super::metrics::{Face, text_width};
use stategraph_core::EdgeKind;

/// The longest label, in columns.
const LABEL_COLUMNS: usize = 32;

/// A line between two items.
pub(super) struct Wire {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: Line,
    pub(super) tip: Tip,
    /// One below the other.
    pub(super) labels: Vec<String>,
    /// How often the run went along.
    pub(super) taken: u64,
    /// What it is, for those who point at it.
    pub(super) title: String,
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tip {
    Arrow,
    /// It runs into the bar of a join.
    Plain,
}

impl Wire {
    /// The widest label, in pixels.
    pub(super) fn label_width(&self) -> f64 {
        self.labels.iter().map(|label| text_width(label, Face::Regular, ABOUT)).fold(0.0, f64::max)
    }
}

/// The lines of a chart; the bar of its n-th join is the n-th item after the places.
pub(super) fn wires(chart: &Chart<'_>) -> Vec<Wire> {
    let mut wires: Vec<Wire> = Vec::new();
    let mut known: BTreeMap<(usize, usize, Line), usize> = BTreeMap::new();
    for link in &chart.links {
        let (line, label) = match link.kind {
            EdgeKind::Static => (Line::Solid, None),
            EdgeKind::Branch { label } => (Line::Dashed, Some(label.as_str())),
            EdgeKind::Goto => (Line::Dotted, None),
            EdgeKind::Dispatch => (Line::Bold, Some(EACH)),
            EdgeKind::Join { .. } => continue,
        };
        let at = *known.entry((link.from, link.to, line)).or_insert(wires.len());
        if at == wires.len() {
            let title = format!("{} → {}", chart.places[link.from].name, chart.places[link.to].name);
            let (from, to) = (link.from, link.to);
            wires.push(Wire { from, to, line, tip: Tip::Arrow, labels: Vec::new(), taken: 0, title });
        }
        let wire = &mut wires[at];
        wire.taken = wire.taken.max(link.taken);
        wire.labels.extend(label.map(|label| cut(&one_line(label), LABEL_COLUMNS)));
    }
    for wire in &mut wires {
        if !wire.labels.is_empty() {
            wire.title = format!("{}: {}", wire.title, wire.labels.join(", "));
        }
    }
    for (number, join) in chart.meetings().into_iter().enumerate() {
        let bar = chart.places.len() + number;
        let to = &chart.places[join.to].name;
        let part = |from, to, tip, title| Wire {
            from,
            to,
            line: Line::Solid,
            tip,
            labels: Vec::new(),
            taken: join.taken,
            title,
        };
        for from in &join.from {
            let title = format!("{} → {to}, when all have come", chart.places[*from].name);
            wires.push(part(*from, bar, Tip::Plain, title));
        }
        wires.push(part(bar, join.to, Tip::Arrow, format!("→ {to}, when all have come")));
    }
    wires
}
