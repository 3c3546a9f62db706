//! Lanes: vertical lines at the right of a drawing, one per target. Finds them columns and paints the whole; a lane for which
//! there is no room is said in words. Knows no graph.

#![expect(clippy::similar_names, reason = "a line meets its lane: these are the words")]

use std::cmp::Reverse;

use unicode_width::UnicodeWidthStr;

use super::ascii::{Line, LineEnd, Stroke};

/// The columns from one lane to the next.
const PITCH: usize = 3;

/// A lane and the lines that it touches, in order.
pub(super) struct Lane {
    /// As in [`Line::lane`].
    pub(super) number: usize,
    /// The target as words.
    pub(super) target: String,
    pub(super) touches: Vec<usize>,
}

impl Lane {
    fn first(&self) -> usize {
        self.touches.first().copied().unwrap_or(0)
    }

    fn last(&self) -> usize {
        self.touches.last().copied().unwrap_or(0)
    }
}

/// The drawing, within so many columns.
pub(super) fn paint(lines: &[Line], mut lanes: Vec<Lane>, columns: usize) -> String {
    lanes.sort_by_key(|lane| lane.number);
    let tracks = tracks(&lanes);
    let room = |text: usize| columns.saturating_sub(text + 1) / PITCH;
    let mut canvas =
        Canvas { lines, lanes: &lanes, tracks: &tracks, text: 0, track_of: vec![0; lanes.len()] };
    for (track, on_it) in tracks.iter().enumerate() {
        for lane in on_it {
            canvas.track_of[*lane] = track;
        }
    }
    canvas.text = lines.iter().map(|line| line.text.width()).max().unwrap_or(0);
    if tracks.len() <= room(canvas.text) {
        return canvas.draw();
    }
    canvas.text = lines.iter().map(|line| canvas.in_words(line).width()).max().unwrap_or(0);
    canvas.tracks = &tracks[..room(canvas.text).min(tracks.len())];
    canvas.draw()
}

/// The lanes on each track, from top to bottom, none over another. The first track is next to the text; the shortest lanes
/// get it.
fn tracks(lanes: &[Lane]) -> Vec<Vec<usize>> {
    let mut order: Vec<&Lane> = lanes.iter().collect();
    order.sort_by_key(|lane| (lane.last() - lane.first(), Reverse(lane.first()), lane.number));
    let mut tracks: Vec<Vec<usize>> = Vec::new();
    for lane in order {
        let apart =
            |other: &usize| lanes[*other].last() < lane.first() || lane.last() < lanes[*other].first();
        match tracks.iter_mut().find(|track| track.iter().all(apart)) {
            Some(track) => track.push(lane.number),
            None => tracks.push(vec![lane.number]),
        }
    }
    for track in &mut tracks {
        track.sort_by_key(|lane| lanes[*lane].first());
    }
    tracks
}

struct Canvas<'a> {
    lines: &'a [Line],
    lanes: &'a [Lane],
    /// Those for which there is room.
    tracks: &'a [Vec<usize>],
    track_of: Vec<usize>,
    /// The width of the text at the left.
    text: usize,
}

impl Canvas<'_> {
    fn draw(&self) -> String {
        let mut out = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            out += self.row(at, line).trim_end();
            out.push('\n');
        }
        out
    }

    fn row(&self, at: usize, line: &Line) -> String {
        let own = line.lane.filter(|lane| self.track_of[*lane] < self.tracks.len());
        let mut row = if own.is_some() { line.text.clone() } else { self.in_words(line) };
        let stroke = match (own, line.end, line.stroke) {
            (None, ..) => ' ',
            (Some(_), LineEnd::Leaves, Stroke::Dashed) => '.',
            (Some(_), ..) => '-',
        };
        row.extend(std::iter::repeat_n(stroke, self.text + 1 - row.width()));
        let reach = own.map_or(0, |lane| self.track_of[lane]);
        for (track, on_it) in self.tracks.iter().enumerate() {
            let until = if track <= reach { stroke } else { ' ' };
            row.extend(std::iter::repeat_n(until, PITCH - 1));
            row.push(match self.here(on_it, at) {
                Some(lane) if own == Some(lane.number) => corner(lane, at),
                Some(lane) => self.bar(lane),
                None if track < reach => stroke,
                None => ' ',
            });
        }
        row
    }

    /// The lane of a track that passes a line.
    fn here(&self, track: &[usize], at: usize) -> Option<&Lane> {
        let next = track.partition_point(|lane| self.lanes[*lane].first() <= at);
        let lane = &self.lanes[*track.get(next.checked_sub(1)?)?];
        (at <= lane.last()).then_some(lane)
    }

    /// A line whose lane has no room.
    fn in_words(&self, line: &Line) -> String {
        let Some(lane) = line.lane else { return line.text.clone() };
        let target = &self.lanes[lane].target;
        match (line.end, line.stroke) {
            (LineEnd::Leaves, Stroke::Solid) => format!("{}--> {target}", line.text),
            (LineEnd::Leaves, Stroke::Dashed) => format!("{}..> {target}", line.text),
            (LineEnd::Arrives, _) => format!("{} ...", line.text),
        }
    }

    /// A lane that only dashed edges use is dashed.
    fn bar(&self, lane: &Lane) -> char {
        let touching = lane.touches.iter().map(|at| &self.lines[*at]);
        let mut leaving = touching.filter(|line| line.end == LineEnd::Leaves);
        if leaving.all(|line| line.stroke == Stroke::Dashed) { ':' } else { '|' }
    }
}

/// Where a line meets its lane.
fn corner(lane: &Lane, at: usize) -> char {
    match (at == lane.first(), at == lane.last()) {
        (true, false) => '.',
        (false, true) => '\'',
        _ => '+',
    }
}
