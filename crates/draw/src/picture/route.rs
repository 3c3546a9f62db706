//! Draws the paths of edges: down from the lower border of a node to the upper border of another, up in lanes from the side of one to the
//! same side of another. An edge is vertical within a row, so it meets no box; it bends between rows.

use std::collections::BTreeMap;

use super::edge::{EdgeTip, LayoutEdge};
use super::grid::{CellKind, EdgeDirection, Grid, LOOP_WIDTH, Side};
use super::layout::RowExtent;
use super::node::{LayoutNode, to_f64};
use super::{PathSegment, Point, point};

/// Length of an arrow head, in pixels.
pub(super) const HEAD_LENGTH: f64 = 9.0;
/// Half its width.
const HEAD_HALF_WIDTH: f64 = 4.5;
/// Part of a node's border on which edges may end: this share of its width to each side of its centre.
pub(super) const PORT_SHARE: f64 = 0.36;
/// Distance between two edges at one border of a node, where there is room.
pub(super) const PORT_GAP: f64 = 16.0;
/// Radius of corners.
const CORNER_RADIUS: f64 = 8.0;

/// Path of an edge in a picture, relative to its layout. Made by the router; read by `paint.rs`.
pub(super) struct EdgePath {
    pub(super) segments: Vec<PathSegment>,
    /// The three corners of the arrow head; the tip is first.
    pub(super) head: Option<[Point; 3]>,
    /// Position of its labels.
    pub(super) label: Option<LabelSpot>,
}

/// Position of an edge's labels.
#[derive(Clone, Copy)]
pub(super) enum LabelSpot {
    /// Centred on this point of the edge.
    Middle(Point),
    /// Beside the edge, beginning at this point.
    Start(Point),
}

/// Computes the path of every edge. `x` holds the centre of each cell, `bands` the vertical extent of each
/// row.
pub(super) fn route_edges(
    nodes: &[LayoutNode<'_>],
    edges: &[LayoutEdge],
    grid: &Grid,
    x: &[f64],
    bands: &[RowExtent],
) -> Vec<EdgePath> {
    let router = Router { nodes, edges, grid, x, bands };
    let (ports, sides) = (router.assign_ports(), router.assign_side_ports());
    (0..edges.len())
        .map(|edge| match grid.chains[edge].0 {
            EdgeDirection::Down => {
                router.route_down(edge, ports[&(edge, NodeBorder::Lower)], ports[&(edge, NodeBorder::Upper)])
            }
            EdgeDirection::Return => router.route_return(
                edge,
                ports[&(edge, NodeBorder::Lower)],
                ports[&(edge, NodeBorder::Upper)],
            ),
            EdgeDirection::Up(side) => {
                router.route_up(edge, side, sides[&(edge, EdgeEnd::Source)], sides[&(edge, EdgeEnd::Target)])
            }
            EdgeDirection::Loop => {
                router.route_loop(edge, sides[&(edge, EdgeEnd::Source)], sides[&(edge, EdgeEnd::Target)])
            }
        })
        .collect()
}

/// End of an edge: at its source or at its target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EdgeEnd {
    Source,
    Target,
}

/// A border of a node. A vertical edge is attached to the lower border of its upper node and to the upper border of its lower node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NodeBorder {
    Lower,
    Upper,
}

/// Computes the paths of edges from its fields: nodes and edges with the grid and all coordinates.
struct Router<'a> {
    nodes: &'a [LayoutNode<'a>],
    edges: &'a [LayoutEdge],
    grid: &'a Grid,
    x: &'a [f64],
    bands: &'a [RowExtent],
}

/// x coordinates at which vertical edges meet the border of a node, by edge number and border.
type Ports = BTreeMap<(usize, NodeBorder), f64>;

/// y coordinates at which upward edges and self-loops meet the side of a node, by edge number and end.
type SidePorts = BTreeMap<(usize, EdgeEnd), f64>;

/// An end of an edge at a side of a node: its group (0 outgoing, 1 self-loop, 2 incoming), its sort key in
/// the group, the edge number and the end.
type SideEnd = (u8, f64, usize, EdgeEnd);

impl Router<'_> {
    /// Returns the node whose border of this kind the vertical edge is attached to.
    fn node_at(&self, edge: usize, border: NodeBorder) -> usize {
        let is_source = (border == NodeBorder::Lower) == (self.grid.chains[edge].0 == EdgeDirection::Down);
        if is_source { self.edges[edge].from } else { self.edges[edge].to }
    }

    /// Computes the x coordinates at which vertical edges (`Down`, `Return`) meet the lower and upper
    /// borders of nodes.
    fn assign_ports(&self) -> Ports {
        let mut at: BTreeMap<(usize, NodeBorder), Vec<usize>> = BTreeMap::new();
        for (edge, (direction, _)) in self.grid.chains.iter().enumerate() {
            if matches!(direction, EdgeDirection::Down | EdgeDirection::Return) {
                for border in [NodeBorder::Lower, NodeBorder::Upper] {
                    at.entry((self.node_at(edge, border), border)).or_default().push(edge);
                }
            }
        }
        let alone = |node: usize, border: NodeBorder| at[&(node, border)].len() == 1;
        let mut ports = BTreeMap::new();
        for ((node, border), edges) in &at {
            let centre = self.nodes[*node].at.x;
            let mut wanted: Vec<(usize, f64)> = edges
                .iter()
                .map(|edge| {
                    let chain = &self.grid.chains[*edge].1;
                    let next = if *border == NodeBorder::Lower { chain.first() } else { chain.last() };
                    let other =
                        if *border == NodeBorder::Lower { NodeBorder::Upper } else { NodeBorder::Lower };
                    let far = self.node_at(*edge, other);
                    let wanted = match next {
                        Some(cell) => self.x[*cell],
                        None if alone(far, other) => self.nodes[far].at.x,
                        None => centre.midpoint(self.nodes[far].at.x),
                    };
                    (*edge, wanted)
                })
                .collect();
            wanted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let spread = spread_ports(&wanted, centre, self.nodes[*node].width * PORT_SHARE);
            ports.extend(wanted.iter().zip(spread).map(|((edge, _), x)| ((*edge, *border), x)));
        }
        ports
    }

    /// Computes the y coordinates at which upward edges and self-loops meet the sides of nodes. From top to
    /// bottom: outgoing edges, the inner first; self-loops; incoming edges, the outer first. In this order
    /// they do not cross.
    fn assign_side_ports(&self) -> SidePorts {
        let mut at: BTreeMap<(usize, Side), Vec<SideEnd>> = BTreeMap::new();
        for (edge, (direction, chain)) in self.grid.chains.iter().enumerate() {
            let LayoutEdge { from, to, .. } = self.edges[edge];
            let lane = |cell: Option<&usize>| cell.map_or(0.0, |cell| self.x[*cell]);
            match *direction {
                EdgeDirection::Down | EdgeDirection::Return => {}
                EdgeDirection::Up(side) => {
                    let outwards = if side == Side::Right { 1.0 } else { -1.0 };
                    let (first, last) = (outwards * lane(chain.first()), outwards * lane(chain.last()));
                    at.entry((from, side)).or_default().push((0, first, edge, EdgeEnd::Source));
                    at.entry((to, side)).or_default().push((2, -last, edge, EdgeEnd::Target));
                }
                EdgeDirection::Loop => {
                    let here = at.entry((from, Side::Right)).or_default();
                    here.push((1, lane(chain.first()), edge, EdgeEnd::Source));
                    here.push((1, lane(chain.first()), edge, EdgeEnd::Target));
                }
            }
        }
        let mut sides = BTreeMap::new();
        for ((node, _), mut ends) in at {
            ends.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
            let node = &self.nodes[node];
            let step = node.height / to_f64(ends.len() + 1);
            for (number, (_, _, edge, end)) in ends.iter().enumerate() {
                sides.insert((*edge, *end), node.top() + step * to_f64(number + 1));
            }
        }
        sides
    }

    /// Returns the path of a downward edge from `from_x` at the lower border of its source to `to_x` at the
    /// upper border of its target.
    fn route_down(&self, edge: usize, from_x: f64, to_x: f64) -> EdgePath {
        let LayoutEdge { from, to, tip, .. } = self.edges[edge];
        let (from, to) = (&self.nodes[from], &self.nodes[to]);
        let head = if tip == EdgeTip::Arrow { HEAD_LENGTH } else { 0.0 };
        let mut pen = PathPen::start_at(point(from_x, from.bottom()));
        // Edges at one border of a hub bend between the same heights in both directions, because curves that do so cannot cross.
        let stub = if self.grid.is_hub[self.edges[edge].from] { HEAD_LENGTH } else { 0.0 };
        let band = self.band(self.grid.cell_of_node[self.edges[edge].from]);
        pen.line_to(point(from_x, band.bottom + stub));
        for cell in &self.grid.chains[edge].1 {
            let band = self.band(*cell);
            pen.bend_to(point(self.x[*cell], band.top));
            pen.line_to(point(self.x[*cell], band.bottom));
        }
        let band = self.band(self.grid.cell_of_node[self.edges[edge].to]);
        pen.bend_to(point(to_x, band.top - head));
        pen.line_to(point(to_x, to.top() - head));
        let tip = point(to_x, to.top());
        let corner = |by: f64| point(tip.x + by, tip.y - HEAD_LENGTH);
        let head = (head > 0.0).then(|| [tip, corner(-HEAD_HALF_WIDTH), corner(HEAD_HALF_WIDTH)]);
        EdgePath { segments: pen.segments, head, label: self.place_label(edge) }
    }

    /// Returns the path of an edge from a spoke up to its hub: the path of `route_down` in reverse, with
    /// the head at its upper end.
    fn route_return(&self, edge: usize, upper_x: f64, lower_x: f64) -> EdgePath {
        let LayoutEdge { from, to, .. } = self.edges[edge];
        let (spoke, hub) = (&self.nodes[from], &self.nodes[to]);
        let mut pen = PathPen::start_at(point(lower_x, spoke.top()));
        pen.line_to(point(lower_x, self.band(self.grid.cell_of_node[from]).top - HEAD_LENGTH));
        for cell in self.grid.chains[edge].1.iter().rev() {
            let band = self.band(*cell);
            pen.bend_to(point(self.x[*cell], band.bottom));
            pen.line_to(point(self.x[*cell], band.top));
        }
        let band = self.band(self.grid.cell_of_node[to]);
        pen.bend_to(point(upper_x, band.bottom + HEAD_LENGTH));
        pen.line_to(point(upper_x, hub.bottom() + HEAD_LENGTH));
        let tip = point(upper_x, hub.bottom());
        let corner = |by: f64| point(tip.x + by, tip.y + HEAD_LENGTH);
        let head = [tip, corner(-HEAD_HALF_WIDTH), corner(HEAD_HALF_WIDTH)];
        EdgePath { segments: pen.segments, head: Some(head), label: self.place_label(edge) }
    }

    /// Returns the path of an upward edge, which leaves its source and enters its target at the same side.
    fn route_up(&self, edge: usize, side: Side, from_y: f64, to_y: f64) -> EdgePath {
        let (from, to) = (&self.nodes[self.edges[edge].from], &self.nodes[self.edges[edge].to]);
        let side_of = |node: &LayoutNode<'_>| if side == Side::Right { node.right() } else { node.left() };
        let chain = &self.grid.chains[edge].1;
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let mut pen = PathPen::start_at(point(side_of(from), from_y));
        pen.turn_at(point(self.x[first], from_y), point(self.x[first], self.band(first).top));
        for cell in &chain[1..] {
            pen.bend_to(point(self.x[*cell], self.band(*cell).bottom));
            if *cell != last {
                pen.line_to(point(self.x[*cell], self.band(*cell).top));
            }
        }
        let head = side_arrow_head(side_of(to), to_y, side);
        pen.turn_at(point(self.x[last], to_y), point(head[1].x, to_y));
        EdgePath { segments: pen.segments, head: Some(head), label: self.place_label(edge) }
    }

    /// Returns the path of a self-loop at the right side of its node, with the labels beside it.
    fn route_loop(&self, edge: usize, from_y: f64, to_y: f64) -> EdgePath {
        let node = &self.nodes[self.edges[edge].from];
        let cell = self.grid.chains[edge].1[0];
        let x = self.x[cell] - self.grid.cells[cell].width / 2.0 + LOOP_WIDTH / 4.0;
        let mut pen = PathPen::start_at(point(node.right(), from_y));
        pen.turn_at(point(x, from_y), point(x, from_y.midpoint(to_y)));
        pen.turn_at(point(x, to_y), point(node.right() + HEAD_LENGTH, to_y));
        let beside = point(x + LOOP_WIDTH / 2.0, from_y.midpoint(to_y));
        let label = (!self.edges[edge].label_lines.is_empty()).then_some(LabelSpot::Start(beside));
        EdgePath {
            segments: pen.segments,
            head: Some(side_arrow_head(node.right(), to_y, Side::Right)),
            label,
        }
    }

    /// Returns the label position, the centre of the cell that holds the labels; `None` for an edge without
    /// labels.
    fn place_label(&self, edge: usize) -> Option<LabelSpot> {
        let holds = |cell: &&usize| self.grid.cells[**cell].kind == CellKind::Label(edge);
        let cell = *self.grid.chains[edge].1.iter().find(holds)?;
        let band = self.band(cell);
        Some(LabelSpot::Middle(point(self.x[cell], band.top.midpoint(band.bottom))))
    }

    /// Returns the vertical extent of a cell's row.
    fn band(&self, cell: usize) -> RowExtent {
        self.bands[self.grid.cells[cell].row]
    }
}

/// Chooses coordinates for the ends of edges at one border. They stay as close as possible to the wanted
/// coordinates, which are sorted, with gaps between them, and within `reach` of `centre`. A single end is
/// at `centre`.
fn spread_ports(wanted: &[(usize, f64)], centre: f64, reach: f64) -> Vec<f64> {
    if wanted.len() == 1 {
        return vec![centre];
    }
    let apart = PORT_GAP.min(2.0 * reach / to_f64(wanted.len() - 1));
    let mut along: Vec<f64> = wanted.iter().map(|(_, x)| x.clamp(centre - reach, centre + reach)).collect();
    for at in 1..along.len() {
        along[at] = along[at].max(along[at - 1] + apart);
    }
    let mut most = centre + reach;
    for x in along.iter_mut().rev() {
        *x = x.min(most);
        most = *x - apart;
    }
    along
}

/// Returns the arrow head at the point `(x, y)` of a node's side: the tip, then the two rear corners.
fn side_arrow_head(x: f64, y: f64, side: Side) -> [Point; 3] {
    let back = if side == Side::Right { x + HEAD_LENGTH } else { x - HEAD_LENGTH };
    [point(x, y), point(back, y - HEAD_HALF_WIDTH), point(back, y + HEAD_HALF_WIDTH)]
}

/// Builder of a path: the current point and the segments drawn so far.
struct PathPen {
    at: Point,
    segments: Vec<PathSegment>,
}

impl PathPen {
    fn start_at(at: Point) -> Self {
        Self { at, segments: vec![PathSegment::Move(at)] }
    }

    /// Adds to the path a straight line to `to`. A vertical line extends the one before it; a line without
    /// length is skipped.
    fn line_to(&mut self, to: Point) {
        if is_same_length(self.at.x, to.x) && is_same_length(self.at.y, to.y) {
            return;
        }
        // Two vertical lines in a row are one segment.
        if let [.., before, PathSegment::Line(end)] = self.segments.as_mut_slice() {
            let start = match before {
                PathSegment::Move(start) | PathSegment::Line(start) | PathSegment::Cubic(_, _, start) => {
                    *start
                }
                PathSegment::Close => self.at,
            };
            if is_same_length(start.x, to.x) && is_same_length(end.x, to.x) {
                *end = to;
                self.at = to;
                return;
            }
        }
        self.segments.push(PathSegment::Line(to));
        self.at = to;
    }

    /// Adds to the path an S-shaped curve to a point of another row, vertical at both ends; a straight line
    /// if the x coordinates are equal.
    fn bend_to(&mut self, to: Point) {
        if is_same_length(self.at.x, to.x) {
            return self.line_to(to);
        }
        let middle = self.at.y.midpoint(to.y);
        self.segments.push(PathSegment::Cubic(point(self.at.x, middle), point(to.x, middle), to));
        self.at = to;
    }

    /// Adds to the path a line towards `corner`, a rounded corner there, and a line to `to`.
    fn turn_at(&mut self, corner: Point, to: Point) {
        let toward = |end: Point| {
            let (dx, dy) = (end.x - corner.x, end.y - corner.y);
            let length = dx.abs().max(dy.abs());
            let by = CORNER_RADIUS.min(length) / length.max(f64::MIN_POSITIVE);
            point(corner.x + dx * by, corner.y + dy * by)
        };
        let (before, after) = (toward(self.at), toward(to));
        self.line_to(before);
        let pull = |end: Point| point(end.x.midpoint(corner.x), end.y.midpoint(corner.y));
        self.segments.push(PathSegment::Cubic(pull(before), pull(after), after));
        self.at = after;
        self.line_to(to);
    }
}

/// Returns true if two coordinates differ by less than 0.05 pixels and so look equal.
fn is_same_length(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.05
}
