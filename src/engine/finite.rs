//! Values as JSON, without what JSON has no word for: `serde_json` writes NaN and the infinities as `null`, and a checkpoint would
//! hold another value than the state, or none that can be read. Here they are errors that name their place, raised before
//! anything is committed (P6), and so is what `serde_json` refuses itself, of which it does not say where it is. A value without
//! `null` is not looked at twice. Knows no store; see `written.rs`.

use std::fmt;
use std::io;

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// Like [`serde_json::value::to_raw_value`], for finite numbers only.
pub(crate) fn to_raw_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let raw = serde_json::value::to_raw_value(value).map_err(|error| placed(value, error))?;
    if raw.get().contains("null") {
        check(value)?;
    }
    Ok(raw)
}

/// Like [`serde_json::to_writer`] to a buffer, for finite numbers only.
pub(crate) fn append<T: Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    let mut nulls = false;
    value
        .serialize(&mut serde_json::Serializer::with_formatter(buffer, NoticeNull(&mut nulls)))
        .map_err(|error| placed(value, error))?;
    if nulls { check(value) } else { Ok(()) }
}

fn check<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<()> {
    value.serialize(Search).map_err(ser::Error::custom)
}

/// What `serde_json` refused, with its place where that is found.
#[cold]
fn placed<T: Serialize + ?Sized>(value: &T, error: serde_json::Error) -> serde_json::Error {
    check(value).err().unwrap_or(error)
}

/// The compact form, which remembers that there was a `null`.
struct NoticeNull<'a>(&'a mut bool);

impl Formatter for NoticeNull<'_> {
    fn write_null<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        *self.0 = true;
        writer.write_all(b"null")
    }
}

/// What is no JSON, and the way to it, innermost first.
#[derive(Debug)]
struct NoJson {
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
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        write!(out, "`{}` {}", path.join("."), self.reason)
    }
}

impl std::error::Error for NoJson {}

impl ser::Error for NoJson {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { reason: format!("cannot be written as JSON: {reason}"), path: Vec::new() }
    }
}

/// Walks a value and stops at the first part of it that is no JSON.
#[derive(Clone, Copy)]
struct Search;

/// Walks the parts of one value.
struct Parts {
    /// The variant of an enum that the parts are in.
    variant: Option<&'static str>,
    /// How many parts there were.
    count: usize,
}

impl Parts {
    fn of(variant: Option<&'static str>) -> Self {
        Self { variant, count: 0 }
    }

    fn part<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&dyn fmt::Display>,
        value: &T,
    ) -> Result<(), NoJson> {
        self.count += 1;
        value.serialize(Search).map_err(|found| {
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
}

/// What cannot hold a float.
macro_rules! finite {
    ($($method:ident($($kind:ty),*))*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<(), NoJson> {
            Ok(())
        })*
    };
}

impl Serializer for Search {
    type Ok = ();
    type Error = NoJson;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    finite! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_none() serialize_unit() serialize_unit_struct(&'static str)
        serialize_unit_variant(&'static str, u32, &'static str)
    }

    fn serialize_f32(self, number: f32) -> Result<(), NoJson> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), NoJson> {
        if number.is_finite() {
            return Ok(());
        }
        Err(NoJson { reason: format!("is {number}, which JSON has no word for"), path: Vec::new() })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NoJson> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NoJson> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NoJson> {
        value.serialize(self).map_err(|found| found.under(variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, NoJson> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts, NoJson> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts, NoJson> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NoJson> {
        Ok(Parts::of(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts, NoJson> {
        Ok(Parts::of(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts, NoJson> {
        Ok(Parts::of(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NoJson> {
        Ok(Parts::of(Some(variant)))
    }
}

/// Parts by their number, or by their name.
macro_rules! walks {
    ($($kind:ident $method:ident($($key:ident)?))*) => {
        $(impl $kind for Parts {
            type Ok = ();
            type Error = NoJson;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), NoJson> {
                let name: Option<&dyn fmt::Display> = None;
                $(let name = name.or(Some(&$key));)?
                self.part(name, value)
            }

            fn end(self) -> Result<(), NoJson> {
                Ok(())
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

impl SerializeMap for Parts {
    type Ok = ();
    type Error = NoJson;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), NoJson> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoJson> {
        self.part(None, value)
    }

    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), NoJson>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        serde_json::to_string(&Key(key)).map_err(ser::Error::custom)?;
        let name = serde_json::to_string(key).unwrap_or_default();
        self.part(Some(&name.trim_matches('"')), value)
    }

    fn end(self) -> Result<(), NoJson> {
        Ok(())
    }
}

/// A map with nothing but this key: what can be one is for `serde_json` to say.
struct Key<'a, K: ?Sized>(&'a K);

impl<K: Serialize + ?Sized> Serialize for Key<'_, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}
