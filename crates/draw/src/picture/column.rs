//! Where each cell stands from left to right: Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001). Long lines
//! are straight, places stand over the middle of what they lead to; four layouts, leaning to each corner, are made and their middle
//! taken.

use std::collections::BTreeSet;

use super::grid::{CellKind, Grid, Side, Way};

/// Room between two places.
const APART: f64 = 34.0;
/// Room between a line or a label and what is next to it.
const PASSING: f64 = 16.0;

/// The centre of each cell, in pixels; the leftmost edge is anywhere.
pub(super) fn columns(grid: &Grid) -> Vec<f64> {
    let frame = Frame::of(grid);
    let mut layouts: Vec<Vec<f64>> = Vec::new();
    for vertical in [Lean::First, Lean::Last] {
        for horizontal in [Lean::First, Lean::Last] {
            layouts.push(frame.layout(vertical, horizontal));
        }
    }
    let mut x = middle(layouts, grid);
    frame.draw_lanes_in(&mut x);
    x
}

/// From which end the cells are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lean {
    First,
    Last,
}

struct Frame<'a> {
    grid: &'a Grid,
    /// Where each cell stands in its row.
    at: Vec<usize>,
    /// Ties that a long line crosses; nothing is aligned along them.
    crossed: BTreeSet<(usize, usize)>,
}

impl<'a> Frame<'a> {
    fn of(grid: &'a Grid) -> Self {
        let mut at = vec![0; grid.cells.len()];
        for row in &grid.rows {
            row.iter().enumerate().for_each(|(place, cell)| at[*cell] = place);
        }
        let mut frame = Self { grid, at, crossed: BTreeSet::new() };
        for pair in grid.rows.windows(2) {
            frame.mark_crossed(&pair[0], &pair[1]);
        }
        frame
    }

    /// The cell above, when both are of one long line.
    fn inner_above(&self, cell: usize) -> Option<usize> {
        let passes = |cell: usize| !matches!(self.grid.cells[cell].kind, CellKind::Item(_));
        let above = *self.grid.cells[cell].up.first()?;
        (passes(cell) && passes(above)).then_some(above)
    }

    fn mark_crossed(&mut self, upper: &[usize], lower: &[usize]) {
        let (mut from, mut scanned) = (0, 0);
        for (place, cell) in lower.iter().enumerate() {
            let inner = self.inner_above(*cell);
            if inner.is_none() && place + 1 < lower.len() {
                continue;
            }
            let until = inner.map_or(upper.len(), |above| self.at[above]);
            for scan in &lower[scanned..=place] {
                if self.inner_above(*scan).is_some() {
                    continue;
                }
                let outside = |above: &&usize| self.at[**above] < from || self.at[**above] > until;
                let ties: Vec<usize> = self.grid.cells[*scan].up.iter().filter(outside).copied().collect();
                self.crossed.extend(ties.into_iter().map(|above| (above, *scan)));
            }
            (scanned, from) = (place + 1, until);
        }
    }

    fn layout(&self, vertical: Lean, horizontal: Lean) -> Vec<f64> {
        let mut rows: Vec<Vec<usize>> = self.grid.rows.clone();
        if vertical == Lean::Last {
            rows.reverse();
        }
        if horizontal == Lean::Last {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        let root = self.align(&rows, vertical, horizontal);
        let mut x = self.compact(&rows, &root, horizontal);
        if horizontal == Lean::Last {
            x.iter_mut().for_each(|x| *x = -*x);
        }
        x
    }

    /// Which cells stand one below the other: each cell's topmost one.
    fn align(&self, rows: &[Vec<usize>], vertical: Lean, horizontal: Lean) -> Vec<usize> {
        let count = self.grid.cells.len();
        let place = |cell: usize| match horizontal {
            Lean::First => self.at[cell],
            Lean::Last => self.grid.rows[self.grid.cells[cell].row].len() - 1 - self.at[cell],
        };
        let mut root: Vec<usize> = (0..count).collect();
        let mut taken = vec![false; count];
        for row in rows {
            let mut free_from = 0;
            for cell in row {
                let ties = &self.grid.cells[*cell];
                let mut next = if vertical == Lean::First { ties.up.clone() } else { ties.down.clone() };
                next.sort_by_key(|cell| place(*cell));
                if next.is_empty() {
                    continue;
                }
                for median in [(next.len() - 1) / 2, next.len() / 2] {
                    let above = next[median];
                    let pair = if vertical == Lean::First { (above, *cell) } else { (*cell, above) };
                    let free = root[*cell] == *cell && !taken[above] && place(above) >= free_from;
                    if free && !self.crossed.contains(&pair) {
                        taken[above] = true;
                        root[*cell] = root[above];
                        free_from = place(above) + 1;
                    }
                }
            }
        }
        root
    }

    /// As near to one another as may be: first to the left, then what has room is drawn to its right neighbours.
    fn compact(&self, rows: &[Vec<usize>], root: &[usize], horizontal: Lean) -> Vec<f64> {
        let count = self.grid.cells.len();
        let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for row in rows {
            for pair in row.windows(2) {
                let (left, right) =
                    if horizontal == Lean::First { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
                let apart = self.apart(left, right);
                after[root[pair[0]]].push((root[pair[1]], apart));
                before[root[pair[1]]].push((root[pair[0]], apart));
            }
        }
        let order = topological(&after, &before);
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

    /// Lines at the side of a place come as near to it as their neighbours let them, each straight piece as a whole.
    fn draw_lanes_in(&self, x: &mut [f64]) {
        let mut pieces: Vec<(Side, Vec<usize>)> = Vec::new();
        for (way, chain) in &self.grid.chains {
            let side = match way {
                Way::Down => continue,
                Way::Up(side) => *side,
                Way::Loop => Side::Right,
            };
            let straight = chain.chunk_by(|a, b| (x[*a] - x[*b]).abs() < 0.05);
            let hosted = |piece: &&[usize]| piece.iter().any(|cell| self.grid.cells[*cell].host.is_some());
            pieces.extend(straight.filter(hosted).map(|piece| (side, piece.to_vec())));
        }
        // The inner ones first, as they make room for the outer ones.
        let outwards = |(side, piece): &(Side, Vec<usize>)| {
            if *side == Side::Right { x[piece[0]] } else { -x[piece[0]] }
        };
        pieces.sort_by(|a, b| outwards(a).total_cmp(&outwards(b)));
        for (side, piece) in pieces {
            let room = piece.iter().map(|cell| self.room(*cell, side, x)).fold(f64::INFINITY, f64::min);
            if room.is_finite() && room > 0.0 {
                let by = if side == Side::Right { -room } else { room };
                piece.iter().for_each(|cell| x[*cell] += by);
            }
        }
    }

    /// How far a cell can be moved towards the place at whose side it is.
    fn room(&self, cell: usize, side: Side, x: &[f64]) -> f64 {
        let row = &self.grid.rows[self.grid.cells[cell].row];
        let inner = match side {
            Side::Right => self.at[cell].checked_sub(1),
            Side::Left => Some(self.at[cell] + 1),
        };
        let Some(inner) = inner.and_then(|at| row.get(at).copied()) else { return f64::INFINITY };
        let (left, right) = if side == Side::Right { (inner, cell) } else { (cell, inner) };
        x[right] - x[left] - self.apart(left, right)
    }

    /// The distance of the centres of two neighbours.
    fn apart(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.grid.cells[left], &self.grid.cells[right]);
        let place = |kind| matches!(kind, CellKind::Item(_));
        let room = if place(left.kind) && place(right.kind) { APART } else { PASSING };
        left.width.midpoint(right.width) + room
    }
}

/// The blocks, each after all that are left of it.
fn topological(after: &[Vec<(usize, f64)>], before: &[Vec<(usize, f64)>]) -> Vec<usize> {
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

/// The layouts are laid over the narrowest one; each cell gets the mean of its two middle places, which keeps all distances.
fn middle(mut layouts: Vec<Vec<f64>>, grid: &Grid) -> Vec<f64> {
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
        // The second and the fourth lean to the right.
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
