//! Values as JSON that says what they are: what JSON has no word for is an error that names its place, raised before anything is
//! committed (P6). Knows no store; see `json_walk.rs` for what is looked at and `read_back.rs` for what is read again.

use std::io;

use serde::ser::{self, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::json_walk::{LEVELS_MAX, digest, unwritable};

/// Like [`serde_json::value::to_raw_value`], for finite numbers and values that are not nested too deep.
pub(crate) fn to_raw_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let mut text = Vec::new();
    append(&mut text, value)?;
    RawValue::from_string(String::from_utf8(text).expect("serde_json writes UTF-8"))
}

/// Like [`serde_json::to_writer`] to a buffer, for finite numbers and values that are not nested too deep.
pub(crate) fn append<T: Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    let mut nulls = false;
    let watch = Watch { nulls: &mut nulls, level: 0 };
    value
        .serialize(&mut serde_json::Serializer::with_formatter(buffer, watch))
        .map_err(|error| placed(value, error))?;
    // `serde_json` writes NaN and the infinities as `null`. A value without one is not looked at twice.
    if nulls { digest(value).map(drop).map_err(ser::Error::custom) } else { Ok(()) }
}

/// An error of the writer, with its place where that is found.
#[cold]
fn placed<T: Serialize + ?Sized>(value: &T, error: serde_json::Error) -> serde_json::Error {
    unwritable(value).map_or(error, ser::Error::custom)
}

/// The compact form. It remembers that there was a `null`, and ends where no reader would follow.
struct Watch<'a> {
    nulls: &'a mut bool,
    /// The lists and maps that are open.
    level: usize,
}

impl Watch<'_> {
    fn enter(&mut self) -> io::Result<()> {
        self.level += 1;
        if self.level > LEVELS_MAX { Err(io::Error::other("too many levels")) } else { Ok(()) }
    }
}

impl Formatter for Watch<'_> {
    fn write_null<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        *self.nulls = true;
        writer.write_all(b"null")
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.enter()?;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.level -= 1;
        writer.write_all(b"]")
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.enter()?;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.level -= 1;
        writer.write_all(b"}")
    }
}
