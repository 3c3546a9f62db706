//! Writes values as JSON, with an error for every value that JSON cannot hold. The error names the place in the value, and is raised before
//! anything is committed (P6). `json_walk.rs` finds the place; `read_back.rs` checks that JSON gives the same value back.

use std::io;

use serde::ser::{self, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::json_walk::{LEVELS_MAX, digest, find_unwritable};

/// Writes a value like [`serde_json::value::to_raw_value`]. NaN, infinities and too deep nesting are errors.
pub(crate) fn to_raw_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let mut text = Vec::new();
    append(&mut text, value)?;
    RawValue::from_string(String::from_utf8(text).expect("serde_json writes UTF-8"))
}

/// Appends a value to a buffer like [`serde_json::to_writer`]. NaN, infinities and too deep nesting are errors.
pub(crate) fn append<T: Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    let mut nulls = false;
    let watch = WatchingFormatter { nulls: &mut nulls, level: 0 };
    value
        .serialize(&mut serde_json::Serializer::with_formatter(buffer, watch))
        .map_err(|error| with_place(value, error))?;
    // `serde_json` writes NaN and infinities as `null`. Only a text with a `null` is walked again, because the walk costs time.
    if nulls { digest(value).map(drop).map_err(ser::Error::custom) } else { Ok(()) }
}

/// Returns an error that names the place in the value which JSON cannot hold, found by a second walk; `error`
/// itself when the walk finds none.
#[cold]
fn with_place<T: Serialize + ?Sized>(value: &T, error: serde_json::Error) -> serde_json::Error {
    find_unwritable(value).map_or(error, ser::Error::custom)
}

/// A formatter for compact JSON. It notes every `null`, and fails at more levels than readers accept.
struct WatchingFormatter<'a> {
    nulls: &'a mut bool,
    /// Number of open lists and maps.
    level: usize,
}

impl WatchingFormatter<'_> {
    fn enter(&mut self) -> io::Result<()> {
        self.level += 1;
        if self.level > LEVELS_MAX { Err(io::Error::other("too many levels")) } else { Ok(()) }
    }
}

impl Formatter for WatchingFormatter<'_> {
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
