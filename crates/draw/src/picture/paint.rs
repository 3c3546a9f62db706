//! A layout as shapes. Lines lie under boxes, labels over lines.

use super::super::chart::{Chart, Place, PlaceKind, Runs};
use super::super::text::{caption, one_line};
use super::ink::{Ink, Role, Tone};
use super::item::{ABOUT, ABOUT_LINE, INSIDE, Item, NAME, NAME_LINE, STACK, TOP, What, Words, lossless};
use super::layout::Layout;
use super::metrics::{Face, text_width};
use super::route::{Route, Spot};
use super::wire::Wire;
use super::{Anchor, Curve, Picture, Point, Shape, point};
use stategraph_core::Standing;

/// Room round the drawing.
const MARGIN: f64 = 24.0;
/// The room of the line about the run.
const CAPTION: f64 = 28.0;

pub(super) fn picture(chart: &Chart<'_>, layout: &Layout<'_>) -> Picture {
    let said = chart.run.map(caption);
    let below = if said.is_some() { CAPTION } else { 0.0 };
    let said_width = said.as_ref().map_or(0.0, |said| text_width(said, Face::Regular, ABOUT));
    let inside = layout.width.max(said_width);
    let (width, height) = ((inside + 2.0 * MARGIN).ceil(), (layout.height + below + 2.0 * MARGIN).ceil());
    let ground =
        Shape::Rect { at: point(0.0, 0.0), width, height, radius: 8.0, ink: Ink::plain(Role::Ground) };
    let mut canvas = Canvas { shapes: vec![ground], run: false };
    canvas.layout(layout, point(MARGIN + (inside - layout.width) / 2.0, MARGIN));
    if let Some(said) = said {
        let at = point(MARGIN, height - MARGIN + 4.0);
        canvas.text(at, Anchor::Start, (Face::Regular, ABOUT), &said, Ink::plain(Role::Caption));
    }
    Picture {
        width,
        height,
        title: one_line(&chart.graph.name),
        about: one_line(&chart.graph.about),
        shapes: canvas.shapes,
    }
}

struct Canvas {
    shapes: Vec<Shape>,
    /// Whether it is shown what a run did in the graph that is painted now.
    run: bool,
}

impl Canvas {
    fn layout(&mut self, layout: &Layout<'_>, origin: Point) {
        let round = std::mem::replace(&mut self.run, layout.run);
        let mut lines: Vec<(&Wire, &Route)> = layout.wires.iter().zip(&layout.routes).collect();
        // The way of the run lies on top.
        lines.sort_by_key(|(wire, _)| wire.taken > 0);
        for (wire, route) in &lines {
            self.line(wire, route, origin);
        }
        for item in &layout.items {
            self.item(item, origin);
        }
        let chip = if layout.depth == 0 { Role::Chip } else { Role::InnerChip };
        for (wire, route) in &lines {
            self.labels(wire, route, origin, chip);
        }
        self.run = round;
    }

    fn tone(&self, taken: u64) -> Tone {
        match (self.run, taken) {
            (false, _) => Tone::Plain,
            (true, 0) => Tone::Faded,
            (true, _) => Tone::Run(Standing::Done),
        }
    }

    fn line(&mut self, wire: &Wire, route: &Route, origin: Point) {
        let tone = self.tone(wire.taken);
        let curves = route.curves.iter().map(|curve| moved(*curve, origin)).collect();
        let mut shapes = vec![Shape::Path { curves, ink: Ink { role: Role::Edge(wire.line), tone } }];
        if let Some([tip, left, right]) = route.head {
            let curves = [Curve::Move(tip), Curve::Line(left), Curve::Line(right), Curve::Close];
            let curves = curves.into_iter().map(|curve| moved(curve, origin)).collect();
            shapes.push(Shape::Path { curves, ink: Ink { role: Role::Head(wire.line), tone } });
        }
        let taken = if wire.taken > 0 { format!(" ({} taken)", wire.taken) } else { String::new() };
        self.shapes.push(Shape::Group { title: format!("{}{taken}", wire.title), shapes });
    }

    fn labels(&mut self, wire: &Wire, route: &Route, origin: Point, chip: Role) {
        let Some(spot) = route.label else { return };
        let (at, anchor) = match spot {
            Spot::Middle(at) => (plus(at, origin), Anchor::Middle),
            Spot::Start(at) => (plus(at, origin), Anchor::Start),
        };
        let height = ABOUT_LINE * lossless(wire.labels.len());
        if anchor == Anchor::Middle {
            let width = wire.label_width() + 8.0;
            let at = point(at.x - width / 2.0, at.y - height / 2.0);
            self.shapes.push(Shape::Rect { at, width, height, radius: 4.0, ink: Ink::plain(chip) });
        }
        let ink = Ink { role: Role::Label(wire.line), tone: self.tone(wire.taken) };
        for (number, label) in wire.labels.iter().enumerate() {
            let base = at.y - height / 2.0 + ABOUT_LINE * (lossless(number) + 0.5) + ABOUT * 0.35;
            self.text(point(at.x, base), anchor, (Face::Regular, ABOUT), label, ink);
        }
    }

    fn item(&mut self, item: &Item<'_>, origin: Point) {
        let corner = plus(point(item.left(), item.top()), origin);
        match &item.what {
            What::Bar { taken } => {
                let ink = Ink { role: Role::Bar, tone: self.tone(*taken) };
                let bar = rect(corner, item.width, item.height, 2.5, ink);
                self.shapes
                    .push(Shape::Group { title: "all of these have come".to_owned(), shapes: vec![bar] });
            }
            What::Place(place, words) => match place.kind {
                PlaceKind::Node => self.node(place, words, item, corner),
                kind => self.end(kind, item, plus(item.at, origin), words),
            },
            What::Opened(place, words, inner) => {
                let ink = Ink { role: Role::Cluster, tone: self.place_tone(place) };
                self.shapes.push(Shape::Group {
                    title: title(place),
                    shapes: vec![rect(corner, item.width, item.height, 12.0, ink)],
                });
                self.words(words, place, point(corner.x + item.width / 2.0, corner.y + TOP));
                let below = words.height() + 2.0 * TOP;
                let left = corner.x + (item.width - inner.width) / 2.0;
                let spare = item.height - below - inner.height - INSIDE;
                self.layout(inner, point(left, corner.y + below + spare / 2.0));
            }
        }
    }

    fn node(&mut self, place: &Place<'_>, words: &Words, item: &Item<'_>, corner: Point) {
        let ink = Ink { role: Role::Box, tone: self.place_tone(place) };
        let mut shapes = Vec::new();
        let more = if place.runs == Runs::PerItem { STACK } else { 0.0 };
        let (width, height) = (item.width - more, item.height - more);
        if place.runs == Runs::PerItem {
            shapes.push(rect(plus(corner, point(more, more)), width, height, 9.0, ink));
        }
        shapes.push(rect(corner, width, height, 9.0, ink));
        let first = self.shapes.len();
        let top = corner.y + (height - words.height()) / 2.0;
        self.words(words, place, point(corner.x + width / 2.0, top));
        shapes.extend(self.shapes.split_off(first));
        self.shapes.push(Shape::Group { title: title(place), shapes });
    }

    /// The words of a node, centred below a point.
    fn words(&mut self, words: &Words, place: &Place<'_>, top: Point) {
        let tone = if self.place_tone(place) == Tone::Faded { Tone::Faded } else { Tone::Plain };
        let mut y = top.y + NAME_LINE / 2.0 + NAME * 0.35;
        let name = Ink { role: Role::Name, tone };
        self.text(point(top.x, y), Anchor::Middle, (Face::SemiBold, NAME), &words.name, name);
        y = top.y + NAME_LINE + ABOUT_LINE / 2.0 + ABOUT * 0.35;
        for line in &words.about {
            let ink = Ink { role: Role::About, tone };
            self.text(point(top.x, y), Anchor::Middle, (Face::Regular, ABOUT), line, ink);
            y += ABOUT_LINE;
        }
        if let Some(said) = &words.visit {
            let ink = Ink { role: Role::Visit, tone: self.place_tone(place) };
            self.text(point(top.x, y), Anchor::Middle, (Face::Regular, ABOUT), said, ink);
        }
    }

    /// `START` and `END`: pills outside, a disc and a ring inside sub-graphs.
    fn end(&mut self, kind: PlaceKind, item: &Item<'_>, at: Point, words: &Words) {
        let corner = |by: f64| point(at.x - item.width / 2.0 + by, at.y - item.height / 2.0 + by);
        let whole = |role| rect(corner(0.0), item.width, item.height, item.height / 2.0, Ink::plain(role));
        let inner = item.width < 20.0;
        let mut shapes = vec![whole(if inner && kind == PlaceKind::End { Role::Ring } else { Role::Pill })];
        if inner && kind == PlaceKind::End {
            let size = item.width - 7.0;
            shapes.push(rect(corner(3.5), size, size, size / 2.0, Ink::plain(Role::Pill)));
        }
        let first = self.shapes.len();
        if !inner {
            let base = point(at.x, at.y + ABOUT * 0.36);
            self.text(base, Anchor::Middle, (Face::SemiBold, ABOUT), &words.name, Ink::plain(Role::PillText));
        }
        shapes.extend(self.shapes.split_off(first));
        self.shapes.push(Shape::Group { title: words.name.clone(), shapes });
    }

    fn place_tone(&self, place: &Place<'_>) -> Tone {
        match (self.run, place.standing()) {
            (false, _) => Tone::Plain,
            (true, None) => Tone::Faded,
            (true, Some(standing)) => Tone::Run(standing),
        }
    }

    fn text(&mut self, at: Point, anchor: Anchor, (face, size): (Face, f64), text: &str, ink: Ink) {
        let width = text_width(text, face, size);
        self.shapes.push(Shape::Text { at, anchor, width, face, size, text: text.to_owned(), ink });
    }
}

/// What a reader sees when pointing at a place: all that is said of it.
fn title(place: &Place<'_>) -> String {
    let mut title = one_line(place.name);
    if !place.about.is_empty() {
        title = format!("{title}: {}", one_line(place.about));
    }
    if let Some(error) = place.visit.and_then(|visit| visit.error.as_ref()) {
        title = format!("{title}\n{error}");
    }
    title
}

fn rect(at: Point, width: f64, height: f64, radius: f64, ink: Ink) -> Shape {
    Shape::Rect { at, width, height, radius, ink }
}

fn plus(a: Point, b: Point) -> Point {
    point(a.x + b.x, a.y + b.y)
}

fn moved(curve: Curve, by: Point) -> Curve {
    match curve {
        Curve::Move(to) => Curve::Move(plus(to, by)),
        Curve::Line(to) => Curve::Line(plus(to, by)),
        Curve::Cubic(first, second, to) => Curve::Cubic(plus(first, by), plus(second, by), plus(to, by)),
        Curve::Close => Curve::Close,
    }
}
