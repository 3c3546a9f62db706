//! Lanes: vertical lines at the right of a drawing, one per target. Finds them columns and paints the whole; a lane for which
//! there is no room is said in words. Knows no graph.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use unicode_width::UnicodeWidthStr;

use super::ascii::{Line, LineEnd, Stroke};

/// The columns from one lane to the next.
const PITCH: usize = 3;

/// A lane and the lines that it touches.
pub(super) struct Lane {
    /// As in [`Line::lane`].
    pub(super) number: usize,
    /// The target as words.
    pub(super) target: String,
    pub(super) lines: Vec<usize>,
}

impl Lane {
    fn span(&self) -> RangeInclusive<usize> {
        let first = self.lines.iter().min().copied().unwrap_or(0);
        first..=self.lines.iter().max().copied().unwrap_or(first)
    }
}

/// The drawing, within so many columns.
pub(super) fn paint(lines: &[Line], mut lanes: Vec<Lane>, columns: usize) -> String {
    lanes.sort_by_key(|lane| lane.number);
    let tracks = tracks(&lanes);
    let room = |text: usize| columns.saturating_sub(text + 1) / PITCH;
    let text = lines.iter().map(|line| line.text.width()).max().unwrap_or(0);
    let needed = tracks.iter().map(|track| track + 1).max().unwrap_or(0);
    if needed <= room(text) {
        return draw(lines, &lanes, &tracks, text, needed);
    }
    let text = lines.iter().map(|line| in_words(line, &lanes).width()).max().unwrap_or(0);
    draw(lines, &lanes, &tracks, text, room(text))
}

/// A track per lane, the first being next to the text: the shortest lanes first, none over another.
fn tracks(lanes: &[Lane]) -> Vec<usize> {
    let mut order: Vec<&Lane> = lanes.iter().collect();
    order.sort_by_key(|lane| {
        let span = lane.span();
        (span.end() - span.start(), Reverse(*span.start()), lane.number)
    });
    let mut taken: Vec<Vec<RangeInclusive<usize>>> = Vec::new();
    let mut tracks = vec![0; lanes.len()];
    for lane in order {
        let span = lane.span();
        let free = |others: &Vec<RangeInclusive<usize>>| {
            others.iter().all(|other| other.end() < span.start() || span.end() < other.start())
        };
        let track = taken.iter().position(free).unwrap_or(taken.len());
        if track == taken.len() {
            taken.push(Vec::new());
        }
        taken[track].push(span);
        tracks[lane.number] = track;
    }
    tracks
}

/// A line whose lane has no room.
fn in_words(line: &Line, lanes: &[Lane]) -> String {
    match (line.lane, line.end, line.stroke) {
        (Some(lane), LineEnd::Leaves, Stroke::Solid) => format!("{}--> {}", line.text, lanes[lane].target),
        (Some(lane), LineEnd::Leaves, Stroke::Dashed) => format!("{}..> {}", line.text, lanes[lane].target),
        (Some(_), LineEnd::Arrives, _) => format!("{} ...", line.text),
        (None, ..) => line.text.clone(),
    }
}

fn draw(lines: &[Line], lanes: &[Lane], tracks: &[usize], text: usize, room: usize) -> String {
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let own = line.lane.filter(|lane| tracks[*lane] < room);
        let left = if own.is_none() { in_words(line, lanes) } else { line.text.clone() };
        let stroke = if line.stroke == Stroke::Solid || line.end == LineEnd::Arrives { '-' } else { '.' };
        let reach = own.map_or(0, |lane| tracks[lane]);
        let fill = |column: usize| if own.is_some() && column <= reach { stroke } else { ' ' };
        let mut row = left.clone();
        row.extend(std::iter::repeat_n(if own.is_some() { stroke } else { ' ' }, text - left.width() + 1));
        for track in 0..room {
            row.extend(std::iter::repeat_n(fill(track), PITCH - 1));
            let here = lanes.iter().find(|lane| tracks[lane.number] == track && lane.span().contains(&at));
            row.push(match here {
                Some(lane) if own == Some(lane.number) => corner(lane, at),
                Some(lane) => bar(lane, lines),
                None if own.is_some() && track < reach => stroke,
                None => ' ',
            });
        }
        out += row.trim_end();
        out.push('\n');
    }
    out
}

/// Where a line meets its lane.
fn corner(lane: &Lane, at: usize) -> char {
    let span = lane.span();
    match (at == *span.start(), at == *span.end()) {
        (true, false) => '.',
        (false, true) => '\'',
        _ => '+',
    }
}

/// A lane that only dashed edges use is dashed.
fn bar(lane: &Lane, lines: &[Line]) -> char {
    let leaving = lane.lines.iter().map(|at| &lines[*at]).filter(|line| line.end == LineEnd::Leaves);
    if leaving.map(|line| line.stroke).all(|stroke| stroke == Stroke::Dashed) { ':' } else { '|' }
}
