//! Sorts the cells of each row so that few lines cross: sweeps down and up by barycentre, and exchanges of neighbours, as Sugiyama
//! and Gansner do. The best order seen is kept. Lanes stay next to their place.

use super::grid::{CellKind, Grid, Side};

/// The most sweeps; large grids get fewer.
const SWEEPS: usize = 24;
/// How many cells all sweeps together may look at.
const BUDGET: usize = 400_000;

pub(super) fn order(grid: &mut Grid) {
    let mut rows = Rows::of(grid);
    let mut best = rows.groups.clone();
    let mut fewest = rows.crossings(grid);
    for sweep in 0..SWEEPS.min(BUDGET / grid.cells.len().max(1)).max(2) {
        if fewest == 0 {
            break;
        }
        rows.sweep(grid, if sweep % 2 == 0 { Toward::Above } else { Toward::Below });
        rows.exchange(grid);
        let crossings = rows.crossings(grid);
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(&rows.groups);
        }
    }
    grid.rows = best.into_iter().map(|row| row.into_iter().flatten().collect()).collect();
}

/// Which neighbours of a cell count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Toward {
    Above,
    Below,
}

/// The rows as groups that stay together, and where each cell stands.
struct Rows {
    groups: Vec<Vec<Vec<usize>>>,
    at: Vec<usize>,
}

impl Rows {
    fn of(grid: &Grid) -> Self {
        let mut lanes: Vec<[Vec<usize>; 2]> = vec![Default::default(); grid.cells.len()];
        for (number, cell) in grid.cells.iter().enumerate() {
            if let Some((host, side)) = cell.host {
                lanes[host][usize::from(side == Side::Right)].push(number);
            }
        }
        let free = |cell: &&usize| grid.cells[**cell].host.is_none();
        let group = |cell: &usize| {
            let [left, right] = &lanes[*cell];
            left.iter().copied().chain([*cell]).chain(right.iter().copied()).collect()
        };
        let groups = grid.rows.iter().map(|row| row.iter().filter(free).map(group).collect()).collect();
        let mut rows = Self { groups, at: vec![0; grid.cells.len()] };
        (0..grid.rows.len()).for_each(|row| rows.number(row));
        rows
    }

    fn number(&mut self, row: usize) {
        for (at, cell) in self.groups[row].iter().flatten().enumerate() {
            self.at[*cell] = at;
        }
    }

    /// Every row by the places of the neighbours in the one before.
    fn sweep(&mut self, grid: &Grid, toward: Toward) {
        let count = self.groups.len();
        for step in 1..count {
            let row = if toward == Toward::Above { step } else { count - 1 - step };
            let mut groups = std::mem::take(&mut self.groups[row]);
            groups.iter_mut().for_each(|group| self.sort_lanes(group, grid));
            let keys: Vec<Option<f64>> =
                groups.iter().map(|group| self.centre(group, grid, toward)).collect();
            // Those that nothing pulls keep their places.
            let slots: Vec<usize> = (0..groups.len()).filter(|at| keys[*at].is_some()).collect();
            let mut pulled = slots.clone();
            pulled.sort_by(|a, b| keys[*a].unwrap_or(0.0).total_cmp(&keys[*b].unwrap_or(0.0)));
            let mut sorted: Vec<Vec<usize>> = groups.clone();
            for (slot, from) in slots.iter().zip(&pulled) {
                sorted[*slot].clone_from(&groups[*from]);
            }
            self.groups[row] = sorted;
            self.number(row);
        }
    }

    /// The lanes at each side of a place by where they lead; what leads back to the place itself is innermost.
    fn sort_lanes(&self, group: &mut [usize], grid: &Grid) {
        let key = |cell: &usize| {
            let leads = !matches!(grid.cells[*cell].kind, CellKind::Loop(_));
            let both = [Toward::Above, Toward::Below]
                .into_iter()
                .filter_map(|toward| self.centre(&[*cell], grid, toward));
            (leads, both.fold(0.0, f64::max))
        };
        let host = group.iter().position(|cell| grid.cells[*cell].host.is_none());
        let host = host.expect("every group is a place or a line that passes, with its lanes");
        let (left, right) = group.split_at_mut(host);
        for lanes in [left, &mut right[1..]] {
            lanes.sort_by(|a, b| {
                let (a, b) = (key(a), key(b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
        }
    }

    /// The mean place of the neighbours.
    fn centre(&self, cells: &[usize], grid: &Grid, toward: Toward) -> Option<f64> {
        let all = cells.iter().flat_map(|cell| neighbours(grid, *cell, toward));
        let (mut sum, mut count) = (0, 0);
        for cell in all {
            sum += self.at[*cell];
            count += 1;
        }
        (count > 0).then(|| super::item::lossless(sum) / f64::from(count))
    }

    /// Exchanges neighbours while that saves crossings.
    fn exchange(&mut self, grid: &Grid) {
        for row in 0..self.groups.len() {
            for _ in 0..4 {
                let mut moved = false;
                for at in 1..self.groups[row].len() {
                    let (left, right) = (&self.groups[row][at - 1], &self.groups[row][at]);
                    if self.between(left, right, grid) > self.between(right, left, grid) {
                        self.groups[row].swap(at - 1, at);
                        moved = true;
                    }
                }
                self.number(row);
                if !moved {
                    break;
                }
            }
        }
    }

    /// The crossings among the lines of two groups, the first at the left.
    fn between(&self, left: &[usize], right: &[usize], grid: &Grid) -> usize {
        let at = |toward| {
            let of = |cells: &[usize]| -> Vec<usize> {
                cells
                    .iter()
                    .flat_map(|cell| neighbours(grid, *cell, toward))
                    .map(|cell| self.at[*cell])
                    .collect()
            };
            let (left, right) = (of(left), of(right));
            left.iter().map(|left| right.iter().filter(|right| *right < left).count()).sum::<usize>()
        };
        at(Toward::Above) + at(Toward::Below)
    }

    /// All crossings between neighbouring rows.
    fn crossings(&self, grid: &Grid) -> usize {
        self.groups
            .iter()
            .map(|row| {
                let mut ends: Vec<(usize, usize)> = Vec::new();
                for cell in row.iter().flatten() {
                    ends.extend(grid.cells[*cell].down.iter().map(|below| (self.at[*cell], self.at[*below])));
                }
                ends.sort_unstable();
                inversions(&ends.into_iter().map(|(_, below)| below).collect::<Vec<_>>())
            })
            .sum()
    }
}

fn neighbours(grid: &Grid, cell: usize, toward: Toward) -> &[usize] {
    match toward {
        Toward::Above => &grid.cells[cell].up,
        Toward::Below => &grid.cells[cell].down,
    }
}

/// How many pairs stand in the wrong order; by a tree of sums, so that wide rows are no trouble.
fn inversions(numbers: &[usize]) -> usize {
    let size = numbers.iter().max().map_or(0, |most| most + 1);
    let mut tree = vec![0_usize; size + 1];
    let mut found = 0;
    for (seen, number) in numbers.iter().enumerate() {
        let mut at = number + 1;
        let mut not_greater = 0;
        while at > 0 {
            not_greater += tree[at];
            at &= at - 1;
        }
        found += seen - not_greater;
        let mut at = number + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    found
}
