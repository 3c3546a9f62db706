//! Drawings of a [`Topology`]: Mermaid, DOT, plain text. JSON is serde's. Draws what is there; checks and decides nothing.
//!
//! All three show static edges solid, branches dashed with their label, `goto` dashed without one, and a join as one place
//! where its edges meet. Whatever a name contains, the drawing is well-formed.

mod ascii;
mod dot;
mod lanes;
mod layers;
mod mermaid;

use std::collections::BTreeMap;

use super::draft::{END, START};
use super::topology::{EdgeKind, Topology, TopologyEdge};

pub use ascii::ASCII_WIDTH;

impl Topology {
    /// A Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        mermaid::mermaid(self)
    }

    /// A digraph for Graphviz.
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// A drawing in text of at most [`ASCII_WIDTH`] columns: nodes from top to bottom, edges as lanes beside them. The lines
    /// are ASCII; names are what they are.
    pub fn ascii(&self) -> String {
        self.ascii_within(ASCII_WIDTH)
    }

    /// As [`ascii`](Self::ascii), with another width, in columns; at least 40.
    pub fn ascii_within(&self, columns: usize) -> String {
        ascii::ascii(self, columns)
    }

    /// The joins with their sources and target, by number.
    fn joins(&self) -> BTreeMap<usize, (Vec<&str>, &str)> {
        let mut joins: BTreeMap<usize, (Vec<&str>, &str)> = BTreeMap::new();
        for TopologyEdge { from, to, kind } in &self.edges {
            if let EdgeKind::Join { join } = kind {
                joins.entry(*join).or_insert_with(|| (Vec::new(), to)).0.push(from);
            }
        }
        joins
    }

    /// `START`, the nodes and `END`; the ends only where an edge has them.
    fn places(&self) -> Vec<&str> {
        let ends = |name: &str| self.edges.iter().any(|edge| edge.from == name || edge.to == name);
        let start = ends(START).then_some(START);
        let end = ends(END).then_some(END);
        start.into_iter().chain(self.nodes.iter().map(|node| node.name.as_str())).chain(end).collect()
    }
}

/// A name on one line: control characters become spaces.
fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}
