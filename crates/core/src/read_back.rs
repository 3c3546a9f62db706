//! Reads values back from JSON before they are committed, because JSON and serde do not return every value unchanged: a map with numeric
//! keys inside a tagged enum is written and cannot be read, `Some(None)` comes back as `None`, and an untagged variant as another one.
//! Values of types that are not [`JsonSafe`] are read back and compared. A difference is an error that names its place.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;
use serde_json::value::RawValue;

use super::json_text::to_raw_value;
use super::json_walk::{digest, find_ambiguous, list_parts};

/// A type whose values JSON always returns unchanged. Channels of such types are not read back before a commit; NaN and too many levels are
/// still errors. Implement it for your own types to save that time.
pub trait JsonSafe {}

/// A [`JsonSafe`] type whose values are never written as `null`, so that `Some` of one is never read as `None`.
pub trait NeverNull: JsonSafe {}

macro_rules! safe {
    ($($kind:ty),*) => { $(impl JsonSafe for $kind {} impl NeverNull for $kind {})* };
}

safe!(bool, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, String);

impl JsonSafe for () {}
impl JsonSafe for Value {}
impl<T: NeverNull> JsonSafe for Option<T> {}
impl<T: JsonSafe> JsonSafe for Box<T> {}
impl<T: NeverNull> NeverNull for Box<T> {}

macro_rules! safe_lists {
    ($($kind:ident)*) => { $(impl<T: JsonSafe> JsonSafe for $kind<T> {} impl<T: JsonSafe> NeverNull for $kind<T> {})* };
}

safe_lists!(Vec VecDeque BTreeSet);

impl<T: JsonSafe, H: BuildHasher> JsonSafe for HashSet<T, H> {}
impl<T: JsonSafe, H: BuildHasher> NeverNull for HashSet<T, H> {}
impl<T: JsonSafe> JsonSafe for BTreeMap<String, T> {}
impl<T: JsonSafe> NeverNull for BTreeMap<String, T> {}
impl<T: JsonSafe, H: BuildHasher> JsonSafe for HashMap<String, T, H> {}
impl<T: JsonSafe, H: BuildHasher> NeverNull for HashMap<String, T, H> {}

/// Tells at compile time if a type is [`JsonSafe`]. For the derive. The inherent constant exists for `JsonSafe` types only, and takes
/// precedence over the constant of the trait.
#[doc(hidden)]
pub struct SafeProbe<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: JsonSafe + ?Sized> SafeProbe<T> {
    #[doc(hidden)]
    pub const SAFE: bool = true;
}

#[doc(hidden)]
pub trait ProbeFallback {
    #[doc(hidden)]
    const SAFE: bool = false;
}

impl<T: ?Sized> ProbeFallback for SafeProbe<T> {}

/// Writes a value like [`to_raw_value`] and reads it back. Another value is an error that names the place of the difference.
pub(crate) fn to_checked<T: Serialize + DeserializeOwned>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let raw = to_raw_value(value)?;
    check_read_back(value, raw.get().as_bytes())?;
    Ok(raw)
}

/// Converts a value to a [`Value`] and reads it back, like [`to_checked`].
pub(crate) fn to_checked_value<T: Serialize + DeserializeOwned>(value: &T) -> serde_json::Result<Value> {
    let written = digest(value).map_err(serde_json::Error::custom)?;
    let json = serde_json::to_value(value)?;
    let back: T = serde_json::from_value(json.clone())?;
    let read = digest(&back).map_err(serde_json::Error::custom)?;
    if written == read { Ok(json) } else { Err(changed_error(value, &back)) }
}

/// Reads `text`, which was just written from `value`, and compares the result with it. Fails when it cannot
/// be read or differs.
pub(crate) fn check_read_back<T: Serialize + DeserializeOwned>(
    value: &T,
    text: &[u8],
) -> serde_json::Result<()> {
    let back: T = serde_json::from_slice(text).map_err(|error| unreadable_error(text, &error))?;
    // Compared by digest, because values need no `PartialEq`.
    let written = digest(value).map_err(serde_json::Error::custom)?;
    let read = digest(&back).map_err(serde_json::Error::custom)?;
    if written == read { Ok(()) } else { Err(changed_error(value, &back)) }
}

/// Returns the error for a value that cannot be read back, with the part in which reading failed.
#[cold]
fn unreadable_error(text: &[u8], error: &serde_json::Error) -> serde_json::Error {
    let name = channel_at(text, error).unwrap_or_else(|| "it".to_owned());
    // The position in the text is removed, because the caller has never seen the text.
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    serde_json::Error::custom(format_args!("`{name}` cannot be read back from JSON: {reason}"))
}

/// Returns the key of the outermost object in `text` in whose value the column of the error lies. Returns
/// `None` when `text` is no object. `text` has one line, so the column is a position.
pub(crate) fn channel_at(text: &[u8], error: &serde_json::Error) -> Option<String> {
    let parts: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    let from = |part: &RawValue| part.get().as_ptr() as usize - text.as_ptr() as usize;
    let parts = parts.into_iter().filter(|(_, part)| from(part) < error.column());
    parts.max_by_key(|(_, part)| from(part)).map(|(name, _)| name)
}

/// Returns the error for a value that is read back as another one, with the part that differs.
#[cold]
fn changed_error<T: Serialize>(value: &T, back: &T) -> serde_json::Error {
    if let Some(found) = find_ambiguous(value) {
        return serde_json::Error::custom(found);
    }
    let (written, read) = (list_parts(value), list_parts(back));
    let name = written
        .iter()
        .find(|part| !read.contains(part))
        .or_else(|| read.iter().find(|part| !written.contains(part)));
    let name = name.map_or("it", |(name, _)| name);
    serde_json::Error::custom(format_args!("`{name}` would be read back from JSON as another value"))
}
