//! Assigns x coordinates to the cells of the grid: Brandes and Köpf, "Fast and Simple Horizontal Coordinate
//! Assignment" (2001). Long edges become straight, and nodes are centred over their targets. Four
//! assignments are computed, one aligned towards each corner, and averaged.

use std::collections::BTreeSet;

use super::grid::{CellKind, EdgeDirection, Grid, Side};

/// Gap between two neighbouring nodes, in pixels.
const NODE_GAP: f64 = 34.0;
/// Gap between an edge or a label and its neighbour, in pixels.
const EDGE_GAP: f64 = 16.0;

/// Returns the x coordinate of the centre of each cell of the layout grid, in pixels. The origin is
/// arbitrary.
pub(super) fn assign_columns(grid: &Grid) -> Vec<f64> {
    let solver = ColumnSolver::of(grid);
    let mut layouts: Vec<Vec<f64>> = Vec::new();
    for vertical in [ScanFrom::First, ScanFrom::Last] {
        for horizontal in [ScanFrom::First, ScanFrom::Last] {
            layouts.push(solver.lay_out(vertical, horizontal));
        }
    }
    let mut x = balance(layouts, grid);
    solver.pull_lanes_in(&mut x);
    x
}

/// Scan direction of one of the four candidate layouts: from the first or from the last row, or cell of a
/// row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanFrom {
    First,
    Last,
}

/// State of the assignment of x coordinates to the grid's cells: the grid, and the pairs of cells that must
/// not be aligned.
struct ColumnSolver<'a> {
    grid: &'a Grid,
    /// Position of each cell in its row.
    at: Vec<usize>,
    /// Pairs of connected cells whose edge crosses a long edge (type 1 conflicts of the paper). They are not aligned.
    conflicts: BTreeSet<(usize, usize)>,
}

impl<'a> ColumnSolver<'a> {
    fn of(grid: &'a Grid) -> Self {
        let mut at = vec![0; grid.cells.len()];
        for row in &grid.rows {
            row.iter().enumerate().for_each(|(place, cell)| at[*cell] = place);
        }
        let mut solver = Self { grid, at, conflicts: BTreeSet::new() };
        for pair in grid.rows.windows(2) {
            solver.mark_conflicts(&pair[0], &pair[1]);
        }
        solver
    }

    /// Returns the connected cell above if it and `cell` both belong to the same long edge; `None` if
    /// either is a node.
    fn long_edge_above(&self, cell: usize) -> Option<usize> {
        let passes = |cell: usize| !matches!(self.grid.cells[cell].kind, CellKind::Node(_));
        let above = *self.grid.cells[cell].up.first()?;
        (passes(cell) && passes(above)).then_some(above)
    }

    /// Records the edges between two adjacent rows that cross a long edge. `upper` and `lower` hold the
    /// cells of the rows.
    fn mark_conflicts(&mut self, upper: &[usize], lower: &[usize]) {
        let (mut from, mut scanned) = (0, 0);
        for (place, cell) in lower.iter().enumerate() {
            let inner = self.long_edge_above(*cell);
            if inner.is_none() && place + 1 < lower.len() {
                continue;
            }
            let until = inner.map_or(upper.len(), |above| self.at[above]);
            for scan in &lower[scanned..=place] {
                if self.long_edge_above(*scan).is_some() {
                    continue;
                }
                let outside = |above: &&usize| self.at[**above] < from || self.at[**above] > until;
                let ties: Vec<usize> = self.grid.cells[*scan].up.iter().filter(outside).copied().collect();
                self.conflicts.extend(ties.into_iter().map(|above| (above, *scan)));
            }
            (scanned, from) = (place + 1, until);
        }
    }

    /// Computes one of four candidate layouts (by scan direction): the x coordinate of each cell.
    fn lay_out(&self, vertical: ScanFrom, horizontal: ScanFrom) -> Vec<f64> {
        let mut rows: Vec<Vec<usize>> = self.grid.rows.clone();
        if vertical == ScanFrom::Last {
            rows.reverse();
        }
        if horizontal == ScanFrom::Last {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        let root = self.align_vertically(&rows, vertical, horizontal);
        let mut x = self.compact_horizontally(&rows, &root, horizontal);
        if horizontal == ScanFrom::Last {
            x.iter_mut().for_each(|x| *x = -*x);
        }
        x
    }

    /// Groups cells that shall have the same x coordinate into vertical blocks. Returns for each cell the
    /// first cell of its block, its `root`.
    fn align_vertically(&self, rows: &[Vec<usize>], vertical: ScanFrom, horizontal: ScanFrom) -> Vec<usize> {
        let count = self.grid.cells.len();
        let position = |cell: usize| match horizontal {
            ScanFrom::First => self.at[cell],
            ScanFrom::Last => self.grid.rows[self.grid.cells[cell].row].len() - 1 - self.at[cell],
        };
        let mut root: Vec<usize> = (0..count).collect();
        let mut taken = vec![false; count];
        for row in rows {
            let mut free_from = 0;
            for cell in row {
                let ties = &self.grid.cells[*cell];
                let mut next = if vertical == ScanFrom::First { ties.up.clone() } else { ties.down.clone() };
                next.sort_by_key(|cell| position(*cell));
                if next.is_empty() {
                    continue;
                }
                for median in [(next.len() - 1) / 2, next.len() / 2] {
                    let above = next[median];
                    let pair = if vertical == ScanFrom::First { (above, *cell) } else { (*cell, above) };
                    let free = root[*cell] == *cell && !taken[above] && position(above) >= free_from;
                    if free && !self.conflicts.contains(&pair) {
                        taken[above] = true;
                        root[*cell] = root[above];
                        free_from = position(above) + 1;
                    }
                }
            }
        }
        root
    }

    /// Assigns x coordinates to blocks: first each as far left as the gaps permit, then each as far right
    /// as its right neighbours permit. `root` maps a cell to its block. Returns the coordinate of each
    /// cell.
    fn compact_horizontally(&self, rows: &[Vec<usize>], root: &[usize], horizontal: ScanFrom) -> Vec<f64> {
        let count = self.grid.cells.len();
        let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for row in rows {
            for pair in row.windows(2) {
                let (left, right) =
                    if horizontal == ScanFrom::First { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
                let apart = self.min_distance(left, right);
                after[root[pair[0]]].push((root[pair[1]], apart));
                before[root[pair[1]]].push((root[pair[0]], apart));
            }
        }
        let order = sort_blocks(&after, &before);
        let mut x = vec![0.0_f64; count];
        for block in &order {
            x[*block] = before[*block].iter().map(|(left, apart)| x[*left] + apart).fold(0.0, f64::max);
        }
        for block in order.iter().rev() {
            let limit =
                after[*block].iter().map(|(right, apart)| x[*right] - apart).fold(f64::INFINITY, f64::min);
            if limit.is_finite() {
                x[*block] = x[*block].max(limit);
            }
        }
        (0..count).map(|cell| x[root[cell]]).collect()
    }

    /// Moves lanes (upward edges and self-loops beside a node) towards their node as far as the neighbours
    /// permit. A straight piece of a lane is moved as a whole. Changes `x`.
    fn pull_lanes_in(&self, x: &mut [f64]) {
        let mut pieces: Vec<(Side, Vec<usize>)> = Vec::new();
        for (direction, chain) in &self.grid.chains {
            let side = match direction {
                EdgeDirection::Down | EdgeDirection::Return => continue,
                EdgeDirection::Up(side) => *side,
                EdgeDirection::Loop => Side::Right,
            };
            let straight = chain.chunk_by(|a, b| (x[*a] - x[*b]).abs() < 0.05);
            let hosted = |piece: &&[usize]| piece.iter().any(|cell| self.grid.cells[*cell].host.is_some());
            pieces.extend(straight.filter(hosted).map(|piece| (side, piece.to_vec())));
        }
        // The inner pieces first, because they make room for the outer ones.
        let outwards = |(side, piece): &(Side, Vec<usize>)| {
            if *side == Side::Right { x[piece[0]] } else { -x[piece[0]] }
        };
        pieces.sort_by(|a, b| outwards(a).total_cmp(&outwards(b)));
        for (side, piece) in pieces {
            let room = piece.iter().map(|cell| self.free_space(*cell, side, x)).fold(f64::INFINITY, f64::min);
            if room.is_finite() && room > 0.0 {
                let by = if side == Side::Right { -room } else { room };
                piece.iter().for_each(|cell| x[*cell] += by);
            }
        }
    }

    /// Returns the distance, in pixels, that a lane cell at this side can move towards its node; infinite
    /// without a neighbour there.
    fn free_space(&self, cell: usize, side: Side, x: &[f64]) -> f64 {
        let row = &self.grid.rows[self.grid.cells[cell].row];
        let inner = match side {
            Side::Right => self.at[cell].checked_sub(1),
            Side::Left => Some(self.at[cell] + 1),
        };
        let Some(inner) = inner.and_then(|at| row.get(at).copied()) else { return f64::INFINITY };
        let (left, right) = if side == Side::Right { (inner, cell) } else { (cell, inner) };
        x[right] - x[left] - self.min_distance(left, right)
    }

    /// Returns the smallest permitted distance between the centres of two neighbouring cells, in pixels.
    fn min_distance(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.grid.cells[left], &self.grid.cells[right]);
        let is_node = |kind| matches!(kind, CellKind::Node(_));
        let room = if is_node(left.kind) && is_node(right.kind) { NODE_GAP } else { EDGE_GAP };
        left.width.midpoint(right.width) + room
    }
}

/// Sorts the blocks topologically, each after all blocks at its left. `after` and `before` hold the right
/// and the left neighbours of each block with their distance.
fn sort_blocks(after: &[Vec<(usize, f64)>], before: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let mut waits: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..waits.len()).filter(|block| waits[*block] == 0).collect();
    let mut done = 0;
    while let Some(block) = order.get(done).copied() {
        done += 1;
        for (right, _) in &after[block] {
            waits[*right] -= 1;
            if waits[*right] == 0 {
                order.push(*right);
            }
        }
    }
    order
}

/// Combines the four candidate layouts into the final x coordinates: aligns each with the narrowest one,
/// then gives each cell the mean of its two middle coordinates. This preserves the smallest distances.
fn balance(mut layouts: Vec<Vec<f64>>, grid: &Grid) -> Vec<f64> {
    let edges = |x: &[f64]| {
        let mut edges = (f64::INFINITY, f64::NEG_INFINITY);
        for (x, cell) in x.iter().zip(&grid.cells) {
            edges = (edges.0.min(x - cell.width / 2.0), edges.1.max(x + cell.width / 2.0));
        }
        edges
    };
    let width = |x: &Vec<f64>| edges(x).1 - edges(x).0;
    let narrowest = layouts.iter().min_by(|a, b| width(a).total_cmp(&width(b)));
    let goal = narrowest.map_or((0.0, 0.0), |x| edges(x));
    for (number, x) in layouts.iter_mut().enumerate() {
        // The second and the fourth are aligned to the right.
        let own = edges(x);
        let by = if number % 2 == 0 { goal.0 - own.0 } else { goal.1 - own.1 };
        x.iter_mut().for_each(|x| *x += by);
    }
    (0..grid.cells.len())
        .map(|cell| {
            let mut four: Vec<f64> = layouts.iter().map(|x| x[cell]).collect();
            four.sort_by(f64::total_cmp);
            four[1].midpoint(four[2])
        })
        .collect()
}
