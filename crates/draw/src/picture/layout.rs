//! A chart whose nodes and edges have positions. Runs the steps of the layout; each step has a file of its own.

use std::collections::BTreeSet;

use super::super::chart::{Chart, VertexKind};
use super::column::assign_columns;
use super::edge::{LayoutEdge, collect_edges};
use super::grid::{CellKind, EdgeDirection, Grid, Side, choose_directions, find_hubs};
use super::node::{ABOUT_LINE, LayoutNode, NodeShape, collect_nodes, to_f64};
use super::order::reduce_crossings;
use super::point;
use super::rank::Ranks;
use super::route::{EdgePath, PORT_GAP, PORT_SHARE, route_edges};
use super::spokes::find_returns;

/// Gap between two rows of nodes.
const ROW_GAP: f64 = 42.0;
/// Gap between a row of labels and the row next to it.
const LABEL_GAP: f64 = 22.0;
/// Share of the longest horizontal distance between two rows that is added to their gap, so that long edges are not flat.
const SLOPE_SHARE: f64 = 0.07;
/// Upper bound of that addition.
const MAX_SLOPE_GAP: f64 = 36.0;
/// Factor of that addition below a hub, because the many edges at its border would run too close to each other.
const HUB_FACTOR: f64 = 2.0;
/// Least distance of two edges at the side of a box.
const SIDE_EDGE_GAP: f64 = 13.0;

/// A graph with the positions and sizes of its nodes and edges: the result of the layout, which `paint.rs`
/// turns into shapes. Its upper left corner is the origin.
pub(super) struct Layout<'a> {
    /// Number of enclosing sub-graphs.
    pub(super) depth: usize,
    /// True if the path of a run is shown here.
    pub(super) run: bool,
    pub(super) nodes: Vec<LayoutNode<'a>>,
    pub(super) edges: Vec<LayoutEdge>,
    /// The path of each edge.
    pub(super) paths: Vec<EdgePath>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Vertical extent of a row of the layout grid: y coordinates in pixels, measured from the top of the
/// layout.
#[derive(Clone, Copy)]
pub(super) struct RowExtent {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl<'a> Layout<'a> {
    /// Lays out the outermost graph and, recursively, its opened sub-graphs.
    pub(super) fn new(chart: &'a Chart<'a>) -> Self {
        Self::at_depth(chart, 0)
    }

    /// Lays out a chart that is nested in `depth` sub-graphs.
    pub(super) fn at_depth(chart: &'a Chart<'a>, depth: usize) -> Self {
        let mut nodes = collect_nodes(chart, depth);
        let edges = collect_edges(chart);
        widen_bars(&mut nodes, &edges);
        let pairs: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let ends = chart.vertices.iter().enumerate().filter(|(_, vertex)| vertex.kind == VertexKind::End);
        let last: BTreeSet<usize> = ends.map(|(at, _)| at).collect();
        let ranks = Ranks::new(nodes.len(), &pairs, &last);
        let directions = choose_directions(&edges, &ranks, &find_returns(&pairs, &ranks.rank_of));
        widen_hubs(&mut nodes, &edges, &directions);
        heighten_boxes(&mut nodes, &edges, &directions);
        let mut grid = Grid::new(&nodes, &edges, &directions, &ranks);
        reduce_crossings(&mut grid);
        let x = shift_to_zero(assign_columns(&grid), &grid);
        let bands = assign_bands(&grid, &x);
        for (number, node) in nodes.iter_mut().enumerate() {
            let cell = grid.cell_of_node[number];
            let band = bands[grid.cells[cell].row];
            node.at = point(x[cell], band.top.midpoint(band.bottom));
        }
        let paths = route_edges(&nodes, &edges, &grid, &x, &bands);
        let right = x.iter().zip(&grid.cells).map(|(x, cell)| x + cell.width / 2.0);
        let width = right.fold(0.0, f64::max);
        let height = bands.last().map_or(0.0, |band| band.bottom);
        Self { depth, run: chart.run.is_some(), nodes, edges, paths, width, height }
    }
}

/// Widens each join bar so that the edges of all sources have room on it. Changes the nodes.
fn widen_bars(nodes: &mut [LayoutNode<'_>], edges: &[LayoutEdge]) {
    for (number, node) in nodes.iter_mut().enumerate() {
        if matches!(node.shape, NodeShape::JoinBar { .. }) {
            let lines = edges.iter().filter(|edge| edge.to == number).count();
            node.width = node.width.max(24.0 * to_f64(lines));
        }
    }
}

/// Widens each hub (a node such as a supervisor, with edges to its spokes and back) so that the edges at
/// its lower border have room: those to its spokes and those back. Changes the nodes.
fn widen_hubs(nodes: &mut [LayoutNode<'_>], edges: &[LayoutEdge], directions: &[EdgeDirection]) {
    let mut ends = vec![0_usize; nodes.len()];
    for (edge, direction) in edges.iter().zip(directions) {
        match direction {
            EdgeDirection::Down => ends[edge.from] += 1,
            EdgeDirection::Return => ends[edge.to] += 1,
            EdgeDirection::Up(_) | EdgeDirection::Loop => {}
        }
    }
    let is_hub = find_hubs(nodes.len(), edges, directions);
    for ((node, ends), _) in nodes.iter_mut().zip(ends).zip(is_hub).filter(|(_, is_hub)| *is_hub) {
        node.width = node.width.max(PORT_GAP * to_f64(ends - 1) / (2.0 * PORT_SHARE));
    }
}

/// Increases the height of nodes so that the edges at their sides and the labels of self-loops have room.
/// Changes the nodes.
fn heighten_boxes(nodes: &mut [LayoutNode<'_>], edges: &[LayoutEdge], directions: &[EdgeDirection]) {
    let mut lines: Vec<[usize; 2]> = vec![[0; 2]; nodes.len()];
    let mut apart = vec![SIDE_EDGE_GAP; nodes.len()];
    for (edge, direction) in edges.iter().zip(directions) {
        let side = match direction {
            EdgeDirection::Down | EdgeDirection::Return => continue,
            EdgeDirection::Up(side) => *side,
            EdgeDirection::Loop => Side::Right,
        };
        lines[edge.from][usize::from(side == Side::Right)] += 1;
        lines[edge.to][usize::from(side == Side::Right)] += 1;
        if edge.from == edge.to {
            apart[edge.from] = apart[edge.from].max(ABOUT_LINE * to_f64(edge.label_lines.len()));
        }
    }
    for ((node, lines), apart) in nodes.iter_mut().zip(lines).zip(apart) {
        let most = lines[0].max(lines[1]);
        if most > 0 {
            node.height = node.height.max(apart * to_f64(most + 1));
        }
    }
}

/// Shifts all x coordinates so that the leftmost border of a cell is at 0.
fn shift_to_zero(mut x: Vec<f64>, grid: &Grid) -> Vec<f64> {
    let left = x.iter().zip(&grid.cells).map(|(x, cell)| x - cell.width / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    x
}

/// Returns the vertical band of each row, from top to bottom. The gap to the row above grows with the
/// longest horizontal distance that an edge covers between the two.
fn assign_bands(grid: &Grid, x: &[f64]) -> Vec<RowExtent> {
    let mut bands: Vec<RowExtent> = Vec::new();
    let has_nodes =
        |row: &[usize]| row.iter().any(|cell| matches!(grid.cells[*cell].kind, CellKind::Node(_)));
    let has_hub = |row: &[usize]| {
        row.iter().any(|cell| matches!(grid.cells[*cell].kind, CellKind::Node(node) if grid.is_hub[node]))
    };
    for (number, row) in grid.rows.iter().enumerate() {
        let top = bands.last().map_or(0.0, |above: &RowExtent| {
            let gap = if has_nodes(row) && has_nodes(&grid.rows[number - 1]) { ROW_GAP } else { LABEL_GAP };
            let distances = row
                .iter()
                .flat_map(|cell| grid.cells[*cell].up.iter().map(|above| (x[*above] - x[*cell]).abs()));
            let slope = (SLOPE_SHARE * distances.fold(0.0, f64::max)).min(MAX_SLOPE_GAP);
            let more = if has_hub(&grid.rows[number - 1]) { HUB_FACTOR } else { 1.0 };
            above.bottom + gap + more * slope
        });
        let height = row.iter().map(|cell| grid.cells[*cell].height).fold(0.0, f64::max);
        bands.push(RowExtent { top, bottom: top + height });
    }
    bands
}
