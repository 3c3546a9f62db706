//! Sorts the cells of each row so that few edges cross: repeated sweeps down and up by barycentre
//! (Sugiyama), each followed by swaps of neighbours (Gansner). The best order found is kept. Lanes stay
//! next to their node.

use super::grid::{CellKind, Grid, Side};

/// Maximum number of sweeps over all rows; large grids get fewer.
const MAX_SWEEPS: usize = 24;
/// Upper bound of cell visits over all sweeps, so that large graphs do not take long.
const MAX_VISITS: usize = 400_000;

/// Reorders the cells within each row of the grid to reduce the number of edge crossings. Changes
/// `grid.rows`.
pub(super) fn reduce_crossings(grid: &mut Grid) {
    let mut rows = RowOrder::of(grid);
    let mut best = rows.groups.clone();
    let mut fewest = rows.count_crossings(grid);
    for sweep in 0..MAX_SWEEPS.min(MAX_VISITS / grid.cells.len().max(1)).max(2) {
        if fewest == 0 {
            break;
        }
        rows.sweep(grid, if sweep % 2 == 0 { AdjacentRow::Above } else { AdjacentRow::Below });
        rows.swap_neighbours(grid);
        let crossings = rows.count_crossings(grid);
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(&rows.groups);
        }
    }
    grid.rows = best.into_iter().map(|row| row.into_iter().flatten().collect()).collect();
}

/// Adjacent row whose cells determine a position: the row above or the row below.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AdjacentRow {
    Above,
    Below,
}

/// The current order of all rows. A row is a list of groups; a group is a node or passing edge together
/// with its lanes, which move as one.
struct RowOrder {
    groups: Vec<Vec<Vec<usize>>>,
    /// Position of each cell in its row.
    at: Vec<usize>,
}

impl RowOrder {
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
        (0..grid.rows.len()).for_each(|row| rows.renumber(row));
        rows
    }

    /// Recomputes `at`, the positions of the cells, for one row after a change of its order.
    fn renumber(&mut self, row: usize) {
        for (at, cell) in self.groups[row].iter().flatten().enumerate() {
            self.at[*cell] = at;
        }
    }

    /// Sorts every row, one after the other, by the mean position of the connected cells in the row before.
    /// With `Above`, it proceeds from top to bottom, otherwise from bottom to top. Groups without
    /// connections stay in place.
    fn sweep(&mut self, grid: &Grid, toward: AdjacentRow) {
        let count = self.groups.len();
        for step in 1..count {
            let row = if toward == AdjacentRow::Above { step } else { count - 1 - step };
            let mut groups = std::mem::take(&mut self.groups[row]);
            groups.iter_mut().for_each(|group| self.sort_lanes(group, grid));
            let keys: Vec<Option<f64>> =
                groups.iter().map(|group| self.barycentre(group, grid, toward)).collect();
            // Groups without neighbours keep their positions.
            let slots: Vec<usize> = (0..groups.len()).filter(|at| keys[*at].is_some()).collect();
            let mut pulled = slots.clone();
            pulled.sort_by(|a, b| keys[*a].unwrap_or(0.0).total_cmp(&keys[*b].unwrap_or(0.0)));
            let mut sorted: Vec<Vec<usize>> = groups.clone();
            for (slot, from) in slots.iter().zip(&pulled) {
                sorted[*slot].clone_from(&groups[*from]);
            }
            self.groups[row] = sorted;
            self.renumber(row);
        }
    }

    /// Sorts the lanes at each side of a group's node by the positions of their connected cells. Self-loops
    /// are first at each side.
    fn sort_lanes(&self, group: &mut [usize], grid: &Grid) {
        let key = |cell: &usize| {
            let leads = !matches!(grid.cells[*cell].kind, CellKind::Loop(_));
            let both = [AdjacentRow::Above, AdjacentRow::Below]
                .into_iter()
                .filter_map(|toward| self.barycentre(&[*cell], grid, toward));
            (leads, both.fold(0.0, f64::max))
        };
        let host = group.iter().position(|cell| grid.cells[*cell].host.is_none());
        let host = host.expect("every group has a node or a passing edge besides its lanes");
        let (left, right) = group.split_at_mut(host);
        for lanes in [left, &mut right[1..]] {
            lanes.sort_by(|a, b| {
                let (a, b) = (key(a), key(b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
        }
    }

    /// Returns the mean position of the cells connected to `cells` in the row above or below; `None` if
    /// there are none.
    fn barycentre(&self, cells: &[usize], grid: &Grid, toward: AdjacentRow) -> Option<f64> {
        let all = cells.iter().flat_map(|cell| neighbours(grid, *cell, toward));
        let (mut sum, mut count) = (0, 0);
        for cell in all {
            sum += self.at[*cell];
            count += 1;
        }
        (count > 0).then(|| super::node::to_f64(sum) / f64::from(count))
    }

    /// Swaps adjacent groups where this removes crossings, with at most four passes over each row.
    fn swap_neighbours(&mut self, grid: &Grid) {
        for row in 0..self.groups.len() {
            for _ in 0..4 {
                let mut moved = false;
                for at in 1..self.groups[row].len() {
                    let (left, right) = (&self.groups[row][at - 1], &self.groups[row][at]);
                    if self.count_pair_crossings(left, right, grid)
                        > self.count_pair_crossings(right, left, grid)
                    {
                        self.groups[row].swap(at - 1, at);
                        moved = true;
                    }
                }
                self.renumber(row);
                if !moved {
                    break;
                }
            }
        }
    }

    /// Counts the crossings between the edges of two groups when `left` stands at the left of `right`, both
    /// to the row above and to the row below.
    fn count_pair_crossings(&self, left: &[usize], right: &[usize], grid: &Grid) -> usize {
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
        at(AdjacentRow::Above) + at(AdjacentRow::Below)
    }

    /// Counts the edge crossings of the whole grid in the current order.
    fn count_crossings(&self, grid: &Grid) -> usize {
        self.groups
            .iter()
            .map(|row| {
                let mut ends: Vec<(usize, usize)> = Vec::new();
                for cell in row.iter().flatten() {
                    ends.extend(grid.cells[*cell].down.iter().map(|below| (self.at[*cell], self.at[*below])));
                }
                ends.sort_unstable();
                count_inversions(&ends.into_iter().map(|(_, below)| below).collect::<Vec<_>>())
            })
            .sum()
    }
}

/// Returns the cells connected to `cell` in the row above or below.
fn neighbours(grid: &Grid, cell: usize, toward: AdjacentRow) -> &[usize] {
    match toward {
        AdjacentRow::Above => &grid.cells[cell].up,
        AdjacentRow::Below => &grid.cells[cell].down,
    }
}

/// Counts the pairs of numbers that are in descending order, which is the number of crossings between two
/// rows. Uses a Fenwick tree, because wide rows have many pairs.
fn count_inversions(numbers: &[usize]) -> usize {
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
