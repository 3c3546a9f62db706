//! The outlines of letters: from the embedded fonts, else from those of the system. Only the shapes of single characters; nothing is
//! joined or turned round, as Arabic would need.

use std::collections::BTreeSet;

use fontdb::{Database, Style, Weight};
use tiny_skia::PathBuilder;
use ttf_parser::{Face as Font, OutlineBuilder};

use crate::picture::{Face, Shape};

const REGULAR: &[u8] = include_bytes!("fonts/Inter-Regular.ttf");
const SEMI_BOLD: &[u8] = include_bytes!("fonts/Inter-SemiBold.ttf");

/// The fonts for one picture.
pub(super) struct Fonts {
    regular: Font<'static>,
    semi_bold: Font<'static>,
    /// Files of the system with the number of the font in them, for what the embedded ones lack.
    others: Vec<(Vec<u8>, u32)>,
}

/// A character to be drawn: where its outline comes from.
struct Glyph<'a> {
    font: Font<'a>,
    id: ttf_parser::GlyphId,
}

impl Fonts {
    /// Those that have the characters of these shapes, as far as there are any.
    pub(super) fn for_shapes(shapes: &[Shape]) -> Self {
        let embedded =
            |bytes| Font::parse(bytes, 0).expect("the embedded fonts are whole; a test paints with them");
        let mut fonts =
            Self { regular: embedded(REGULAR), semi_bold: embedded(SEMI_BOLD), others: Vec::new() };
        let mut wanted = BTreeSet::new();
        shapes.iter().for_each(|shape| letters(shape, &mut wanted));
        wanted.retain(|c| fonts.regular.glyph_index(*c).is_none() && !c.is_whitespace());
        if !wanted.is_empty() {
            fonts.others = of_system(wanted);
        }
        fonts
    }

    /// Adds a line of text to a path: from `x` on, on the base line `y`, squeezed or stretched to `width`.
    pub(super) fn text(
        &self,
        path: &mut PathBuilder,
        text: &str,
        face: Face,
        size: f32,
        (x, y): (f32, f32),
        width: f32,
    ) {
        let natural: f32 = text.chars().map(|c| self.advance(c, face) * size).sum();
        let stretch = if natural > 0.0 { width / natural } else { 1.0 };
        let mut at = x;
        for c in text.chars() {
            let advance = self.advance(c, face) * size * stretch;
            match self.glyph(c, face) {
                Some(Glyph { font, id }) => {
                    let up = size / f32::from(font.units_per_em());
                    let mut pen = Pen { path: &mut *path, x: at, y, across: up * stretch, up };
                    // A character without an outline is a space.
                    let _ = font.outline_glyph(id, &mut pen);
                }
                None if c.is_whitespace() || advance <= 0.0 => {}
                None => empty_box(path, (at, y), advance, size),
            }
            at += advance;
        }
    }

    fn embedded(&self, face: Face) -> &Font<'static> {
        match face {
            Face::Regular => &self.regular,
            Face::SemiBold => &self.semi_bold,
        }
    }

    fn glyph(&self, c: char, face: Face) -> Option<Glyph<'_>> {
        let own = self.embedded(face);
        if let Some(id) = own.glyph_index(c) {
            return Some(Glyph { font: own.clone(), id });
        }
        self.others.iter().find_map(|(bytes, number)| {
            let font = Font::parse(bytes, *number).ok()?;
            let id = font.glyph_index(c)?;
            Some(Glyph { font, id })
        })
    }

    /// The width of a character, in sizes.
    fn advance(&self, c: char, face: Face) -> f32 {
        let own = self.glyph(c, face).and_then(|Glyph { font, id }| {
            Some(f32::from(font.glyph_hor_advance(id)?) / f32::from(font.units_per_em()))
        });
        #[expect(clippy::cast_possible_truncation, reason = "a width of a character is about 1")]
        own.unwrap_or_else(|| crate::picture::character_width(c, face) as f32)
    }
}

fn letters(shape: &Shape, found: &mut BTreeSet<char>) {
    match shape {
        Shape::Group { shapes, .. } => shapes.iter().for_each(|shape| letters(shape, found)),
        Shape::Text { text, .. } => found.extend(text.chars()),
        Shape::Rect { .. } | Shape::Path { .. } => {}
    }
}

/// Fonts of the system that have some of these characters, the plainest first. Each file is read once, until nothing is wanted.
fn of_system(mut wanted: BTreeSet<char>) -> Vec<(Vec<u8>, u32)> {
    let mut database = Database::new();
    database.load_system_fonts();
    let mut faces: Vec<_> = database.faces().collect();
    let slant = |style: Style| u8::from(style != Style::Normal);
    faces.sort_by_key(|face| {
        (slant(face.style), face.weight.0.abs_diff(Weight::NORMAL.0), face.post_script_name.clone())
    });
    let mut found = Vec::new();
    for face in faces {
        if wanted.is_empty() {
            break;
        }
        let helps = database.with_face_data(face.id, |bytes, number| {
            let font = Font::parse(bytes, number).ok()?;
            let before = wanted.len();
            wanted.retain(|c| font.glyph_index(*c).is_none());
            (wanted.len() < before).then(|| (bytes.to_vec(), number))
        });
        found.extend(helps.flatten());
    }
    found
}

/// What stands for a character that no font has.
fn empty_box(path: &mut PathBuilder, (x, y): (f32, f32), advance: f32, size: f32) {
    let (inset, height, thin) = (advance * 0.12, size * 0.7, size * 0.06);
    let mut ring = |by: f32| {
        let (left, right) = (x + inset + by, x + advance - inset - by);
        let (top, bottom) = (y - height + by, y - by);
        // The inner ring runs the other way round, so that it is a hole.
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        let turned: Vec<_> = if by > 0.0 { corners.into_iter().rev().collect() } else { corners.to_vec() };
        path.move_to(turned[0].0, turned[0].1);
        turned[1..].iter().for_each(|(x, y)| path.line_to(*x, *y));
        path.close();
    };
    ring(0.0);
    ring(thin);
}

/// Takes an outline, in units of its font with y upwards, into the picture.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    y: f32,
    across: f32,
    up: f32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.across, self.y - y * self.up)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
