//! Paints shapes onto pixels.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

use super::font::Fonts;
use crate::picture::{Anchor, PathSegment, Picture, PictureShape, Point, Rgb, StyleClass, Theme};

/// Ratio that makes a cubic Bézier curve a quarter of a circle: the distance of a control point from its
/// end of the curve, in radii.
const ROUND: f64 = 0.552_284_75;

/// Paints all shapes of a picture onto the pixmap, enlarged by `scale`.
pub(super) fn paint(pixmap: &mut Pixmap, picture: &Picture, scale: f32, theme: Theme, fonts: &Fonts) {
    let mut brush = Brush { pixmap, scale: Transform::from_scale(scale, scale), theme, fonts };
    picture.shapes.iter().for_each(|shape| brush.paint_shape(shape));
}

/// Painter with its target pixmap, scale, theme and fonts.
struct Brush<'a> {
    pixmap: &'a mut Pixmap,
    scale: Transform,
    theme: Theme,
    fonts: &'a Fonts,
}

impl Brush<'_> {
    fn paint_shape(&mut self, shape: &PictureShape) {
        match shape {
            PictureShape::Group { shapes, .. } => shapes.iter().for_each(|shape| self.paint_shape(shape)),
            PictureShape::Rect { at, width, height, radius, class } => {
                let path = rounded(*at, *width, *height, *radius);
                self.paint_path(path, *class);
            }
            PictureShape::Path { segments, class } => {
                let mut path = PathBuilder::new();
                segments.iter().for_each(|curve| piece(&mut path, *curve));
                self.paint_path(path.finish(), *class);
            }
            PictureShape::Text { at, anchor, width, face, size, text, class } => {
                let left = if *anchor == Anchor::Middle { at.x - width / 2.0 } else { at.x };
                let mut path = PathBuilder::new();
                let vertex = (short(left), short(at.y));
                self.fonts.add_text(&mut path, text, *face, short(*size), vertex, short(*width));
                self.paint_path(path.finish(), *class);
            }
        }
    }

    /// Fills and strokes a path in the style of its class. `None`, an empty path, paints nothing.
    fn paint_path(&mut self, path: Option<Path>, class: StyleClass) {
        let Some(path) = path else { return };
        let paint = class.style(self.theme);
        if let Some(fill) = paint.fill {
            self.pixmap.fill_path(&path, &colour(fill), FillRule::Winding, self.scale, None);
        }
        if let Some(line) = paint.stroke {
            let dash =
                paint.dashes.and_then(|(dash, gap)| StrokeDash::new(vec![short(dash), short(gap)], 0.0));
            let line_cap = if dash.is_some() { LineCap::Round } else { LineCap::Butt };
            let width = short(paint.width);
            let stroke = Stroke { width, dash, line_cap, line_join: LineJoin::Round, ..Stroke::default() };
            self.pixmap.stroke_path(&path, &colour(line), &stroke, self.scale, None);
        }
    }
}

fn colour(Rgb(red, green, blue): Rgb) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
    paint.set_color(Color::from_rgba8(red, green, blue, 255));
    paint
}

/// Appends a path segment of a picture to the path builder.
fn piece(path: &mut PathBuilder, curve: PathSegment) {
    match curve {
        PathSegment::Move(to) => path.move_to(short(to.x), short(to.y)),
        PathSegment::Line(to) => path.line_to(short(to.x), short(to.y)),
        PathSegment::Cubic(first, second, to) => {
            path.cubic_to(
                short(first.x),
                short(first.y),
                short(second.x),
                short(second.y),
                short(to.x),
                short(to.y),
            );
        }
        PathSegment::Close => path.close(),
    }
}

/// Returns the path of a rectangle with rounded corners; `None` if it is not a valid path.
fn rounded(at: Point, width: f64, height: f64, radius: f64) -> Option<Path> {
    let radius = radius.min(width / 2.0).min(height / 2.0);
    if radius <= 0.0 {
        let rect = Rect::from_xywh(short(at.x), short(at.y), short(width), short(height))?;
        return Some(PathBuilder::from_rect(rect));
    }
    let (left, top, right, bottom) = (at.x, at.y, at.x + width, at.y + height);
    let point = |x, y| Point { x, y };
    let (far, near) = (radius, radius * (1.0 - ROUND));
    let corners = [
        [
            point(right - far, top),
            point(right - near, top),
            point(right, top + near),
            point(right, top + far),
        ],
        [
            point(right, bottom - far),
            point(right, bottom - near),
            point(right - near, bottom),
            point(right - far, bottom),
        ],
        [
            point(left + far, bottom),
            point(left + near, bottom),
            point(left, bottom - near),
            point(left, bottom - far),
        ],
        [point(left, top + far), point(left, top + near), point(left + near, top), point(left + far, top)],
    ];
    let mut path = PathBuilder::new();
    for (number, [from, first, second, to]) in corners.into_iter().enumerate() {
        piece(&mut path, if number == 0 { PathSegment::Move(from) } else { PathSegment::Line(from) });
        piece(&mut path, PathSegment::Cubic(first, second, to));
    }
    path.close();
    path.finish()
}

/// Converts a length to `f32`, the number type of tiny-skia.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a picture has at most some ten thousand pixels to each side"
)]
fn short(length: f64) -> f32 {
    length as f32
}
