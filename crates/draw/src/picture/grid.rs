//! The cells of a picture: a place has one in its row, a line one in every row that it passes. A line that leads up leaves and
//! arrives at one side of its places, in a lane that stays next to them; so does one that leads back to where it began.

use super::item::{ABOUT_LINE, Item, lossless};
use super::rank::Ranks;
use super::wire::Wire;

/// A cell of the grid.
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) row: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The cells that it is tied to in the row above, and below.
    pub(super) up: Vec<usize>,
    pub(super) down: Vec<usize>,
    /// The cell of the place next to which it stays, and at which side.
    pub(super) host: Option<(usize, Side)>,
}

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    /// A place.
    Item(usize),
    /// A line that passes.
    Bend,
    /// The labels of a line.
    Label(usize),
    /// A line at the side of a place.
    Lane,
    /// A line that leads back to where it began.
    Loop(usize),
}

/// Which way a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Down,
    /// In lanes at this side.
    Up(Side),
    /// At the right side.
    Loop,
}

/// A side of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// All cells.
pub(super) struct Grid {
    pub(super) cells: Vec<Cell>,
    /// The cells of each row from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// The cell of each item.
    pub(super) of_item: Vec<usize>,
    /// The cells of each line from its source on, without those of its ends; and which way it goes.
    pub(super) chains: Vec<(Way, Vec<usize>)>,
}

/// The width of a line in a row that it passes.
const BEND: f64 = 8.0;
/// Room beside the labels.
pub(super) const LABEL_SIDE: f64 = 6.0;
/// How far a line that leads back to where it began stands out.
pub(super) const LOOP: f64 = 20.0;

impl Grid {
    pub(super) fn new(items: &[Item<'_>], wires: &[Wire], ranks: &Ranks) -> Self {
        let levels = Levels::new(wires, ranks);
        let sides = sides(wires, ranks);
        let mut grid = Self {
            cells: Vec::new(),
            rows: vec![Vec::new(); levels.count],
            of_item: vec![0; items.len()],
            chains: wires.iter().map(|_| (Way::Loop, Vec::new())).collect(),
        };
        for item in &ranks.order {
            let row = levels.of(2 * ranks.of[*item]);
            grid.of_item[*item] =
                grid.cell(CellKind::Item(*item), row, (items[*item].width, items[*item].height));
        }
        // In the order of telling, so that the first sight of the rows is a sensible one.
        for item in &ranks.order {
            for (number, wire) in wires.iter().enumerate().filter(|(_, wire)| wire.from == *item) {
                grid.chains[number] = grid.chain(number, wire, ranks, &levels, sides[number]);
            }
        }
        grid
    }

    fn cell(&mut self, kind: CellKind, row: usize, (width, height): (f64, f64)) -> usize {
        let number = self.cells.len();
        self.cells.push(Cell { kind, row, width, height, up: Vec::new(), down: Vec::new(), host: None });
        self.rows[row].push(number);
        number
    }

    fn chain(
        &mut self,
        number: usize,
        wire: &Wire,
        ranks: &Ranks,
        levels: &Levels,
        side: Side,
    ) -> (Way, Vec<usize>) {
        let (first, last) = (2 * ranks.of[wire.from], 2 * ranks.of[wire.to]);
        if wire.from == wire.to {
            let lane = self.lane(CellKind::Loop(number), wire.from, Side::Right, LOOP + wire.label_width());
            return (Way::Loop, vec![lane]);
        }
        if first < last {
            let passed = (first + 1..last).filter(|level| levels.exists(*level));
            let cells: Vec<usize> =
                passed.map(|level| self.pass(number, wire, level == first + 1, levels.of(level))).collect();
            let (from, to) = (self.of_item[wire.from], self.of_item[wire.to]);
            let whole: Vec<usize> = std::iter::once(from).chain(cells.iter().copied()).chain([to]).collect();
            whole.windows(2).for_each(|pair| self.tie(pair[0], pair[1]));
            return (Way::Down, cells);
        }
        let mut cells = vec![self.lane(CellKind::Lane, wire.from, side, BEND)];
        let passed = (last + 1..first).rev().filter(|level| levels.exists(*level));
        let between: Vec<usize> =
            passed.map(|level| self.pass(number, wire, level + 1 == first, levels.of(level))).collect();
        cells.extend(between);
        cells.push(self.lane(CellKind::Lane, wire.to, side, BEND));
        cells.windows(2).for_each(|pair| self.tie(pair[1], pair[0]));
        (Way::Up(side), cells)
    }

    /// A line in a row that it passes; the labels are in the first one after its source.
    fn pass(&mut self, number: usize, wire: &Wire, first: bool, row: usize) -> usize {
        if !first || wire.labels.is_empty() {
            return self.cell(CellKind::Bend, row, (BEND, 0.0));
        }
        let height = ABOUT_LINE * lossless(wire.labels.len()) + 4.0;
        self.cell(CellKind::Label(number), row, (wire.label_width() + 2.0 * LABEL_SIDE, height))
    }

    fn lane(&mut self, kind: CellKind, item: usize, side: Side, width: f64) -> usize {
        let host = self.of_item[item];
        let lane = self.cell(kind, self.cells[host].row, (width, 0.0));
        self.cells[lane].host = Some((host, side));
        lane
    }

    fn tie(&mut self, above: usize, below: usize) {
        self.cells[above].down.push(below);
        self.cells[below].up.push(above);
    }
}

/// The rows that there are: one for each rank of places (even levels), and between two of them (odd levels) where labels stand.
struct Levels {
    rows: Vec<Option<usize>>,
    count: usize,
}

impl Levels {
    fn new(wires: &[Wire], ranks: &Ranks) -> Self {
        let deepest = ranks.of.iter().copied().max().map_or(0, |rank| 2 * rank + 1);
        let mut used: Vec<bool> = (0..deepest).map(|level| level % 2 == 0).collect();
        for wire in wires.iter().filter(|wire| !wire.labels.is_empty() && wire.from != wire.to) {
            let (from, to) = (2 * ranks.of[wire.from], 2 * ranks.of[wire.to]);
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

    fn exists(&self, level: usize) -> bool {
        self.rows[level].is_some()
    }

    fn of(&self, level: usize) -> usize {
        self.rows[level].expect("it is that of a place, or `exists` said so")
    }
}

/// The side of each line that leads up: the right one, unless the lines that it would cross there are more than at the left. Short
/// lines choose first.
pub(super) fn sides(wires: &[Wire], ranks: &Ranks) -> Vec<Side> {
    let span = |wire: &Wire| (ranks.of[wire.to], ranks.of[wire.from]);
    let up = |number: &usize| span(&wires[*number]).0 < span(&wires[*number]).1;
    let mut order: Vec<usize> = (0..wires.len()).filter(up).collect();
    order.sort_by_key(|number| (span(&wires[*number]).1 - span(&wires[*number]).0, *number));
    let mut sides = vec![Side::Right; wires.len()];
    let mut placed: Vec<usize> = Vec::new();
    for number in order {
        let (top, bottom) = span(&wires[number]);
        let crossed = |side: Side| {
            let crosses = |other: &&usize| {
                let (above, below) = span(&wires[**other]);
                sides[**other] == side
                    && ((above < top && top < below && below < bottom)
                        || (top < above && above < bottom && bottom < below))
            };
            placed.iter().filter(crosses).count()
        };
        if crossed(Side::Left) < crossed(Side::Right) {
            sides[number] = Side::Left;
        }
        placed.push(number);
    }
    sides
}
