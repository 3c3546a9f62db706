//! Pictures as PNG: paints the shapes of a [`Picture`] with tiny-skia and an embedded font. Runs no program and knows no graphs.
//!
//! The font is Inter (SIL Open Font License, `fonts/OFL.txt`), reduced to Latin, Greek, Cyrillic and symbols. Other characters, such as
//! Chinese, are taken from the fonts of the system. A character without any font is drawn as an empty box.

mod font;
mod paint;

use std::fmt;
use std::str::FromStr;

use tiny_skia::Pixmap;

use crate::picture::{Picture, Theme};
use font::Fonts;

/// Maximum number of pixels of a PNG: 100 million, which take 400 MB of memory while the picture is
/// painted.
pub const PIXELS_MAX: u64 = 100_000_000;

/// Factor from the pixels of a picture to those of its PNG, in both directions: from 0.1 to 16.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(f32);

/// Reason why a picture could not be painted as PNG.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RasterError {
    /// The scale is not a number from 0.1 to 16.
    #[error("`{0}` is no scale")]
    BadScale(String),
    /// The picture would have more than [`PIXELS_MAX`] pixels.
    #[error("the picture would be {width} × {height} pixels, at most {PIXELS_MAX} are painted")]
    TooLarge {
        /// Width, in pixels.
        width: u64,
        /// Height, in pixels.
        height: u64,
    },
    /// The pixels could not be encoded.
    #[error("the picture cannot be packed: {0}")]
    Packing(String),
}

impl RasterError {
    /// Returns advice for the user on how to solve the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::BadScale(_) => "a scale is a number from 0.1 to 16, such as 2",
            Self::TooLarge { .. } => "choose a smaller scale, or draw it as SVG",
            Self::Packing(_) => "draw it as SVG",
        }
    }
}

impl Scale {
    /// Two pixels for one, which is sharp on most screens; the default of `graph draw`.
    pub const DOUBLE: Self = Self(2.0);
}

impl FromStr for Scale {
    type Err = RasterError;
    fn from_str(text: &str) -> Result<Self, RasterError> {
        let scale = text.parse::<f32>().ok().filter(|scale| (0.1..=16.0).contains(scale));
        scale.map(Self).ok_or_else(|| RasterError::BadScale(text.to_owned()))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Paints a picture as PNG, in light or dark colours. Equal pictures give equal bytes if they need no font of the system.
///
/// ```
/// use stategraph_draw::{Draw as _, picture::Theme};
/// use stategraph_core::{Draft, DraftNode, Topology};
/// use stategraph_draw::raster::{Scale, png};
///
/// let nodes = vec![DraftNode { name: "work".into(), ..DraftNode::default() }];
/// let graph = Topology::of(&Draft { name: "small".into(), nodes, ..Draft::default() });
/// let bytes = png(&graph.drawing().picture(), Scale::DOUBLE, Theme::Light)?;
/// assert!(bytes.starts_with(b"\x89PNG"));
/// # Ok::<(), stategraph_draw::raster::RasterError>(())
/// ```
pub fn png(picture: &Picture, scale: Scale, theme: Theme) -> Result<Vec<u8>, RasterError> {
    let mut pixmap = allocate_pixels(picture, scale)?;
    let fonts = Fonts::for_shapes(&picture.shapes);
    paint::paint(&mut pixmap, picture, scale.0, theme, &fonts);
    pixmap.encode_png().map_err(|error| RasterError::Packing(error.to_string()))
}

/// Allocates the pixmap for a picture at this scale. Fails with `TooLarge` above [`PIXELS_MAX`].
fn allocate_pixels(picture: &Picture, scale: Scale) -> Result<Pixmap, RasterError> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and the limit follows"
    )]
    let length = |length: f64| (length * f64::from(scale.0)).ceil().max(1.0) as u64;
    let (width, height) = (length(picture.width), length(picture.height));
    let too_large = RasterError::TooLarge { width, height };
    if width.saturating_mul(height) > PIXELS_MAX {
        return Err(too_large);
    }
    let short = |length| u32::try_from(length).ok();
    let pixmap = short(width).zip(short(height)).and_then(|(width, height)| Pixmap::new(width, height));
    pixmap.ok_or(too_large)
}
