//! Drawings as PNG.

use stategraph_core::START;
use stategraph_draw::Draw as _;
use stategraph_draw::picture::{FontWeight, Picture, Theme, character_width};
use stategraph_draw::raster::{RasterError, Scale, png};
use tiny_skia::Pixmap;

use super::kit::*;

fn read(picture: &Picture, scale: &str, theme: Theme) -> Pixmap {
    let bytes = png(picture, scale.parse().unwrap(), theme).unwrap();
    Pixmap::decode_png(&bytes).unwrap()
}

fn colour(pixels: &Pixmap, x: u32, y: u32) -> (u8, u8, u8) {
    let pixel = pixels.pixel(x, y).unwrap();
    (pixel.red(), pixel.green(), pixel.blue())
}

// Issue 3, point 4
#[test]
fn a_png_shows_what_the_svg_says() {
    let picture = ard().drawing().picture();
    let pixels = read(&picture, "1", Theme::Light);
    assert_eq!((f64::from(pixels.width()), f64::from(pixels.height())), (picture.width, picture.height));
    let (across, down) = (pixels.width() / 2, pixels.height() / 2);
    assert_eq!(colour(&pixels, across, 4), (255, 255, 255));
    // Boxes, lines and letters leave marks all over.
    let marked = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
        x.flat_map(|x| y.clone().map(move |y| (x, y)))
            .filter(|(x, y)| colour(&pixels, *x, *y) != (255, 255, 255))
            .count()
    };
    for (x, y) in [(0..across, 0..down), (across..2 * across, 0..down), (0..across, down..2 * down)] {
        assert!(marked(x, y) > 1_000);
    }
    let dark = read(&picture, "0.5", Theme::Dark);
    assert_eq!(colour(&dark, dark.width() / 2, 2), (0x0d, 0x11, 0x17));
}

#[test]
fn equal_graphs_give_equal_bytes() {
    let half = "0.5".parse().unwrap();
    let of = || png(&report().drawing().xray(2).picture(), half, Theme::Light).unwrap();
    assert_eq!(of(), of());
}

// ENG-21: names that no embedded letter has are drawn all the same.
#[test]
fn any_name_can_be_painted() {
    let names = [
        "日本語",
        "🦀 crab",
        "e\u{301}",
        "\u{202e}rtl",
        "zero\u{200b}width",
        "ქართული",
        "\u{10ffff}",
        "a\"b<c&d",
    ];
    let picture = graph("名", &names, vec![edge(START, names[0])]).drawing().picture();
    assert!(read(&picture, "0.5", Theme::Light).width() > 0);
    let empty = graph("", &[], vec![]).drawing().picture();
    read(&empty, "16", Theme::Light);
}

#[test]
fn a_scale_has_limits_and_so_has_a_picture() {
    for bad in ["", "0", "-1", "17", "nan", "inf", "two"] {
        assert_eq!(bad.parse::<Scale>(), Err(RasterError::BadScale(bad.to_owned())));
    }
    let mut huge = ard().drawing().picture();
    huge.width = 1e9;
    let error = png(&huge, Scale::DOUBLE, Theme::Light).unwrap_err();
    assert!(matches!(error, RasterError::TooLarge { width: 2_000_000_000, .. }), "{error}");
    assert!(error.hint().contains("scale"));
}

/// The layout measures with these, the rasteriser paints with the fonts.
#[test]
fn the_widths_of_letters_are_those_of_the_embedded_fonts() {
    let fonts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/raster/fonts");
    for (file, face) in
        [("Inter-Regular.ttf", FontWeight::Regular), ("Inter-SemiBold.ttf", FontWeight::SemiBold)]
    {
        let bytes = std::fs::read(fonts.join(file)).unwrap();
        let font = ttf_parser::Face::parse(&bytes, 0).unwrap();
        for c in ' '..='~' {
            let glyph = font.glyph_index(c).unwrap();
            let width = f64::from(font.glyph_hor_advance(glyph).unwrap()) / f64::from(font.units_per_em());
            assert!((width - character_width(c, face)).abs() < 0.0006, "{c}: {width}");
        }
    }
}
