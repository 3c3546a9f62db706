//! How lines go: down from the lower edge of a place to the upper edge of another; up in lanes from the side of one to the same
//! side of the other. Within a row a line is vertical, so it meets no box; between rows it bends.

use std::collections::BTreeMap;

use super::grid::{CellKind, Grid, LOOP, Side, Way};
use super::item::{Item, lossless};
use super::layout::Band;
use super::wire::{Tip, Wire};
use super::{Curve, Point, point};

/// The length of the head of an arrow.
pub(super) const HEAD: f64 = 9.0;
/// Half its width.
const HEAD_HALF: f64 = 4.5;
/// What part of its edge, to each side of the middle, a place offers to lines.
const OFFERED: f64 = 0.36;
/// The least distance between two lines at one edge, where there is room.
const PORTS_APART: f64 = 16.0;
/// The radius of corners.
const CORNER: f64 = 8.0;

/// How a line goes.
pub(super) struct Route {
    pub(super) curves: Vec<Curve>,
    /// The triangle at its end.
    pub(super) head: Option<[Point; 3]>,
    /// The middle of its labels, or where they begin.
    pub(super) label: Option<Spot>,
}

/// Where labels stand.
#[derive(Clone, Copy)]
pub(super) enum Spot {
    /// On the line, round this point.
    Middle(Point),
    /// Beside the line, from this point on.
    Start(Point),
}

pub(super) fn routes(
    items: &[Item<'_>],
    wires: &[Wire],
    grid: &Grid,
    x: &[f64],
    bands: &[Band],
) -> Vec<Route> {
    let router = Router { items, wires, grid, x, bands };
    let (ports, sides) = (router.ports(), router.sides());
    (0..wires.len())
        .map(|wire| match grid.chains[wire].0 {
            Way::Down => router.down(wire, ports[&(wire, End::From)], ports[&(wire, End::To)]),
            Way::Up(side) => router.up(wire, side, sides[&(wire, End::From)], sides[&(wire, End::To)]),
            Way::Loop => router.back(wire, sides[&(wire, End::From)], sides[&(wire, End::To)]),
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    From,
    To,
}

struct Router<'a> {
    items: &'a [Item<'a>],
    wires: &'a [Wire],
    grid: &'a Grid,
    x: &'a [f64],
    bands: &'a [Band],
}

/// Where the ends of lines are: from the left for those that go down, from the top for the others.
type Ports = BTreeMap<(usize, End), f64>;

/// An end of a line at a side: its group from top to bottom, how far to sort it down there, the line, and which end.
type SideEnd = (u8, f64, usize, End);

impl Router<'_> {
    fn end(&self, wire: usize, end: End) -> usize {
        if end == End::From { self.wires[wire].from } else { self.wires[wire].to }
    }

    /// The ends of the lines that go down, along the lower and the upper edges.
    fn ports(&self) -> Ports {
        let mut at: BTreeMap<(usize, End), Vec<usize>> = BTreeMap::new();
        for (wire, (way, _)) in self.grid.chains.iter().enumerate() {
            if *way == Way::Down {
                for end in [End::From, End::To] {
                    at.entry((self.end(wire, end), end)).or_default().push(wire);
                }
            }
        }
        let alone = |item: usize, end: End| at[&(item, end)].len() == 1;
        let mut ports = BTreeMap::new();
        for ((item, end), wires) in &at {
            let centre = self.items[*item].at.x;
            let mut wanted: Vec<(usize, f64)> = wires
                .iter()
                .map(|wire| {
                    let chain = &self.grid.chains[*wire].1;
                    let next = if *end == End::From { chain.first() } else { chain.last() };
                    let other = if *end == End::From { End::To } else { End::From };
                    let far = self.end(*wire, other);
                    let wanted = match next {
                        Some(cell) => self.x[*cell],
                        None if alone(far, other) => self.items[far].at.x,
                        None => centre.midpoint(self.items[far].at.x),
                    };
                    (*wire, wanted)
                })
                .collect();
            wanted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let spread = along(&wanted, centre, self.items[*item].width * OFFERED);
            ports.extend(wanted.iter().zip(spread).map(|((wire, _), x)| ((*wire, *end), x)));
        }
        ports
    }

    /// The ends of the other lines, along the sides. From top to bottom: those that leave, the inner first; those that come back to
    /// where they began; those that arrive, the outer first. So none crosses another there.
    fn sides(&self) -> Ports {
        let mut at: BTreeMap<(usize, Side), Vec<SideEnd>> = BTreeMap::new();
        for (wire, (way, chain)) in self.grid.chains.iter().enumerate() {
            let Wire { from, to, .. } = self.wires[wire];
            let lane = |cell: Option<&usize>| cell.map_or(0.0, |cell| self.x[*cell]);
            match *way {
                Way::Down => {}
                Way::Up(side) => {
                    let outwards = if side == Side::Right { 1.0 } else { -1.0 };
                    let (first, last) = (outwards * lane(chain.first()), outwards * lane(chain.last()));
                    at.entry((from, side)).or_default().push((0, first, wire, End::From));
                    at.entry((to, side)).or_default().push((2, -last, wire, End::To));
                }
                Way::Loop => {
                    let here = at.entry((from, Side::Right)).or_default();
                    here.push((1, lane(chain.first()), wire, End::From));
                    here.push((1, lane(chain.first()), wire, End::To));
                }
            }
        }
        let mut sides = BTreeMap::new();
        for ((item, _), mut ends) in at {
            ends.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
            let item = &self.items[item];
            let step = item.height / lossless(ends.len() + 1);
            for (number, (_, _, wire, end)) in ends.iter().enumerate() {
                sides.insert((*wire, *end), item.top() + step * lossless(number + 1));
            }
        }
        sides
    }

    fn down(&self, wire: usize, from_x: f64, to_x: f64) -> Route {
        let Wire { from, to, tip, .. } = self.wires[wire];
        let (from, to) = (&self.items[from], &self.items[to]);
        let head = if tip == Tip::Arrow { HEAD } else { 0.0 };
        let mut pen = Pen::at(point(from_x, from.bottom()));
        pen.line(point(from_x, self.band(self.grid.of_item[self.wires[wire].from]).bottom));
        for cell in &self.grid.chains[wire].1 {
            let band = self.band(*cell);
            pen.bend(point(self.x[*cell], band.top));
            pen.line(point(self.x[*cell], band.bottom));
        }
        let band = self.band(self.grid.of_item[self.wires[wire].to]);
        pen.bend(point(to_x, band.top - head));
        pen.line(point(to_x, to.top() - head));
        let tip = point(to_x, to.top());
        let corner = |by: f64| point(tip.x + by, tip.y - HEAD);
        let head = (head > 0.0).then(|| [tip, corner(-HEAD_HALF), corner(HEAD_HALF)]);
        Route { curves: pen.curves, head, label: self.label(wire) }
    }

    fn up(&self, wire: usize, side: Side, from_y: f64, to_y: f64) -> Route {
        let (from, to) = (&self.items[self.wires[wire].from], &self.items[self.wires[wire].to]);
        let edge = |item: &Item<'_>| if side == Side::Right { item.right() } else { item.left() };
        let chain = &self.grid.chains[wire].1;
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let mut pen = Pen::at(point(edge(from), from_y));
        pen.corner(point(self.x[first], from_y), point(self.x[first], self.band(first).top));
        for cell in &chain[1..] {
            pen.bend(point(self.x[*cell], self.band(*cell).bottom));
            if *cell != last {
                pen.line(point(self.x[*cell], self.band(*cell).top));
            }
        }
        let head = sideways(edge(to), to_y, side);
        pen.corner(point(self.x[last], to_y), point(head[1].x, to_y));
        Route { curves: pen.curves, head: Some(head), label: self.label(wire) }
    }

    fn back(&self, wire: usize, from_y: f64, to_y: f64) -> Route {
        let item = &self.items[self.wires[wire].from];
        let cell = self.grid.chains[wire].1[0];
        let x = self.x[cell] - self.grid.cells[cell].width / 2.0 + LOOP / 4.0;
        let mut pen = Pen::at(point(item.right(), from_y));
        pen.corner(point(x, from_y), point(x, from_y.midpoint(to_y)));
        pen.corner(point(x, to_y), point(item.right() + HEAD, to_y));
        let beside = point(x + LOOP / 2.0, from_y.midpoint(to_y));
        let label = (!self.wires[wire].labels.is_empty()).then_some(Spot::Start(beside));
        Route { curves: pen.curves, head: Some(sideways(item.right(), to_y, Side::Right)), label }
    }

    /// The middle of the cell that holds the labels.
    fn label(&self, wire: usize) -> Option<Spot> {
        let holds = |cell: &&usize| self.grid.cells[**cell].kind == CellKind::Label(wire);
        let cell = *self.grid.chains[wire].1.iter().find(holds)?;
        let band = self.band(cell);
        Some(Spot::Middle(point(self.x[cell], band.top.midpoint(band.bottom))))
    }

    fn band(&self, cell: usize) -> Band {
        self.bands[self.grid.cells[cell].row]
    }
}

/// As near as may be to where they want to be, in that order, apart and no further than `reach` from the centre. A line alone is in the
/// middle.
fn along(wanted: &[(usize, f64)], centre: f64, reach: f64) -> Vec<f64> {
    if wanted.len() == 1 {
        return vec![centre];
    }
    let apart = PORTS_APART.min(2.0 * reach / lossless(wanted.len() - 1));
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

/// The head of a line that comes from this side.
fn sideways(x: f64, y: f64, side: Side) -> [Point; 3] {
    let back = if side == Side::Right { x + HEAD } else { x - HEAD };
    [point(x, y), point(back, y - HEAD_HALF), point(back, y + HEAD_HALF)]
}

/// Draws a line.
struct Pen {
    at: Point,
    curves: Vec<Curve>,
}

impl Pen {
    fn at(at: Point) -> Self {
        Self { at, curves: vec![Curve::Move(at)] }
    }

    fn line(&mut self, to: Point) {
        if same(self.at.x, to.x) && same(self.at.y, to.y) {
            return;
        }
        // What goes straight on is one line.
        if let [.., before, Curve::Line(end)] = self.curves.as_mut_slice() {
            let start = match before {
                Curve::Move(start) | Curve::Line(start) | Curve::Cubic(_, _, start) => *start,
                Curve::Close => self.at,
            };
            if same(start.x, to.x) && same(end.x, to.x) {
                *end = to;
                self.at = to;
                return;
            }
        }
        self.curves.push(Curve::Line(to));
        self.at = to;
    }

    /// To a place in another row; vertical at both ends.
    fn bend(&mut self, to: Point) {
        if same(self.at.x, to.x) {
            return self.line(to);
        }
        let middle = self.at.y.midpoint(to.y);
        self.curves.push(Curve::Cubic(point(self.at.x, middle), point(to.x, middle), to));
        self.at = to;
    }

    /// Straight to a corner, round it, straight on.
    fn corner(&mut self, corner: Point, to: Point) {
        let toward = |end: Point| {
            let (dx, dy) = (end.x - corner.x, end.y - corner.y);
            let length = dx.abs().max(dy.abs());
            let by = CORNER.min(length) / length.max(f64::MIN_POSITIVE);
            point(corner.x + dx * by, corner.y + dy * by)
        };
        let (before, after) = (toward(self.at), toward(to));
        self.line(before);
        let pull = |end: Point| point(end.x.midpoint(corner.x), end.y.midpoint(corner.y));
        self.curves.push(Curve::Cubic(pull(before), pull(after), after));
        self.at = after;
        self.line(to);
    }
}

/// Whether two lengths are drawn as one.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.05
}
