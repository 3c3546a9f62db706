//! A chart with every place and line where it is drawn. Runs the steps; each step is in a file of its own.

use std::collections::BTreeSet;

use super::super::chart::{Chart, PlaceKind};
use super::column::columns;
use super::grid::{CellKind, Grid, Side, sides};
use super::item::{ABOUT_LINE, Item, What, items, lossless};
use super::order::order;
use super::point;
use super::rank::Ranks;
use super::route::{Route, routes};
use super::wire::{Wire, wires};

/// Room between two rows of places, and between a row of places and one of labels.
const ROW_GAP: f64 = 42.0;
const LABEL_GAP: f64 = 22.0;
/// How much of the longest way to the side between two rows is added, and at most so much.
const SLOPE: f64 = 0.07;
const SLOPE_MOST: f64 = 36.0;
/// How high a box is for each line at its side, at least.
const SIDE_LINE: f64 = 13.0;

/// A chart laid out. Its upper left corner is the origin.
pub(super) struct Layout<'a> {
    pub(super) depth: usize,
    /// Whether it is shown what a run did here.
    pub(super) run: bool,
    pub(super) items: Vec<Item<'a>>,
    pub(super) wires: Vec<Wire>,
    /// How each wire goes.
    pub(super) routes: Vec<Route>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where a row begins and ends, from the top.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn of(chart: &'a Chart<'a>) -> Self {
        Self::within(chart, 0)
    }

    /// The inside of a node that is so deep.
    pub(super) fn within(chart: &'a Chart<'a>, depth: usize) -> Self {
        let mut items = items(chart, depth);
        let wires = wires(chart);
        make_room(&mut items, &wires);
        let edges: Vec<(usize, usize)> = wires.iter().map(|wire| (wire.from, wire.to)).collect();
        let ends = chart.places.iter().enumerate().filter(|(_, place)| place.kind == PlaceKind::End);
        let last: BTreeSet<usize> = ends.map(|(at, _)| at).collect();
        let ranks = Ranks::new(items.len(), &edges, &last);
        make_room_at_sides(&mut items, &wires, &ranks);
        let mut grid = Grid::new(&items, &wires, &ranks);
        order(&mut grid);
        let x = from_zero(columns(&grid), &grid);
        let bands = bands(&grid, &x);
        for (number, item) in items.iter_mut().enumerate() {
            let cell = grid.of_item[number];
            let band = bands[grid.cells[cell].row];
            item.at = point(x[cell], band.top.midpoint(band.bottom));
        }
        let routes = routes(&items, &wires, &grid, &x, &bands);
        let right = x.iter().zip(&grid.cells).map(|(x, cell)| x + cell.width / 2.0);
        let width = right.fold(0.0, f64::max);
        let height = bands.last().map_or(0.0, |band| band.bottom);
        Self { depth, run: chart.run.is_some(), items, wires, routes, width, height }
    }
}

/// A bar is as wide as its lines need.
fn make_room(items: &mut [Item<'_>], wires: &[Wire]) {
    for (number, item) in items.iter_mut().enumerate() {
        if matches!(item.what, What::Bar { .. }) {
            let lines = wires.iter().filter(|wire| wire.to == number).count();
            item.width = item.width.max(24.0 * lossless(lines));
        }
    }
}

/// A box is as high as the lines at its sides need, and the labels of those that lead back to where they began.
fn make_room_at_sides(items: &mut [Item<'_>], wires: &[Wire], ranks: &Ranks) {
    let sides = sides(wires, ranks);
    let mut lines: Vec<[usize; 2]> = vec![[0; 2]; items.len()];
    let mut apart = vec![SIDE_LINE; items.len()];
    for (wire, side) in wires.iter().zip(sides) {
        if ranks.of[wire.from] >= ranks.of[wire.to] {
            lines[wire.from][usize::from(side == Side::Right)] += 1;
            lines[wire.to][usize::from(side == Side::Right)] += 1;
        }
        if wire.from == wire.to {
            apart[wire.from] = apart[wire.from].max(ABOUT_LINE * lossless(wire.labels.len()));
        }
    }
    for ((item, lines), apart) in items.iter_mut().zip(lines).zip(apart) {
        let most = lines[0].max(lines[1]);
        if most > 0 {
            item.height = item.height.max(apart * lossless(most + 1));
        }
    }
}

/// Moved so that the leftmost edge is at zero.
fn from_zero(mut x: Vec<f64>, grid: &Grid) -> Vec<f64> {
    let left = x.iter().zip(&grid.cells).map(|(x, cell)| x - cell.width / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    x
}

/// The rows from top to bottom; far ways to the side get more room.
fn bands(grid: &Grid, x: &[f64]) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let places = |row: &[usize]| row.iter().any(|cell| matches!(grid.cells[*cell].kind, CellKind::Item(_)));
    for (number, row) in grid.rows.iter().enumerate() {
        let top = bands.last().map_or(0.0, |above: &Band| {
            let gap = if places(row) && places(&grid.rows[number - 1]) { ROW_GAP } else { LABEL_GAP };
            let ties = row
                .iter()
                .flat_map(|cell| grid.cells[*cell].up.iter().map(|above| (x[*above] - x[*cell]).abs()));
            above.bottom + gap + (SLOPE * ties.fold(0.0, f64::max)).min(SLOPE_MOST)
        });
        let height = row.iter().map(|cell| grid.cells[*cell].height).fold(0.0, f64::max);
        bands.push(Band { top, bottom: top + height });
    }
    bands
}
