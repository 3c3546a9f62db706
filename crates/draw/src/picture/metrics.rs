//! Widths of texts, without a font. The widths of ASCII are those of Inter, which the rasteriser embeds; an SVG that is shown in another
//! font scales its texts to these widths.

use unicode_width::UnicodeWidthChar;

/// Font weight of a text in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FontWeight {
    /// For descriptions and labels.
    Regular,
    /// For names of nodes.
    SemiBold,
}

/// Widths of the characters from U+0020 to U+007E in the regular weight, in thousandths of the font size.
const REGULAR: [u16; 95] = [
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610, 618, 646,
    593, 620, 566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601, 590, 746, 743, 269,
    571, 672, 565, 903, 753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682, 679, 629, 365, 360, 365, 471,
    456, 323, 562, 612, 571, 612, 583, 370, 613, 591, 242, 242, 549, 242, 876, 591, 600, 612, 612, 376, 528,
    327, 591, 562, 818, 546, 562, 552, 426, 333, 426, 662,
];
/// Widths of the characters from U+0020 to U+007E in the semi-bold weight, in thousandths of the font size.
const SEMI_BOLD: [u16; 95] = [
    252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623, 636, 666,
    612, 640, 576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605, 588, 749, 746, 277,
    580, 703, 565, 922, 759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720, 713, 652, 373, 379, 373, 481,
    469, 351, 574, 624, 583, 624, 591, 389, 625, 612, 262, 262, 569, 262, 900, 612, 609, 624, 624, 397, 549,
    353, 612, 587, 839, 569, 588, 566, 455, 359, 455, 673,
];

/// Width of a non-ASCII character that takes one column of a terminal, as a multiple of the font size.
const OTHER: f64 = 0.66;

/// Returns the width of a character as a multiple of the font size. ASCII has a table; another character
/// counts 1 if it takes two columns of a terminal, 0.66 if it takes one, otherwise 0.
pub fn character_width(c: char, face: FontWeight) -> f64 {
    let table = match face {
        FontWeight::Regular => &REGULAR,
        FontWeight::SemiBold => &SEMI_BOLD,
    };
    let known = usize::try_from(u32::from(c)).ok().and_then(|c| table.get(c.checked_sub(0x20)?));
    match (known, c.width()) {
        (Some(width), _) => f64::from(*width) / 1000.0,
        (None, Some(2)) => 1.0,
        (None, Some(1)) => OTHER,
        (None, _) => 0.0,
    }
}

/// Returns the width of a text in pixels at this font size in pixels.
pub(super) fn text_width(text: &str, face: FontWeight, size: f64) -> f64 {
    text.chars().map(|c| character_width(c, face)).sum::<f64>() * size
}
