//! Outlines of characters from the embedded fonts or, for characters they lack, from those of the system.
//! Characters are drawn one by one from left to right, without the ligatures and the direction that Arabic
//! needs.

use std::collections::BTreeSet;

use fontdb::{Database, Style, Weight};
use tiny_skia::PathBuilder;
use ttf_parser::{Face as Font, OutlineBuilder};

use crate::picture::{FontWeight, PictureShape};

const REGULAR: &[u8] = include_bytes!("fonts/Inter-Regular.ttf");
const SEMI_BOLD: &[u8] = include_bytes!("fonts/Inter-SemiBold.ttf");

/// The fonts that one picture needs: the two embedded ones and, if necessary, fonts of the system.
pub(super) struct Fonts {
    regular: Font<'static>,
    semi_bold: Font<'static>,
    /// Font files of the system with the index of the font in each, for characters that the embedded fonts lack.
    others: Vec<(Vec<u8>, u32)>,
}

/// A glyph of a font.
struct Glyph<'a> {
    font: Font<'a>,
    id: ttf_parser::GlyphId,
}

impl Fonts {
    /// Loads the embedded fonts, and system fonts for those characters of the shapes that the embedded ones
    /// lack.
    pub(super) fn for_shapes(shapes: &[PictureShape]) -> Self {
        let embedded =
            |bytes| Font::parse(bytes, 0).expect("the embedded fonts are valid; a test paints with them");
        let mut fonts =
            Self { regular: embedded(REGULAR), semi_bold: embedded(SEMI_BOLD), others: Vec::new() };
        let mut wanted = BTreeSet::new();
        shapes.iter().for_each(|shape| collect_characters(shape, &mut wanted));
        wanted.retain(|c| fonts.regular.glyph_index(*c).is_none() && !c.is_whitespace());
        if !wanted.is_empty() {
            fonts.others = load_system_fonts(wanted);
        }
        fonts
    }

    /// Appends the outlines of a text to a path. The text begins at `x` on the base line `y` and is
    /// stretched horizontally to `width`. A character without a glyph becomes an empty box.
    pub(super) fn add_text(
        &self,
        path: &mut PathBuilder,
        text: &str,
        face: FontWeight,
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
                    let mut pen = GlyphPen { path: &mut *path, x: at, y, across: up * stretch, up };
                    // A glyph without an outline is a space.
                    let _ = font.outline_glyph(id, &mut pen);
                }
                None if c.is_whitespace() || advance <= 0.0 => {}
                None => add_empty_box(path, (at, y), advance, size),
            }
            at += advance;
        }
    }

    fn embedded(&self, face: FontWeight) -> &Font<'static> {
        match face {
            FontWeight::Regular => &self.regular,
            FontWeight::SemiBold => &self.semi_bold,
        }
    }

    /// Returns the glyph of a character: from the embedded font of this weight, else from a system font;
    /// `None` if no loaded font has it.
    fn glyph(&self, c: char, face: FontWeight) -> Option<Glyph<'_>> {
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

    /// Returns the width of a character as a multiple of the font size.
    fn advance(&self, c: char, face: FontWeight) -> f32 {
        let own = self.glyph(c, face).and_then(|Glyph { font, id }| {
            Some(f32::from(font.glyph_hor_advance(id)?) / f32::from(font.units_per_em()))
        });
        #[expect(clippy::cast_possible_truncation, reason = "a width of a character is about 1")]
        own.unwrap_or_else(|| crate::picture::character_width(c, face) as f32)
    }
}

/// Adds all characters of the texts in a shape, and in the shapes inside it, to `found`.
fn collect_characters(shape: &PictureShape, found: &mut BTreeSet<char>) {
    match shape {
        PictureShape::Group { shapes, .. } => {
            shapes.iter().for_each(|shape| collect_characters(shape, found));
        }
        PictureShape::Text { text, .. } => found.extend(text.chars()),
        PictureShape::Rect { .. } | PictureShape::Path { .. } => {}
    }
}

/// Loads system fonts until they cover the wanted characters, upright fonts of normal weight first. Returns
/// the file content and the index in the file of each font; fonts that add no character are skipped.
fn load_system_fonts(mut wanted: BTreeSet<char>) -> Vec<(Vec<u8>, u32)> {
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

/// Appends the outline of an empty box, which stands for a character that no font has.
fn add_empty_box(path: &mut PathBuilder, (x, y): (f32, f32), advance: f32, size: f32) {
    let (inset, height, thin) = (advance * 0.12, size * 0.7, size * 0.06);
    let mut ring = |by: f32| {
        let (left, right) = (x + inset + by, x + advance - inset - by);
        let (top, bottom) = (y - height + by, y - by);
        // The inner ring runs in the other direction, so that it is a hole.
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        let turned: Vec<_> = if by > 0.0 { corners.into_iter().rev().collect() } else { corners.to_vec() };
        path.move_to(turned[0].0, turned[0].1);
        turned[1..].iter().for_each(|(x, y)| path.line_to(*x, *y));
        path.close();
    };
    ring(0.0);
    ring(thin);
}

/// Converter of a glyph's outline from font units (y upwards) to the coordinates of the picture. Appends to
/// `path`.
struct GlyphPen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    y: f32,
    across: f32,
    up: f32,
}

impl GlyphPen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.across, self.y - y * self.up)
    }
}

impl OutlineBuilder for GlyphPen<'_> {
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
