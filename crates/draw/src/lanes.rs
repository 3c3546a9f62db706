//! Lanes of a text drawing: vertical lines at its right, one per target. Assigns the lanes to columns and
//! paints lines and lanes. A lane without room is not drawn; its lines name its target instead. Knows no
//! graph.

#![expect(clippy::similar_names, reason = "`line` and `lane` are the terms of these drawings")]

use std::cmp::Reverse;

use unicode_width::UnicodeWidthStr;

use super::ascii::{LineEnd, Stroke, TextLine};

/// Width of a track, in columns. A track is a column of the drawing that lanes may share.
const TRACK_WIDTH: usize = 3;

/// A vertical line beside the nodes of a text drawing, which collects all edges to one target.
pub(super) struct Lane {
    /// Its number, as in [`TextLine::lane`].
    pub(super) number: usize,
    /// Its target as text.
    pub(super) name: String,
    /// Numbers of the lines that lead to it or come from it, ascending.
    pub(super) touches: Vec<usize>,
}

impl Lane {
    /// Returns the number of the uppermost text line that is connected to the lane.
    fn first(&self) -> usize {
        self.touches.first().copied().unwrap_or(0)
    }

    /// Returns the number of the lowest text line that is connected to the lane.
    fn last(&self) -> usize {
        self.touches.last().copied().unwrap_or(0)
    }
}

/// Joins the text lines and the lanes into the finished drawing, at most `columns` wide where the text
/// permits. If not all lanes fit, the lines of the outer ones name their target instead.
pub(super) fn paint(lines: &[TextLine], mut lanes: Vec<Lane>, columns: usize) -> String {
    lanes.sort_by_key(|lane| lane.number);
    let tracks = assign_tracks(&lanes);
    let room = |text: usize| columns.saturating_sub(text + 1) / TRACK_WIDTH;
    let mut canvas =
        LaneCanvas { lines, lanes: &lanes, tracks: &tracks, text: 0, track_of: vec![0; lanes.len()] };
    for (track, members) in tracks.iter().enumerate() {
        for lane in members {
            canvas.track_of[*lane] = track;
        }
    }
    canvas.text = lines.iter().map(|line| line.text.width()).max().unwrap_or(0);
    if tracks.len() <= room(canvas.text) {
        return canvas.draw();
    }
    canvas.text = lines.iter().map(|line| canvas.spell_target(line).width()).max().unwrap_or(0);
    canvas.tracks = &tracks[..room(canvas.text).min(tracks.len())];
    canvas.draw()
}

/// Distributes the lanes (vertical lines for edges) over tracks (columns beside the text) so that the lanes
/// of one track do not overlap. Returns the numbers of the lanes of each track, from top to bottom. The
/// first track is next to the text and gets the shortest lanes.
fn assign_tracks(lanes: &[Lane]) -> Vec<Vec<usize>> {
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

/// Input for painting a text drawing: its text lines, and its lanes with the track (column) of each.
struct LaneCanvas<'a> {
    lines: &'a [TextLine],
    lanes: &'a [Lane],
    /// The tracks that have room.
    tracks: &'a [Vec<usize>],
    /// The track of each lane.
    track_of: Vec<usize>,
    /// Width of the text at the left, in columns.
    text: usize,
}

impl LaneCanvas<'_> {
    /// Returns the lines of the finished text drawing.
    fn draw(&self) -> String {
        let mut out = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            out += self.row(at, line).trim_end();
            out.push('\n');
        }
        out
    }

    /// Returns the finished line number `at`: its text, its connection to its lane, and all lanes that pass
    /// it.
    fn row(&self, at: usize, line: &TextLine) -> String {
        let own = line.lane.filter(|lane| self.track_of[*lane] < self.tracks.len());
        let mut row = if own.is_some() { line.text.clone() } else { self.spell_target(line) };
        let stroke = match (own, line.end, line.stroke) {
            (None, ..) => ' ',
            (Some(_), LineEnd::Leaves, Stroke::Dashed) => '.',
            (Some(_), ..) => '-',
        };
        row.extend(std::iter::repeat_n(stroke, self.text + 1 - row.width()));
        let reach = own.map_or(0, |lane| self.track_of[lane]);
        for (track, members) in self.tracks.iter().enumerate() {
            let until = if track <= reach { stroke } else { ' ' };
            row.extend(std::iter::repeat_n(until, TRACK_WIDTH - 1));
            row.push(match self.lane_at(members, at) {
                Some(lane) if own == Some(lane.number) => corner_char(lane, at),
                Some(lane) => self.bar_char(lane),
                None if track < reach => stroke,
                None => ' ',
            });
        }
        row
    }

    /// Returns the lane of a track that passes the line number `at`; `None` if there is none.
    fn lane_at(&self, track: &[usize], at: usize) -> Option<&Lane> {
        let next = track.partition_point(|lane| self.lanes[*lane].first() <= at);
        let lane = &self.lanes[*track.get(next.checked_sub(1)?)?];
        (at <= lane.last()).then_some(lane)
    }

    /// Returns the text of a line whose lane is not drawn: an outgoing edge with the name of its target
    /// (`--> [write]`), an incoming one with `...`. A line without a lane is returned unchanged.
    fn spell_target(&self, line: &TextLine) -> String {
        let Some(lane) = line.lane else { return line.text.clone() };
        let target = &self.lanes[lane].name;
        match (line.end, line.stroke) {
            (LineEnd::Leaves, Stroke::Solid) => format!("{}--> {target}", line.text),
            (LineEnd::Leaves, Stroke::Dashed) => format!("{}..> {target}", line.text),
            (LineEnd::Arrives, _) => format!("{} ...", line.text),
        }
    }

    /// Returns the character for the vertical line of a lane: `:` if only dashed edges use it, otherwise
    /// `|`.
    fn bar_char(&self, lane: &Lane) -> char {
        let touching = lane.touches.iter().map(|at| &self.lines[*at]);
        let mut leaving = touching.filter(|line| line.end == LineEnd::Leaves);
        if leaving.all(|line| line.stroke == Stroke::Dashed) { ':' } else { '|' }
    }
}

/// Returns the character where line number `at` meets its lane: `.` at the upper end, `'` at the lower end,
/// `+` between.
fn corner_char(lane: &Lane, at: usize) -> char {
    match (at == lane.first(), at == lane.last()) {
        (true, false) => '.',
        (false, true) => '\'',
        _ => '+',
    }
}
