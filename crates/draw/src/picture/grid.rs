//! The grid of a layout: rows of cells. A node has one cell, in its row; an edge has one in every row that
//! it passes. An edge that leads up leaves its source and reaches its target at their sides, in lanes:
//! cells that stay next to these nodes. So does a self-loop.

use super::edge::LayoutEdge;
use super::node::{ABOUT_LINE, LayoutNode, to_f64};
use super::rank::Ranks;

/// A cell of the layout grid: the space in a row that a node, or an edge passing the row, occupies. Cells
/// refer to each other by index in `Grid::cells`.
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) row: usize,
    /// In pixels.
    pub(super) width: f64,
    pub(super) height: f64,
    /// Connected cells in the row above.
    pub(super) up: Vec<usize>,
    /// Connected cells in the row below.
    pub(super) down: Vec<usize>,
    /// Cell of the node that a lane stays next to, and the side; `None` for all other cells.
    pub(super) host: Option<(usize, Side)>,
}

/// Content of a cell of the layout grid. Numbers are indices of nodes or edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    /// A node, by number.
    Node(usize),
    /// An edge that passes the row.
    Bend,
    /// The labels of an edge, by number.
    Label(usize),
    /// An edge at the side of a node.
    Lane,
    /// A self-loop, by the number of the edge.
    Loop(usize),
}

/// Direction in which an edge is drawn, which decides its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeDirection {
    /// To a lower row.
    Down,
    /// From a spoke up to its hub, beside the edges that lead down to the spoke.
    Return,
    /// To a higher row or along its own, in lanes at this side.
    Up(Side),
    /// A self-loop, at the right side.
    Loop,
}

/// Side of a node at which an upward edge or a self-loop is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// Grid of a graph layout: all cells, and their order in the rows. Built from nodes and edges; `order.rs`
/// reorders the rows.
pub(super) struct Grid {
    pub(super) cells: Vec<Cell>,
    /// The cells of each row from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// The cell of each node.
    pub(super) cell_of_node: Vec<usize>,
    /// True for each node with edges from spokes.
    pub(super) is_hub: Vec<bool>,
    /// Direction of each edge, and its cells without those of the nodes: from the upper node for `Down` and `Return`, otherwise from the
    /// source.
    pub(super) chains: Vec<(EdgeDirection, Vec<usize>)>,
}

/// Width of the cell of an edge that passes a row.
const BEND_WIDTH: f64 = 8.0;
/// Padding at both sides of labels.
pub(super) const LABEL_PADDING: f64 = 6.0;
/// Distance of a self-loop from its node.
pub(super) const LOOP_WIDTH: f64 = 20.0;

impl Grid {
    /// Builds the grid with a cell for each node and a chain of cells for each edge; `directions` has one
    /// item per edge.
    pub(super) fn new(
        nodes: &[LayoutNode<'_>],
        edges: &[LayoutEdge],
        directions: &[EdgeDirection],
        ranks: &Ranks,
    ) -> Self {
        let levels = Levels::new(edges, ranks);
        let mut grid = Self {
            cells: Vec::new(),
            rows: vec![Vec::new(); levels.count],
            cell_of_node: vec![0; nodes.len()],
            is_hub: find_hubs(nodes.len(), edges, directions),
            chains: edges.iter().map(|_| (EdgeDirection::Loop, Vec::new())).collect(),
        };
        for node in &ranks.order {
            let row = levels.row(2 * ranks.rank_of[*node]);
            grid.cell_of_node[*node] =
                grid.add_cell(CellKind::Node(*node), row, (nodes[*node].width, nodes[*node].height));
        }
        // In the order of the ranks, because the initial order of a row decides where the reduction of crossings begins.
        for node in &ranks.order {
            for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from == *node) {
                grid.chains[number] =
                    (directions[number], grid.add_chain(number, edge, directions[number], ranks, &levels));
            }
        }
        grid
    }

    /// Adds a cell to the right end of a row. Returns its index.
    fn add_cell(&mut self, kind: CellKind, row: usize, (width, height): (f64, f64)) -> usize {
        let number = self.cells.len();
        self.cells.push(Cell { kind, row, width, height, up: Vec::new(), down: Vec::new(), host: None });
        self.rows[row].push(number);
        number
    }

    /// Adds the cells of an edge, one in each row that it passes, and connects them. Returns them in order,
    /// without those of the two nodes.
    fn add_chain(
        &mut self,
        number: usize,
        edge: &LayoutEdge,
        direction: EdgeDirection,
        ranks: &Ranks,
        levels: &Levels,
    ) -> Vec<usize> {
        let (from, to) = (2 * ranks.rank_of[edge.from], 2 * ranks.rank_of[edge.to]);
        let passed = (from.min(to) + 1..from.max(to)).filter(|level| levels.exists(*level));
        let mut add_passing = |passed: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            passed
                .map(|level| self.add_pass_cell(number, edge, level.abs_diff(from) == 1, levels.row(level)))
                .collect()
        };
        match direction {
            EdgeDirection::Loop => {
                let width = LOOP_WIDTH + edge.label_width();
                vec![self.add_lane(CellKind::Loop(number), edge.from, Side::Right, width)]
            }
            EdgeDirection::Down | EdgeDirection::Return => {
                let cells = add_passing(&mut passed.into_iter());
                let (upper, lower) = if from < to { (edge.from, edge.to) } else { (edge.to, edge.from) };
                let (upper, lower) = (self.cell_of_node[upper], self.cell_of_node[lower]);
                let whole: Vec<usize> =
                    std::iter::once(upper).chain(cells.iter().copied()).chain([lower]).collect();
                whole.windows(2).for_each(|pair| self.connect(pair[0], pair[1]));
                cells
            }
            EdgeDirection::Up(side) => {
                let between = add_passing(&mut passed.rev());
                let first = self.add_lane(CellKind::Lane, edge.from, side, BEND_WIDTH);
                let last = self.add_lane(CellKind::Lane, edge.to, side, BEND_WIDTH);
                let cells: Vec<usize> = std::iter::once(first).chain(between).chain([last]).collect();
                cells.windows(2).for_each(|pair| self.connect(pair[1], pair[0]));
                cells
            }
        }
    }

    /// Adds the cell of an edge in a row that it passes. The cell with `first` set, the one next to the
    /// source, holds the labels if there are any. Returns its index.
    fn add_pass_cell(&mut self, number: usize, edge: &LayoutEdge, first: bool, row: usize) -> usize {
        if !first || edge.label_lines.is_empty() {
            return self.add_cell(CellKind::Bend, row, (BEND_WIDTH, 0.0));
        }
        let height = ABOUT_LINE * to_f64(edge.label_lines.len()) + 4.0;
        self.add_cell(CellKind::Label(number), row, (edge.label_width() + 2.0 * LABEL_PADDING, height))
    }

    /// Adds a lane cell (the place of an upward edge or self-loop beside a node) to the row of a node, to
    /// be kept at this side of it. Returns its index.
    fn add_lane(&mut self, kind: CellKind, node: usize, side: Side, width: f64) -> usize {
        let host = self.cell_of_node[node];
        let lane = self.add_cell(kind, self.cells[host].row, (width, 0.0));
        self.cells[lane].host = Some((host, side));
        lane
    }

    /// Records that an edge connects two cells of adjacent rows.
    fn connect(&mut self, above: usize, below: usize) {
        self.cells[above].down.push(below);
        self.cells[below].up.push(above);
    }
}

/// Mapping from levels to rows of the layout grid. Rank `r` of nodes is level `2 * r` and always has a row;
/// the odd level between two ranks has one only if it holds labels.
struct Levels {
    /// Row of each level.
    rows: Vec<Option<usize>>,
    /// Number of rows.
    count: usize,
}

impl Levels {
    fn new(edges: &[LayoutEdge], ranks: &Ranks) -> Self {
        let deepest = ranks.rank_of.iter().copied().max().map_or(0, |rank| 2 * rank + 1);
        let mut used: Vec<bool> = (0..deepest).map(|level| level % 2 == 0).collect();
        for edge in edges.iter().filter(|edge| !edge.label_lines.is_empty() && edge.from != edge.to) {
            let (from, to) = (2 * ranks.rank_of[edge.from], 2 * ranks.rank_of[edge.to]);
            used[if from < to { from + 1 } else { from - 1 }] = true;
        }
        let mut count = 0;
        let rows = used
            .into_iter()
            .map(|used| {
                count += usize::from(used);
                used.then(|| count - 1)
            })
            .collect();
        Self { rows, count }
    }

    /// Returns true if the level has a row in the grid.
    fn exists(&self, level: usize) -> bool {
        self.rows[level].is_some()
    }

    /// Returns the index of the grid row of a level. Panics if the level has none.
    fn row(&self, level: usize) -> usize {
        self.rows[level].expect("even levels have rows, and `exists` was asked for odd ones")
    }
}

/// Returns a flag for each of `count` nodes: true for a hub, a node to which edges lead back from its
/// spokes (direction `Return`), as from workers to their supervisor.
pub(super) fn find_hubs(count: usize, edges: &[LayoutEdge], directions: &[EdgeDirection]) -> Vec<bool> {
    let mut is_hub = vec![false; count];
    let returns = edges.iter().zip(directions).filter(|(_, direction)| **direction == EdgeDirection::Return);
    returns.for_each(|(edge, _)| is_hub[edge.to] = true);
    is_hub
}

/// Chooses the direction in which each edge is drawn. `is_return` has a flag per edge: true for an edge
/// from a spoke back to its hub.
pub(super) fn choose_directions(
    edges: &[LayoutEdge],
    ranks: &Ranks,
    is_return: &[bool],
) -> Vec<EdgeDirection> {
    let mut directions: Vec<EdgeDirection> = edges
        .iter()
        .zip(is_return)
        .map(|(edge, is_return)| match ranks.rank_of[edge.from] < ranks.rank_of[edge.to] {
            _ if edge.from == edge.to => EdgeDirection::Loop,
            true => EdgeDirection::Down,
            false if *is_return => EdgeDirection::Return,
            false => EdgeDirection::Up(Side::Right),
        })
        .collect();
    choose_sides(edges, ranks, &mut directions);
    directions
}

/// Chooses the side of each upward edge: the right one, unless the edge would cross fewer other upward
/// edges at the left. Short edges choose first. Changes `directions`.
fn choose_sides(edges: &[LayoutEdge], ranks: &Ranks, directions: &mut [EdgeDirection]) {
    let span = |edge: &LayoutEdge| (ranks.rank_of[edge.to], ranks.rank_of[edge.from]);
    let leads_up = |number: &usize| matches!(directions[*number], EdgeDirection::Up(_));
    let mut order: Vec<usize> = (0..edges.len()).filter(leads_up).collect();
    order.sort_by_key(|number| (span(&edges[*number]).1 - span(&edges[*number]).0, *number));
    let mut placed: Vec<usize> = Vec::new();
    for number in order {
        let (top, bottom) = span(&edges[number]);
        let count_crossings = |side: Side| {
            let crosses = |other: &&usize| {
                let (above, below) = span(&edges[**other]);
                directions[**other] == EdgeDirection::Up(side)
                    && ((above < top && top < below && below < bottom)
                        || (top < above && above < bottom && bottom < below))
            };
            placed.iter().filter(crosses).count()
        };
        if count_crossings(Side::Left) < count_crossings(Side::Right) {
            directions[number] = EdgeDirection::Up(Side::Left);
        }
        placed.push(number);
    }
}
