//! Walks values as serde describes them, for two purposes. It finds the first part that JSON cannot hold (NaN, an infinity, a key that is
//! not text, too many levels), which `serde_json` would write as `null` or reject without its place. And it makes a digest of the
//! description, which compares values without `PartialEq`. `read_back.rs` uses both.

use std::cell::RefCell;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Maximum number of levels of lists and maps in a value, because `serde_json` reads no more.
pub(crate) const LEVELS_MAX: usize = 127;

/// Maximum number of path labels in a message.
const PATH_SHOWN: usize = 8;

/// Returns the digest of a value, or its first part that JSON cannot hold. Values that serde describes alike have equal digests. The order
/// of elements in a list does not count, because each copy of a hash set has another order; JSON keeps the order of real lists anyway.
pub(crate) fn digest<T: Serialize + ?Sized>(value: &T) -> Result<u64, NoJson> {
    value.serialize(ValueWalk { level: 0, stop_at: ExtraStop::Nothing, list: None })
}

/// Returns the first part of a value that `serde_json` refuses to write, with its path; `None` when it writes
/// the whole value.
pub(crate) fn find_unwritable<T: Serialize + ?Sized>(value: &T) -> Option<NoJson> {
    value.serialize(ValueWalk { level: 0, stop_at: ExtraStop::Keys, list: None }).err()
}

/// Returns the first `Some` in a value that JSON writes as `null`, so that it would be read back as `None`.
/// Returns `None` when there is no such part.
pub(crate) fn find_ambiguous<T: Serialize + ?Sized>(value: &T) -> Option<NoJson> {
    value.serialize(ValueWalk { level: 0, stop_at: ExtraStop::NullSome, list: None }).err()
}

/// Returns the outermost fields or map entries of a value, each as name and digest. Elements of lists have an
/// empty name.
pub(crate) fn list_parts<T: Serialize + ?Sized>(value: &T) -> Vec<(String, u64)> {
    let list = RefCell::default();
    // An error ends the list early; callers have walked the value before.
    let _ = value.serialize(ValueWalk { level: 0, stop_at: ExtraStop::Nothing, list: Some(&list) });
    list.into_inner()
}

/// A part of a value that JSON cannot hold, with its path, innermost label first.
#[derive(Debug)]
pub(crate) struct NoJson {
    reason: String,
    path: Vec<String>,
}

impl NoJson {
    fn under(mut self, place: impl fmt::Display) -> Self {
        self.path.push(place.to_string());
        self
    }
}

impl fmt::Display for NoJson {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path: Vec<&str> = self.path.iter().rev().take(PATH_SHOWN).map(String::as_str).collect();
        if self.path.len() > PATH_SHOWN {
            path.push("…");
        }
        match path.join(".").as_str() {
            "" => write!(out, "it {}", self.reason),
            path => write!(out, "`{path}` {}", self.reason),
        }
    }
}

impl std::error::Error for NoJson {}

impl ser::Error for NoJson {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { reason: format!("cannot be written as JSON: {reason}"), path: Vec::new() }
    }
}

/// A serializer that writes nothing: it computes the digest of the value at one place, and stops at a part
/// that JSON cannot hold.
#[derive(Clone, Copy)]
struct ValueWalk<'a> {
    /// Number of lists and maps around the place.
    level: usize,
    stop_at: ExtraStop,
    /// Receives the outermost parts with their digests; `None` when they are not wanted.
    list: Option<&'a RefCell<Vec<(String, u64)>>>,
}

/// The parts at which a walk stops, besides those that JSON cannot hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExtraStop {
    Nothing,
    /// Keys that are not text. `serde_json` provides the error.
    Keys,
    /// A `Some` that is written as `null`. That is not an error in general, because a custom deserializer may distinguish it from `None`.
    NullSome,
}

/// Returns the hash of a value. It may change with the version of Rust, so it is never stored.
fn hash_of(described: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    described.hash(&mut hasher);
    hasher.finish()
}

/// The serializer of the fields, entries or elements of one value.
struct PartsWalk<'a> {
    /// The walk to use for each part.
    inner: ValueWalk<'a>,
    /// The enum variant that contains the parts.
    variant: Option<&'static str>,
    /// Number of parts so far.
    count: usize,
    /// Digest of the key whose value comes next.
    key: u64,
    /// Sum of the digests of the parts.
    sum: u64,
    /// Receives the parts with their digests.
    list: Option<&'a RefCell<Vec<(String, u64)>>>,
}

impl<'a> ValueWalk<'a> {
    fn parts(self, variant: Option<&'static str>) -> Result<PartsWalk<'a>, NoJson> {
        // A variant with parts counts twice, because JSON wraps it in a map with its name.
        let level = self.level + 1 + usize::from(variant.is_some());
        if level > LEVELS_MAX {
            let reason = format!(
                "has more than {LEVELS_MAX} levels of lists and maps, the most that JSON is read with"
            );
            return Err(NoJson { reason, path: Vec::new() });
        }
        let inner = ValueWalk { level, list: None, ..self };
        Ok(PartsWalk { inner, variant, count: 0, key: 0, sum: 0, list: self.list })
    }
}

impl PartsWalk<'_> {
    /// Adds the digest of a part to the sum, and to the list of parts, under its name, if one is wanted.
    fn add_part(&mut self, name: impl FnOnce() -> String, part: u64) {
        self.sum = self.sum.wrapping_add(part);
        if let Some(list) = self.list {
            list.borrow_mut().push((name(), part));
        }
    }

    fn walk_part<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&dyn fmt::Display>,
        value: &T,
    ) -> Result<u64, NoJson> {
        self.count += 1;
        value.serialize(self.inner).map_err(|found| {
            let found = match name {
                Some(name) => found.under(name),
                None => found.under(self.count - 1),
            };
            match self.variant {
                Some(variant) => found.under(variant),
                None => found,
            }
        })
    }

    fn finish(self) -> u64 {
        hash_of((self.variant, self.count, self.sum))
    }
}

/// Implements the methods for values without parts: the digest has their type and value.
macro_rules! leaves {
    ($($method:ident($kind:ty))*) => {
        $(fn $method(self, leaf: $kind) -> Result<u64, NoJson> {
            Ok(hash_of((stringify!($kind), leaf)))
        })*
    };
}

impl<'a> Serializer for ValueWalk<'a> {
    type Ok = u64;
    type Error = NoJson;
    type SerializeSeq = PartsWalk<'a>;
    type SerializeTuple = PartsWalk<'a>;
    type SerializeTupleStruct = PartsWalk<'a>;
    type SerializeTupleVariant = PartsWalk<'a>;
    type SerializeMap = PartsWalk<'a>;
    type SerializeStruct = PartsWalk<'a>;
    type SerializeStructVariant = PartsWalk<'a>;

    leaves! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
    }

    fn serialize_none(self) -> Result<u64, NoJson> {
        Ok(hash_of("none"))
    }

    fn serialize_unit(self) -> Result<u64, NoJson> {
        Ok(hash_of("unit"))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<u64, NoJson> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<u64, NoJson> {
        Ok(hash_of(("variant", variant)))
    }

    fn serialize_f32(self, number: f32) -> Result<u64, NoJson> {
        Ok(hash_of(("f32", self.serialize_f64(number.into())?)))
    }

    fn serialize_f64(self, number: f64) -> Result<u64, NoJson> {
        if number.is_finite() {
            return Ok(hash_of(("f64", number.to_bits())));
        }
        Err(NoJson { reason: format!("is {number}, which JSON has no word for"), path: Vec::new() })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<u64, NoJson> {
        if self.stop_at == ExtraStop::NullSome
            && serde_json::to_string(value).is_ok_and(|text| text == "null")
        {
            let reason = "is `Some` of nothing, which JSON writes as `null`, like `None`".to_owned();
            return Err(NoJson { reason, path: Vec::new() });
        }
        Ok(hash_of(("some", value.serialize(self)?)))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<u64, NoJson> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<u64, NoJson> {
        let parts = self.parts(None)?;
        let inner = value.serialize(parts.inner).map_err(|found| found.under(variant))?;
        Ok(hash_of(("variant", variant, inner)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(None)
    }

    fn serialize_tuple(self, _: usize) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<PartsWalk<'a>, NoJson> {
        self.parts(Some(variant))
    }
}

/// Implements the traits for values with parts, which are identified by their position or name.
macro_rules! walks {
    ($($kind:ident $method:ident($($key:ident)?))*) => {
        $(impl $kind for PartsWalk<'_> {
            type Ok = u64;
            type Error = NoJson;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), NoJson> {
                let name: Option<&dyn fmt::Display> = None;
                $(let name = name.or(Some(&$key));)?
                let part = self.walk_part(name, value)?;
                self.add_part(|| String::new() $(+ $key)?, hash_of(($($key,)? part)));
                Ok(())
            }

            fn end(self) -> Result<u64, NoJson> {
                Ok(self.finish())
            }
        })*
    };
}

walks! {
    SerializeSeq serialize_element()
    SerializeTuple serialize_element()
    SerializeTupleStruct serialize_field()
    SerializeTupleVariant serialize_field()
    SerializeStruct serialize_field(key)
    SerializeStructVariant serialize_field(key)
}

impl SerializeMap for PartsWalk<'_> {
    type Ok = u64;
    type Error = NoJson;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NoJson> {
        self.key = key.serialize(self.inner)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoJson> {
        let part = self.walk_part(None, value)?;
        self.sum = self.sum.wrapping_add(hash_of((self.key, part)));
        Ok(())
    }

    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), NoJson>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        if self.inner.stop_at == ExtraStop::Keys {
            serde_json::to_string(&SingleKey(key)).map_err(ser::Error::custom)?;
        }
        self.serialize_key(key)?;
        let part = value.serialize(self.inner).map_err(|found| {
            let found = found.under(key_text(key));
            match self.variant {
                Some(variant) => found.under(variant),
                None => found,
            }
        })?;
        self.count += 1;
        self.add_part(|| key_text(key), hash_of((self.key, part)));
        Ok(())
    }

    fn end(self) -> Result<u64, NoJson> {
        Ok(self.finish())
    }
}

fn key_text<K: Serialize + ?Sized>(key: &K) -> String {
    serde_json::to_string(key).unwrap_or_default().trim_matches('"').to_owned()
}

/// A map with this key only. Writing it shows if `serde_json` accepts the key.
struct SingleKey<'a, K: ?Sized>(&'a K);

impl<K: Serialize + ?Sized> Serialize for SingleKey<'_, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}
