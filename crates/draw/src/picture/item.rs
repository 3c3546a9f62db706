//! The places of a picture with their sizes and words. Knows nothing of where they stand.

use super::super::chart::{Chart, Place, PlaceKind, Runs};
use super::super::text::{cut, one_line, visited, wrapped};
use super::layout::Layout;
use super::metrics::{Face, text_width};
use super::{Point, point};

/// The size of names, in pixels.
pub(super) const NAME: f64 = 14.0;
/// The size of what is said below them.
pub(super) const ABOUT: f64 = 11.5;
/// The height of a line of a name.
pub(super) const NAME_LINE: f64 = 19.0;
/// The height of a line of what is said.
pub(super) const ABOUT_LINE: f64 = 15.0;
/// Room inside a box beside its words.
const SIDE: f64 = 16.0;
/// Room above and below its words.
pub(super) const TOP: f64 = 10.0;
/// How far the second box of a node that runs per item stands out behind the first.
pub(super) const STACK: f64 = 4.0;
/// Room round what is inside an opened sub-graph.
pub(super) const INSIDE: f64 = 18.0;
/// The longest name and the longest line, in columns; of longer ones it is said how many characters are left out (ENG-21).
const NAME_COLUMNS: usize = 40;
const ABOUT_COLUMNS: usize = 36;
/// The most lines of what a node is for.
const ABOUT_LINES: usize = 3;
/// The narrowest box.
const NARROWEST: f64 = 92.0;

/// A place of a layout.
pub(super) struct Item<'a> {
    pub(super) what: What<'a>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Its centre.
    pub(super) at: Point,
}

/// What a place is drawn as.
pub(super) enum What<'a> {
    /// A place with its words.
    Place(&'a Place<'a>, Words),
    /// An opened sub-graph: its words, then what is inside.
    Opened(&'a Place<'a>, Words, Layout<'a>),
    /// Where a join meets, and whether the run came by.
    Bar { taken: u64 },
}

/// The words in a box.
#[derive(Default)]
pub(super) struct Words {
    pub(super) name: String,
    pub(super) about: Vec<String>,
    pub(super) visit: Option<String>,
}

impl Words {
    fn of(place: &Place<'_>) -> Self {
        Self {
            name: cut(&one_line(place.name), NAME_COLUMNS),
            about: wrapped(&one_line(place.about), ABOUT_COLUMNS, ABOUT_LINES),
            visit: place.visit.map(visited).filter(|said| !said.is_empty()),
        }
    }

    fn width(&self) -> f64 {
        let said = self.about.iter().chain(&self.visit).map(|line| text_width(line, Face::Regular, ABOUT));
        said.fold(text_width(&self.name, Face::SemiBold, NAME), f64::max)
    }

    pub(super) fn height(&self) -> f64 {
        NAME_LINE + ABOUT_LINE * lossless(self.about.len() + usize::from(self.visit.is_some()))
    }
}

/// The places of a chart, then the bars of its joins.
pub(super) fn items<'a>(chart: &'a Chart<'a>, depth: usize) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = chart.places.iter().map(|place| item(place, depth)).collect();
    items.extend(chart.meetings().iter().map(|join| Item::new(What::Bar { taken: join.taken }, 64.0, 5.0)));
    items
}

fn item<'a>(place: &'a Place<'a>, depth: usize) -> Item<'a> {
    let words = Words::of(place);
    let room = (words.width() + 2.0 * SIDE, words.height() + 2.0 * TOP);
    if let Some(inner) = &place.inner {
        let layout = Layout::within(inner, depth + 1);
        let width = room.0.max(layout.width + 2.0 * INSIDE);
        let height = room.1 + layout.height + INSIDE;
        return Item::new(What::Opened(place, words, layout), width, height);
    }
    match place.kind {
        PlaceKind::Node => {
            let more = if place.runs == Runs::PerItem { STACK } else { 0.0 };
            Item::new(What::Place(place, words), room.0.max(NARROWEST) + more, room.1 + more)
        }
        PlaceKind::Start | PlaceKind::End if depth > 0 => Item::new(What::Place(place, words), 14.0, 14.0),
        PlaceKind::Start | PlaceKind::End => Item::new(What::Place(place, words), 72.0, 28.0),
    }
}

impl<'a> Item<'a> {
    fn new(what: What<'a>, width: f64, height: f64) -> Self {
        Self { what, width, height, at: point(0.0, 0.0) }
    }

    pub(super) fn left(&self) -> f64 {
        self.at.x - self.width / 2.0
    }

    pub(super) fn right(&self) -> f64 {
        self.at.x + self.width / 2.0
    }

    pub(super) fn top(&self) -> f64 {
        self.at.y - self.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.at.y + self.height / 2.0
    }
}

/// A count as a length; no count of ours comes near the limit.
pub(super) fn lossless(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
